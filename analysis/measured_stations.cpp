#include "analysis/measured_stations.hpp"

#include <algorithm>

#include "analysis/model.hpp"
#include "sim/result/measure.hpp"

namespace stagger {
namespace {

/// The stages of a worker's exchange that are spent at a station.
std::vector<Stage> stages_of(StationRole role) {
  switch (role) {
    case StationRole::compute:
      return {Stage::compute};
    case StationRole::latency:
      return {Stage::request, Stage::acknowledge};
    case StationRole::push:
      return {Stage::push};
    case StationRole::update:
      return {Stage::queue, Stage::service};
    case StationRole::pull:
      return {Stage::pull};
    case StationRole::network:
      return {Stage::push, Stage::pull};
  }
  return {};
}

bool is_transfer(Stage stage) { return stage == Stage::push || stage == Stage::pull; }

/// Mean one-way latency of the transfers, byte-weighted over servers.
double mean_latency_s(const Layout& layout) {
  const std::vector<double> weights = layout.weights();
  double sum = 0.0;
  for (std::size_t s = 0; s < layout.servers.size(); ++s)
    for (const Layout::Worker& worker : layout.workers)
      sum += weights[s] * layout.cluster.latency(worker.host, layout.servers[s].host).si;
  return sum / static_cast<double>(layout.workers.size());
}

/// The busiest link that carries transfers of these stages.
double link_utilization(const std::vector<Stage>& stages, const SimulatedResult& simulated) {
  double busiest = 0.0;
  for (const LinkResult& link : simulated.links) {
    const bool at_server =
        std::ranges::find(simulated.servers, link.name, &ServerResult::host) != simulated.servers.end();
    const auto carries = [&](Stage stage) {
      return (stage == Stage::push) == (at_server == (link.direction == "down"));
    };
    if (stages.size() > 1 || carries(stages.front())) busiest = std::max(busiest, link.utilization);
  }
  return busiest;
}

double update_utilization(const SimulatedResult& simulated) {
  return std::ranges::max(simulated.servers, {}, &ServerResult::update_utilization).update_utilization;
}

}  // namespace

std::vector<StationResult> measure_stations(const RunLog& log, const Layout& layout, std::size_t cut,
                                            const SimulatedResult& simulated) {
  std::vector<StationResult> results;
  const double latency_s = mean_latency_s(layout);
  double gradients_per_s = 0.0;
  for (const WorkerResult& worker : simulated.workers) gradients_per_s += worker.updates_per_s;
  const Model model = make_model(layout);
  for (std::size_t i = 0; i < model.stations.size(); ++i) {
    const Station& station = model.stations[i];
    const StationRole role = model.roles[i];
    StationResult& result =
        results.emplace_back(StationResult{station.name, to_text(station.kind()), station.demand_s});
    // The two transfers of a step spend their latencies in the stages push and pull.
    double latencies = role == StationRole::latency ? 2.0 : 0.0;
    for (const Stage stage : stages_of(role)) {
      const StageMean mean = measure_stage(log, layout, cut, stage);
      result.queue_mean += mean.occupancy;
      result.residence_s += mean.residence_s;
      if (stage == Stage::compute || stage == Stage::service) result.demand_s = mean.residence_s;
      if (is_transfer(stage)) latencies -= 1.0;
    }
    result.queue_mean = std::max(0.0, result.queue_mean + latencies * latency_s * gradients_per_s);
    result.residence_s = std::max(0.0, result.residence_s + latencies * latency_s);
    switch (role) {
      case StationRole::compute:
      case StationRole::latency:
        result.utilization = result.queue_mean / static_cast<double>(layout.workers.size());
        break;
      case StationRole::update:
        result.utilization = update_utilization(simulated);
        break;
      default:
        result.utilization = link_utilization(stages_of(role), simulated);
    }
  }
  return results;
}

}  // namespace stagger
