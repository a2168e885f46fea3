#include "sim/study/run.hpp"

#include <algorithm>
#include <map>

#include "analysis/crosscheck.hpp"
#include "analysis/measured_stations.hpp"
#include "analysis/predict.hpp"
#include "sim/engine/simgrid/simgrid_engine.hpp"
#include "sim/result/measure.hpp"

namespace stagger {
namespace {

/// The busiest of the resources that are alike: the same direction of hosts of one group, the update threads of all
/// servers.
class Ranking {
 public:
  void add(const std::string& alike, const std::string& resource, double utilization) {
    const auto [place, is_new] = busiest_.try_emplace(alike, Bottleneck{resource, utilization, std::nullopt});
    if (!is_new && utilization > place->second.utilization) place->second = {resource, utilization, std::nullopt};
  }
  std::vector<Bottleneck> sorted() const {
    std::vector<Bottleneck> ranked;
    for (const auto& [alike, bottleneck] : busiest_) ranked.push_back(bottleneck);
    std::ranges::stable_sort(ranked, std::greater{}, &Bottleneck::utilization);
    for (std::size_t i = 0; i + 1 < ranked.size(); ++i) ranked[i].next_slack = 1.0 - ranked[i + 1].utilization;
    return ranked;
  }

 private:
  std::map<std::string, Bottleneck> busiest_;
};

std::string link_words(const LinkResult& link) {
  if (link.direction == "up") return link.name + " send link";
  if (link.direction == "down") return link.name + " receive link";
  return link.name + " loopback";
}

std::vector<Bottleneck> rank_bottlenecks(const SimulatedResult& simulated) {
  Ranking ranking;
  for (const LinkResult& link : simulated.links)
    ranking.add(link.name.substr(0, link.name.rfind('-')) + link.direction, link_words(link), link.utilization);
  for (const ServerResult& server : simulated.servers)
    ranking.add("update", server.name + " update", server.update_utilization);
  for (const WorkerResult& worker : simulated.workers)
    ranking.add("compute", worker.name + " compute", worker.compute_share);
  return ranking.sorted();
}

std::optional<CostResult> cost_of(const Layout& layout, double examples_per_s) {
  CostResult cost;
  bool priced = false;
  for (const Layout::Host& host : layout.hosts) {
    priced = priced || host.price;
    cost.usd_per_hour += host.price.value_or(Price{}).si;
  }
  if (!priced) return std::nullopt;
  cost.usd_per_million_examples = cost.usd_per_hour / 3600.0 / examples_per_s * 1e6;
  return cost;
}

/// Examples per version of one server: the mean batch of those who contribute, times the gradients in a version.
double examples_per_update(const SimulatedResult& simulated, const Layout& layout) {
  double examples = 0.0;
  for (std::size_t w = 0; w < layout.workers.size(); ++w)
    examples += simulated.workers[w].updates * static_cast<double>(layout.workers[w].batch);
  return examples / simulated.updates;
}

Interval scaled(const Interval& interval, double factor) {
  return {factor * interval.mean, factor * interval.ci_low, factor * interval.ci_high, interval.confidence,
          factor * interval.standard_error};
}

}  // namespace

RunResult predict_scenario(const Scenario& scenario) {
  RunResult result;
  result.scenario = scenario.name;
  result.seed = scenario.spec.run.seed;
  result.engine = scenario.spec.run.engine == EngineKind::fluid ? "fluid" : "simgrid";
  result.versions = {STAGGER_VERSION, simgrid_version()};
  result.predicted = predict(scenario.layout);
  result.cost = cost_of(scenario.layout, result.predicted.examples_per_s);
  return result;
}

RunOutcome run_scenario(const Scenario& scenario, const RunHooks& hooks) {
  check_size(scenario);
  RunOutcome outcome{predict_scenario(scenario), {}};
  RunResult& result = outcome.result;
  Simulation simulation = simulate(scenario, hooks);
  const Snapshot& cut = simulation.log.snapshots[simulation.cut];
  if (simulation.incomplete && simulation.log.updates.size() < cut.updates + 2) throw Interrupted();
  const double confidence = scenario.spec.run.precision.value_or(PrecisionSpec{}).confidence;
  SimulatedResult simulated = measure(simulation.log, scenario.layout, simulation.cut, confidence);
  simulated.examples_per_s = scaled(simulated.updates_per_s, examples_per_update(simulated, scenario.layout));
  simulated.stations = measure_stations(simulation.log, scenario.layout, simulation.cut, simulated);
  simulated.warnings.insert(simulated.warnings.end(), simulation.warnings.begin(), simulation.warnings.end());
  check_physics(result.predicted, simulated);
  result.check = crosscheck(result.predicted, simulated);
  result.bottlenecks = rank_bottlenecks(simulated);
  result.cost = cost_of(scenario.layout, simulated.examples_per_s.mean);
  result.incomplete = simulation.incomplete;
  result.simulated = std::move(simulated);
  outcome.log = std::move(simulation.log);
  return outcome;
}

}  // namespace stagger
