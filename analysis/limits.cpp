#include "analysis/limits.hpp"

#include <algorithm>

#include "analysis/lone_step.hpp"
#include "analysis/long_run.hpp"
#include "sim/config/sync.hpp"

namespace stagger {
namespace {

/// No step takes less, on average.
double shortest_step_s(const LoneStep& step, const Layout& layout) {
  if (layout.servers.size() == 1) return step.total_s(layout.exchange);
  return step.compute_s +
         std::max({latencies_per_step(layout.exchange) * step.latency_s, step.push_s, step.update_s, step.pull_s});
}

/// The shortest time to move `bytes` both ways over the pair of links up and down, whichever is slower.
double pair_s(const Layout& layout, int up, int down, double bytes) {
  return std::max(bytes / layout.cluster.rate(up).si, bytes / layout.cluster.rate(down).si);
}

/// The servers and workers behind one pair of links.
struct Behind {
  double shard_bytes = 0.0;
  double lone_per_s = 0.0;  ///< of the workers there, who reach those servers without these links
};

double capacity_per_s(const Layout& layout, const std::vector<double>& lone_per_s) {
  const Cluster& cluster = layout.cluster;
  const std::vector<HostLoad> hosts = host_loads(layout);
  const double total_bytes = model_bytes(layout);
  double capacity = kInfinity;
  double workers_capacity = 0.0;
  std::vector<Behind> racks(static_cast<std::size_t>(cluster.racks));
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    const int host = static_cast<int>(h);
    const double shard_bytes = hosts[h].shard_bytes;
    const auto nic_s = [&](double bytes) { return pair_s(layout, Cluster::up(host), Cluster::down(host), bytes); };
    capacity = std::min(capacity, 1.0 / nic_s(shard_bytes) + lone_per_s[h]);
    if (cluster.racks > 0) {
      Behind& rack = racks[static_cast<std::size_t>(cluster.hosts[h].rack)];
      rack.shard_bytes += shard_bytes;
      rack.lone_per_s += lone_per_s[h];
    }
    if (hosts[h].workers == 0) continue;
    const double loopback_s = 2.0 * shard_bytes / cluster.rate(Cluster::loopback(host)).si;
    workers_capacity += 1.0 / std::max(nic_s(total_bytes - shard_bytes), loopback_s);
  }
  for (int k = 0; k < cluster.racks; ++k) {
    const Behind& rack = racks[static_cast<std::size_t>(k)];
    capacity = std::min(
        capacity, 1.0 / pair_s(layout, cluster.rack_up(k), cluster.rack_down(k), rack.shard_bytes) + rack.lone_per_s);
  }
  capacity = std::min(capacity, workers_capacity);
  for (const Layout::Server& server : layout.servers)
    capacity = std::min(capacity, server.threads / server.update_mean.si);
  return capacity;
}

bool new_better_than_used(const Distribution& update) {
  switch (update.kind) {
    case DistributionKind::deterministic:
    case DistributionKind::exponential:
    case DistributionKind::uniform:
      return true;
    case DistributionKind::gamma:
    case DistributionKind::weibull:
      return update.cv <= 1.0;
    case DistributionKind::lognormal:
    case DistributionKind::empirical:
      return false;
  }
  return false;
}

double crowded_per_s(const Layout& layout, const std::vector<LoneStep>& steps) {
  const Layout::Server& server = layout.servers.front();
  const bool equal_sharing = layout.cluster.sharing == Sharing::fair && layout.priority == Priority::none;
  const bool holds = changes(layout).empty() && is_asynchronous(layout.sync) && layout.servers.size() == 1 &&
                     equal_sharing && (server.update_mean.si == 0.0 || new_better_than_used(server.update));
  if (!holds) return 0.0;
  double sum = 0.0;
  for (const LoneStep& step : steps) {
    const double alone_s = step.compute_s + latencies_per_step(layout.exchange) * step.latency_s;
    const double contended_s = step.push_s + step.update_s + step.pull_s;
    sum += 1.0 / (alone_s + static_cast<double>(steps.size()) * contended_s);
  }
  return sum;
}

}  // namespace

Limits physical_limits(const Layout& layout) {
  const std::vector<LoneStep> steps = lone_steps(layout);
  std::vector<double> lone_per_s(layout.hosts.size(), 0.0);
  double sum_per_s = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double per_s = 1.0 / shortest_step_s(steps[i], layout);
    lone_per_s[static_cast<std::size_t>(layout.workers[i].host)] += per_s;
    sum_per_s += per_s;
  }
  const double capacity = capacity_per_s(layout, lone_per_s);
  return {crowded_per_s(layout, steps), std::min(sum_per_s, capacity), capacity};
}

}  // namespace stagger
