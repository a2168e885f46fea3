#include "analysis/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/bounds.hpp"
#include "analysis/coverage.hpp"
#include "analysis/limits.hpp"
#include "analysis/long_run.hpp"
#include "analysis/predict_staleness.hpp"
#include "analysis/sensitivity.hpp"
#include "analysis/solve_job.hpp"
#include "sim/config/sync.hpp"

namespace stagger {
namespace {

std::vector<StationResult> station_results(const SolvedJob& job) {
  const Network& network = job.model.stations;
  std::vector<StationResult> results;
  for (std::size_t i = 0; i < network.size(); ++i) {
    const MvaStation& solved = job.stations[i];
    results.push_back({network[i].name, to_text(network[i].kind()), network[i].demand_s, solved.utilization,
                       solved.queue_mean, solved.residence_s});
  }
  return results;
}

/// Transfers that the TCP window slows more than any link on their path does.
std::vector<std::string> window_warnings(const Layout& layout) {
  const Cluster& cluster = layout.cluster;
  for (const Layout::Worker& worker : layout.workers)
    for (const Layout::Server& server : layout.servers) {
      const BytesPerSecond window = cluster.window_rate(worker.host, server.host);
      const auto slower = [&](int link) { return cluster.rate(link) <= window; };
      if (server.shard > Bytes{} && window < kUnlimited &&
          !std::ranges::any_of(cluster.path(worker.host, server.host), slower))
        return {fmt::format("the TCP window of {} limits a transfer between {} and {} to {}, less than its links",
                            to_human(kLv08Window), worker.name, server.name, to_human(window))};
    }
  return {};
}

std::string method_for(const Layout& layout, const SolvedJob& job, bool is_covered) {
  if (!is_asynchronous(layout.sync)) return "MVA of the asynchronous job";
  return job.exact && !job.corrected && !is_covered ? job.method + ", approximate" : method_text(job);
}

/// The workers that never leave, or one, should no others be there at times.
long long always_here(const Layout& layout) {
  return std::max(1LL, static_cast<long long>(std::ranges::count_if(
                           layout.workers, [](const auto& worker) { return worker.away.empty(); })));
}

/// Where the asymptotes cross, N* = lone step / largest use of one resource, with the links that are no stations too.
double knee_workers(const Layout& layout, const Model& model) {
  if (model.local_s == 0.0) return knee_customers(model.stations);
  double busiest_s = model.local_s;
  for (const Station& station : model.stations) busiest_s = std::max(busiest_s, station.saturated_demand_s());
  double lone_per_s = 0.0;
  for (const LoneStep& step : lone_steps(layout)) lone_per_s += 1.0 / step.total_s(layout.exchange);
  return static_cast<double>(layout.workers.size()) / lone_per_s / busiest_s;
}

}  // namespace

PredictedResult predict(const Layout& given) {
  const Layout layout = in_the_long_run(given);
  const int workers = static_cast<int>(layout.workers.size());
  const SolvedJob job = solve_job(layout);
  const Model& model = job.model;
  const Limits limits = physical_limits(given);
  const auto per_version = static_cast<double>(gradients_per_version(layout.sync, workers));

  PredictedResult result;
  result.not_covered = changes(given);
  std::ranges::move(broken_assumptions(layout, job), std::back_inserter(result.not_covered));
  result.method = method_for(layout, job, result.not_covered.empty());
  result.warnings = window_warnings(layout);
  result.updates_per_s = job.gradients_per_s / per_version;
  result.examples_per_s = job.examples_per_s;
  // Who begins a cancelled step anew may be luckier the second time.
  const bool cancels = cancels_steps(layout.sync);
  ThroughputBounds bounds{limits.lower_per_s, cancels ? limits.capacity_per_s : limits.upper_per_s};
  // The one class of averages has other shares of the kinds than the job, and its bounds do not hold for several.
  if (result.not_covered.empty() && job.classes.customers.empty()) {
    const ThroughputBounds network = tightest_bounds(model.stations, workers);
    bounds.lower_per_s = std::max(bounds.lower_per_s, network.lower_per_s);
    bounds.upper_per_s = std::min(bounds.upper_per_s, network.upper_per_s);
  }
  const auto least = static_cast<double>(gradients_per_version(layout.sync, always_here(given)));
  result.bounds = {bounds.lower_per_s / per_version, bounds.upper_per_s / least};
  result.capacity_upper_updates_per_s = limits.capacity_per_s / least;
  result.knee_workers = knee_workers(layout, model);
  result.staleness = predict_staleness(layout, job);
  result.sensitivities = sensitivities(layout, job);
  result.stations = station_results(job);
  return result;
}

}  // namespace stagger
