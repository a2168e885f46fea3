#include "sim/result/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/base/input_error.hpp"
#include "sim/result/statistics.hpp"

namespace stagger {
namespace {

constexpr std::size_t kMostBatches = 1024;
constexpr double kAlarm = 3.0;             // standard errors of a correlation: one false alarm in 700 runs
constexpr double kUpdatesPerBatch = 10.0;  // at least, so that a count is not just 0 or 1

std::size_t to_index(std::int32_t i) { return static_cast<std::size_t>(i); }

/// The part of a log that is measured.
struct Window {
  const RunLog& log;
  const Snapshot& first;
  const Snapshot& last;
  std::span<const UpdateRecord> updates;
  double time_s() const { return last.time_s - first.time_s; }
};

Window window_of(const RunLog& log, std::size_t cut) {
  const Snapshot& first = log.snapshots.at(cut);
  const Snapshot& last = log.snapshots.back();
  Window window{log, first, last, std::span(log.updates).subspan(first.updates, last.updates - first.updates)};
  if (window.updates.size() < 2 || !(window.time_s() > 0.0))
    throw SimulationError(
        fmt::format("only {} updates after warm-up: too few to measure; run longer (run.updates, run.time)",
                    window.updates.size()));
  return window;
}

/// Versions of one server, byte-weighted mean over servers.
double count_versions(std::span<const UpdateRecord> updates, const std::vector<double>& weights) {
  double versions = 0.0;
  for (const UpdateRecord& update : updates)
    if (update.new_version) versions += weights[to_index(update.server)];
  return versions;
}

double mean_staleness(std::span<const UpdateRecord> updates, const std::vector<double>& weights) {
  double sum = 0.0;
  double total = 0.0;
  for (const UpdateRecord& update : updates) {
    sum += weights[to_index(update.server)] * update.staleness;
    total += weights[to_index(update.server)];
  }
  return total > 0.0 ? sum / total : 0.0;
}

std::size_t batch_count(double updates) {
  return static_cast<std::size_t>(std::clamp(updates / kUpdatesPerBatch, 2.0, double{kMostBatches}));
}

/// Adds `amount` to intervals of equal length, in proportion to their part of the time from `from_s` to `to_s`.
void spread(double amount, double from_s, double to_s, double length_s, std::vector<double>& intervals) {
  const auto index = [&](double time_s) {
    return static_cast<std::size_t>(std::clamp(time_s / length_s, 0.0, static_cast<double>(intervals.size()) - 1.0));
  };
  const std::size_t last = index(to_s);
  for (std::size_t k = index(from_s); k < last; ++k) {
    const double end_s = static_cast<double>(k + 1) * length_s;
    const double part = amount * (end_s - from_s) / (to_s - from_s);
    intervals[k] += part;
    amount -= part;
    from_s = end_s;
  }
  intervals[last] += amount;
}

/// Mean staleness of consecutive, equally large groups of updates.
std::vector<double> staleness_series(const Window& window, const std::vector<double>& weights) {
  const std::size_t groups = batch_count(static_cast<double>(window.updates.size()));
  const std::size_t size = window.updates.size() / groups;
  std::vector<double> means;
  for (std::size_t g = 0; g < groups; ++g)
    means.push_back(mean_staleness(window.updates.subspan(window.updates.size() - (groups - g) * size, size), weights));
  return means;
}

StalenessResult measure_staleness(const Window& window, const Layout& layout) {
  const std::vector<double> weights = layout.weights();
  std::vector<double> applied(weights.size(), 0.0);
  for (const UpdateRecord& update : window.updates) applied[to_index(update.server)] += 1.0;
  StalenessResult result;
  for (const UpdateRecord& update : window.updates)
    result.max = std::max(result.max, static_cast<long long>(update.staleness));
  result.pmf.assign(static_cast<std::size_t>(result.max) + 1, 0.0);
  for (const UpdateRecord& update : window.updates)
    result.pmf[to_index(update.staleness)] += weights[to_index(update.server)] / applied[to_index(update.server)];
  const double total = std::accumulate(result.pmf.begin(), result.pmf.end(), 0.0);
  double square = 0.0;
  for (std::size_t i = 0; i < result.pmf.size(); ++i) {
    const auto k = static_cast<double>(i);
    result.pmf[i] /= total;  // a server without updates carries no weight
    result.mean += k * result.pmf[i];
    square += k * k * result.pmf[i];
  }
  result.p50 = percentile(result.pmf, 0.50);
  result.p90 = percentile(result.pmf, 0.90);
  result.p99 = percentile(result.pmf, 0.99);
  result.variance = std::max(0.0, square - result.mean * result.mean);
  result.standard_error = batch_means(staleness_series(window, weights)).standard_error;
  return result;
}

std::vector<WorkerResult> measure_workers(const Window& window, const Layout& layout) {
  const std::vector<double> weights = layout.weights();
  std::vector<WorkerResult> results(layout.workers.size());
  for (std::size_t w = 0; w < results.size(); ++w) results[w].name = layout.workers[w].name;
  for (const UpdateRecord& update : window.updates) {
    WorkerResult& worker = results[to_index(update.worker)];
    worker.updates += weights[to_index(update.server)];
    worker.staleness_mean += weights[to_index(update.server)] * update.staleness;
  }
  for (const DropRecord& drop : window.log.drops)
    if (drop.time_s > window.first.time_s && drop.time_s <= window.last.time_s)
      results[to_index(drop.worker)].dropped += weights[to_index(drop.server)];
  for (const StepRecord& step : window.log.steps) {
    if (step.ended_s <= window.first.time_s) continue;
    WorkerResult& worker = results[to_index(step.worker)];
    worker.compute_share += step.compute_s;
    worker.pull_share += step.pull_s;
    worker.push_share += step.push_s;
    worker.wait_share += step.wait_s;
  }
  for (WorkerResult& worker : results) {
    worker.updates_per_s = worker.updates / window.time_s();
    if (worker.updates > 0.0) worker.staleness_mean /= worker.updates;
    const double total = worker.compute_share + worker.pull_share + worker.push_share + worker.wait_share;
    if (total <= 0.0) continue;
    for (double* share : {&worker.compute_share, &worker.pull_share, &worker.push_share, &worker.wait_share})
      *share /= total;
  }
  return results;
}

double occupancy(const Window& window, std::size_t server, Stage stage) {
  const auto k = static_cast<std::size_t>(stage);
  return (window.last.servers[server][k].occupancy_s - window.first.servers[server][k].occupancy_s) / window.time_s();
}

double exits(const Window& window, std::size_t server, Stage stage) {
  const auto k = static_cast<std::size_t>(stage);
  return window.last.servers[server][k].exits - window.first.servers[server][k].exits;
}

std::vector<ServerResult> measure_servers(const Window& window, const Layout& layout) {
  std::vector<ServerResult> results;
  for (std::size_t s = 0; s < layout.servers.size(); ++s) {
    const Layout::Server& server = layout.servers[s];
    ServerResult& result = results.emplace_back();
    result.name = server.name;
    result.host = layout.hosts[static_cast<std::size_t>(server.host)].name;
    result.bytes_in = exits(window, s, Stage::push) * server.shard.si;
    result.bytes_out = exits(window, s, Stage::pull) * server.shard.si;
    result.update_utilization = occupancy(window, s, Stage::service) / server.threads;
    result.queue_mean = occupancy(window, s, Stage::queue) + occupancy(window, s, Stage::service);
  }
  for (const UpdateRecord& update : window.updates)
    if (update.new_version) results[to_index(update.server)].updates += 1.0;
  return results;
}

const char* direction_text(Cluster::Direction direction) {
  switch (direction) {
    case Cluster::Direction::up:
      return "up";
    case Cluster::Direction::down:
      return "down";
    case Cluster::Direction::loopback:
      return "loopback";
  }
  return "?";
}

/// All links but loopbacks without a limit.
std::vector<LinkResult> measure_links(const Window& window, const Layout& layout) {
  std::vector<LinkResult> results;
  for (std::size_t i = 0; i < layout.cluster.links.size(); ++i) {
    const Cluster::Link& link = layout.cluster.links[i];
    if (link.direction == Cluster::Direction::loopback && link.goodput == kUnlimited) continue;
    const double bytes = window.last.carried_bytes[i] - window.first.carried_bytes[i];
    const double capacity = link.goodput.si * window.time_s() *
                            layout.cluster.mean_share(static_cast<int>(i), {window.first.time_s}, {window.last.time_s});
    results.push_back({link.name, direction_text(link.direction), bytes, bytes > 0.0 ? bytes / capacity : 0.0});
  }
  return results;
}

/// Little's law as a self-check: counting who is in a stage and timing each visit must give the same; and no exchange
/// gets lost.
void check_balances(const Window& window, const Layout& layout) {
  const auto workers = static_cast<double>(layout.workers.size());
  const double tolerance = 1e-9 * workers * window.last.time_s + 1e-9;
  for (std::size_t s = 0; s < layout.servers.size(); ++s) {
    double total = 0.0;
    for (std::size_t k = 0; k < kStages; ++k) {
      const StageTotals& from = window.first.servers[s][k];
      const StageTotals& to = window.last.servers[s][k];
      const double counted = to.occupancy_s - from.occupancy_s;
      const double timed = to.residence_s - from.residence_s + to.age_s - from.age_s;
      total += counted;
      if (std::abs(counted - timed) > tolerance)
        throw SimulationError(fmt::format("Little's law does not hold at {}, stage {}: {} s counted, {} s timed",
                                          layout.servers[s].name, k, counted, timed));
    }
    if (std::abs(total - workers * window.time_s()) > tolerance)
      throw SimulationError(fmt::format("{}: exchanges were lost or doubled", layout.servers[s].name));
  }
}

}  // namespace

std::size_t find_cut(const RunLog& log, const Layout& layout, std::optional<long long> warmup) {
  const std::vector<double> weights = layout.weights();
  if (warmup) {
    double versions = 0.0;
    std::size_t at = 0;
    for (std::size_t cut = 0; cut < log.snapshots.size(); ++cut) {
      const std::size_t from = std::exchange(at, log.snapshots[cut].updates);
      versions += count_versions(std::span(log.updates).subspan(from, at - from), weights);
      if (versions >= static_cast<double>(*warmup) - 1e-9) return cut;
    }
    return log.snapshots.size() - 1;
  }
  std::vector<double> times;
  std::vector<double> staleness;
  // Only snapshots that are equally far apart in updates make a series; an extra one at the end is left out.
  const std::size_t stride = log.snapshots.size() > 1 ? log.snapshots[1].updates : 0;
  for (std::size_t i = 1; i < log.snapshots.size(); ++i) {
    const Snapshot& from = log.snapshots[i - 1];
    const Snapshot& to = log.snapshots[i];
    if (to.updates - from.updates != stride) break;
    times.push_back(to.time_s - from.time_s);
    staleness.push_back(mean_staleness(std::span(log.updates).subspan(from.updates, stride), weights));
  }
  return std::max(mser_cut(times), mser_cut(staleness));
}

double updates_after(const RunLog& log, const Layout& layout, std::size_t cut) {
  return count_versions(std::span(log.updates).subspan(log.snapshots.at(cut).updates), layout.weights());
}

BatchMeans measure_throughput(const RunLog& log, const Layout& layout, std::size_t cut) {
  const Window window = window_of(log, cut);
  const std::vector<double> weights = layout.weights();
  std::vector<double> rates(batch_count(count_versions(window.updates, weights)), 0.0);
  const double length_s = window.time_s() / static_cast<double>(rates.size());
  std::vector<double> last_s(weights.size(), 0.0);  // version of each server, from the start of the window
  for (const UpdateRecord& update : window.updates) {
    if (!update.new_version) continue;
    const std::size_t server = to_index(update.server);
    const double ended_s = update.ended_s - window.first.time_s;
    spread(weights[server] / length_s, std::exchange(last_s[server], ended_s), ended_s, length_s, rates);
  }
  return batch_means(rates);
}

Interval to_interval(const BatchMeans& means, double confidence) {
  const double half = half_width(means, confidence);
  return {means.mean, std::max(0.0, means.mean - half), means.mean + half, confidence, means.standard_error};
}

SimulatedResult measure(const RunLog& log, const Layout& layout, std::size_t cut, double confidence) {
  const Window window = window_of(log, cut);
  check_balances(window, layout);
  SimulatedResult result;
  result.time_s = window.time_s();
  result.warmup_s = window.first.time_s;
  result.updates = updates_after(log, layout, cut);
  result.warmup_updates = updates_after(log, layout, 0) - result.updates;
  const BatchMeans throughput = measure_throughput(log, layout, cut);
  result.updates_per_s = to_interval(throughput, confidence);
  if (throughput.correlated(kAlarm))
    result.warnings.push_back(
        "parts of the run still depend on each other: the intervals may be too narrow; run longer");
  result.staleness = measure_staleness(window, layout);
  result.workers = measure_workers(window, layout);
  result.servers = measure_servers(window, layout);
  result.links = measure_links(window, layout);
  return result;
}

StageMean measure_stage(const RunLog& log, const Layout& layout, std::size_t cut, Stage stage) {
  const Window window = window_of(log, cut);
  const std::vector<double> weights = layout.weights();
  StageMean mean;
  for (std::size_t s = 0; s < layout.servers.size(); ++s) {
    const auto k = static_cast<std::size_t>(stage);
    const double stayed = window.last.servers[s][k].residence_s - window.first.servers[s][k].residence_s;
    mean.occupancy += weights[s] * occupancy(window, s, stage);
    if (const double n = exits(window, s, stage); n > 0.0) mean.residence_s += weights[s] * stayed / n;
  }
  return mean;
}

}  // namespace stagger
