#include "analysis/solve_job.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "analysis/first_come_updates.hpp"

namespace stagger {
namespace {

/// One class, of averages.
SolvedJob with_averages(const Layout& layout, const Contention& contention, const CrossTraffic& cross = {}) {
  SolvedJob job;
  job.method = "MVA";
  job.model = make_model(layout, contention, cross);
  MvaResult solution = solve_mva(job.model.stations, static_cast<int>(layout.workers.size()));
  job.gradients_per_s = solution.throughput_per_s;
  job.fewer_per_s = solution.fewer_per_s;
  job.examples_per_s = job.gradients_per_s * job.model.batch;
  job.stations = std::move(solution.stations);
  return job;
}

/// As a worker sees it: with one customer less (arrival theorem).
double utilization_of(const SolvedJob& job, StationRole role) {
  for (std::size_t i = 0; i < job.model.roles.size(); ++i)
    if (job.model.roles[i] == role || job.model.roles[i] == StationRole::network)
      return job.fewer_per_s / job.gradients_per_s * job.stations[i].utilization;
  return 0.0;
}

/// The fixed point's map is a contraction, 5 % of a utilization on a utilization.
SolvedJob with_cross_traffic(const Layout& layout, const Contention& contention) {
  CrossTraffic cross;
  for (;;) {
    SolvedJob job = with_averages(layout, contention, cross);
    const CrossTraffic next{utilization_of(job, StationRole::push), utilization_of(job, StationRole::pull)};
    const double change =
        std::max(std::abs(next.of_pushes - cross.of_pushes), std::abs(next.of_pulls - cross.of_pulls));
    job.method = "MVA, TCP cross-traffic by a fixed point";
    if (change < 1e-9) return job;
    cross = next;
  }
}

/// The shares that kinds have of the steps of a job solved with averages: as without contention, 1 / lone step.
void share_averages(SolvedJob& job, const std::vector<WorkerKind>& kinds, Exchange exchange) {
  double sum = 0.0;
  for (const WorkerKind& kind : kinds) sum += kind.workers / kind.step.total_s(exchange);
  for (const WorkerKind& kind : kinds) {
    const double share = 1.0 / (kind.step.total_s(exchange) * sum);
    const double others = kinds.size() == 1 ? 1.0 : (1.0 - share) * job.gradients_per_s / job.fewer_per_s;
    job.kinds.push_back({kind, share * job.gradients_per_s, others * job.fewer_per_s});
  }
}

double demand_of(StationRole role, const LoneStep& step, Exchange exchange) {
  switch (role) {
    case StationRole::compute:
      return step.compute_s;
    case StationRole::latency:
      return latencies_per_step(exchange) * step.latency_s;
    case StationRole::push:
      return step.push_s;
    case StationRole::update:
      return step.update_s;
    case StationRole::pull:
      return step.pull_s;
    case StationRole::network:
      return step.push_s + step.pull_s;
  }
  return 0.0;
}

/// Station i of the model, and as station i + number of the model's stations the delay of each kind beside it.
MulticlassNetwork network_of(const Model& model, const std::vector<WorkerKind>& kinds, Exchange exchange) {
  MulticlassNetwork network;
  const std::size_t stations = model.stations.size();
  network.demands_s.assign(kinds.size(), std::vector<double>(2 * stations, 0.0));
  for (const WorkerKind& kind : kinds) network.customers.push_back(kind.workers);
  for (std::size_t i = 0; i < stations; ++i) {
    const auto demand = [&](const WorkerKind& kind) { return demand_of(model.roles[i], kind.step, exchange); };
    const auto [least, most] = std::ranges::minmax(kinds, {}, demand);
    const Station& station = model.stations[i];
    const bool as_it_is = station.kind() == StationKind::delay || demand(most) - demand(least) <= 1e-9 * demand(most);
    const double saturated_s = station.saturated_demand_s();
    const double common_s = std::max(demand(least), saturated_s);
    network.stations.push_back({station.name, as_it_is ? station.parallelism : common_s / saturated_s});
    for (std::size_t c = 0; c < kinds.size(); ++c) {
      const double alone_s = demand(kinds[c]);
      const double shared_s = as_it_is ? alone_s : std::min(alone_s, common_s);
      network.demands_s[c][i] = shared_s;
      network.demands_s[c][stations + i] = alone_s - shared_s;
    }
  }
  for (std::size_t i = 0; i < stations; ++i)
    network.stations.push_back({model.stations[i].name + ", own part", std::numeric_limits<double>::infinity()});
  return network;
}

/// The stations of the model: with their own parts, over all kinds.
std::vector<MvaStation> joined(const MulticlassResult& solved, std::size_t stations, double gradients_per_s) {
  std::vector<MvaStation> result(stations);
  for (std::size_t i = 0; i < stations; ++i) {
    result[i].utilization = solved.utilization[i];
    for (const std::vector<double>& queues : solved.queue_mean)
      result[i].queue_mean += queues[i] + queues[stations + i];
    result[i].residence_s = result[i].queue_mean / gradients_per_s;
  }
  return result;
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// The rate of all with one worker of kind c less.
double without_one(MulticlassNetwork network, std::size_t c) {
  --network.customers[c];
  return sum_of(solve_multiclass(network).throughput_per_s);
}

SolvedJob with_kinds(const Layout& layout, const Contention& contention, const std::vector<WorkerKind>& kinds) {
  SolvedJob job;
  job.model = make_model(layout, contention);
  MulticlassNetwork network = network_of(job.model, kinds, layout.exchange);
  const MulticlassResult solved = solve_multiclass(network);
  job.method = solved.method;
  job.exact = solved.iterations == 0;
  job.gradients_per_s = sum_of(solved.throughput_per_s);
  job.stations = joined(solved, job.model.stations.size(), job.gradients_per_s);
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    const double others_per_s = solved.fewer_per_s.empty() ? without_one(network, c) : solved.fewer_per_s[c];
    const double rate = solved.throughput_per_s[c];
    job.kinds.push_back({kinds[c], rate / kinds[c].workers, others_per_s});
    job.examples_per_s += rate * static_cast<double>(layout.workers[kinds[c].first].batch);
    job.fewer_per_s += rate / job.gradients_per_s * others_per_s;
  }
  job.classes = std::move(network);
  return job;
}

}  // namespace

std::string method_text(const SolvedJob& job) {
  if (job.corrected) return job.method + ", corrected for first-come service";
  return job.exact ? "exact " + job.method : job.method;
}

SolvedJob solve_network(const Layout& layout) {
  const Contention contention = find_contention(layout);
  const std::vector<WorkerKind> kinds = kinds_of(layout, contention.steps);
  const bool lv08 = layout.cluster.model == NetworkModel::lv08;
  if (kinds.size() > 1 && !lv08) return with_kinds(layout, contention, kinds);
  SolvedJob job = lv08 ? with_cross_traffic(layout, contention) : with_averages(layout, contention);
  job.exact = !lv08;
  share_averages(job, kinds, layout.exchange);
  return job;
}

SolvedJob solve_job(const Layout& layout) {
  SolvedJob job = solve_network(layout);
  if (const auto update = job.model.update)
    job.update_wait_s = job.stations[*update].residence_s - job.model.stations[*update].demand_s;
  correct_for_first_come(layout, job);
  return job;
}

}  // namespace stagger
