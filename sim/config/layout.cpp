#include "sim/config/layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/config/disturbances.hpp"
#include "sim/config/sync.hpp"

namespace stagger {
namespace {

/// Where the processes of one mapping go: `count` of them on consecutive hosts of a group.
struct Placement {
  std::size_t group = 0;
  long long first_host = 0;  // within the group
  long long count = 0;
  long long per_host = 1;
  long long hosts() const { return (count + per_host - 1) / per_host; }
};

constexpr long long kMostProcesses = 100'000;  // workers, servers or hosts
constexpr long long kNoLimit = std::numeric_limits<long long>::max();

std::string group_path(const char* list, std::size_t index, std::size_t size) {
  return size == 1 ? fmt::format("job.{}", list) : fmt::format("job.{}.{}", list, index);
}

/// Places the mappings of one list (workers or servers). A mapping that cannot be placed is reported and gets no
/// process.
template <class Group>
std::vector<Placement> place(const PlatformSpec& platform, const std::vector<Group>& groups, const char* list,
                             ReadContext& context) {
  std::vector<Placement> placements;
  long long total = 0;
  std::vector<long long> used(platform.hosts.size(), 0);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    const std::string path = group_path(list, i, groups.size());
    const auto found = std::ranges::find(platform.hosts, group.on, &HostGroupSpec::name);
    if (found == platform.hosts.end()) {
      std::vector<std::string> names;
      for (const auto& host : platform.hosts) names.push_back(host.name);
      context.problem_at(path + ".on", fmt::format("there is no host group '{}'", group.on),
                         "one of " + join_words(names));
      placements.push_back({});
      continue;
    }
    Placement placement{static_cast<std::size_t>(found - platform.hosts.begin()), 0, 0, group.per_host};
    placement.first_host = used[placement.group];
    if (!group.count && !found->count)
      context.problem_at(path, fmt::format("neither '{}' nor its host group '{}' has a count", list, group.on),
                         "a count in one of them");
    const long long slots = found->count ? (*found->count - placement.first_host) * group.per_host : kNoLimit;
    placement.count = group.count.value_or(found->count ? slots : 0);
    if (placement.count > slots || (placement.count < 1 && found->count))
      context.problem_at(path + ".count",
                         fmt::format("{} {} do not fit on the {} host{} of '{}' that are left, {} on each",
                                     placement.count, list, *found->count - placement.first_host,
                                     *found->count - placement.first_host == 1 ? "" : "s", group.on, group.per_host),
                         "a smaller count, more hosts, or a larger per_host");
    total += placement.count;
    if (total > kMostProcesses)
      context.problem_at(path, fmt::format("{} {} are more than can be simulated", total, list),
                         fmt::format("at most {}", kMostProcesses));
    used[placement.group] += placement.hosts();
    placements.push_back(placement);
  }
  return placements;
}

/// The number of hosts of each group: as given, or as many as the placements need.
std::vector<long long> host_counts(const PlatformSpec& platform, const std::vector<std::vector<Placement>>& lists) {
  std::vector<long long> counts;
  for (std::size_t g = 0; g < platform.hosts.size(); ++g) {
    long long needed = 0;
    for (const auto& placements : lists)
      for (const Placement& placement : placements)
        if (placement.group == g) needed = std::max(needed, placement.first_host + placement.hosts());
    counts.push_back(platform.hosts[g].count.value_or(needed));
  }
  return counts;
}

/// The mean of a duration that follows from several values may be absurd although none of them is.
void check_mean(Seconds mean, const std::string& path, ReadContext& context) {
  if (mean != Seconds{} && !physical(mean).holds(mean.si))
    context.problem_at(path, fmt::format("the mean comes to {:.3g} s", mean.si), physical(mean).expected);
}

Seconds compute_mean(const ScenarioSpec& scenario, const ComputeSpec& compute, long long batch,
                     const HostGroupSpec& host, const std::string& path, ReadContext& context) {
  const int ways = static_cast<int>(compute.mean.has_value()) + static_cast<int>(compute.examples_per_s.has_value()) +
                   static_cast<int>(compute.utilization.has_value());
  if (ways != 1)
    context.problem_at(path, ways == 0 ? "the compute time has no mean" : "the mean of the compute time is given twice",
                       "one of mean, examples_per_s and utilization");
  if (compute.mean) return *compute.mean;
  if (compute.examples_per_s) return Seconds{static_cast<double>(batch) / *compute.examples_per_s};
  if (!compute.utilization) return {};
  if (!host.speed)
    context.problem_at(path + ".utilization", fmt::format("the host group '{}' has no speed", host.name),
                       "speed: 14 TFLOPS in the host group");
  if (!scenario.model.forward_flops)
    context.problem_at(path + ".utilization", "the model has no forward FLOPs",
                       "a layer table, or forward_flops in the model");
  if (!host.speed || !scenario.model.forward_flops) return {};
  // A backward pass costs about twice a forward pass.
  return 3.0 * static_cast<double>(batch) / *compute.utilization * (*scenario.model.forward_flops / *host.speed);
}

/// Whole bytes by largest remainder: cumulative rounding keeps the sum exact and each shard within one byte of its
/// share.
std::vector<Bytes> make_shards(Bytes total, const std::vector<double>& shares) {
  std::vector<Bytes> shards;
  double share_sum = 0.0;
  double given = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    share_sum += shares[i];
    const double upto = i + 1 == shares.size() ? total.si : std::min(total.si, std::round(total.si * share_sum));
    shards.push_back(Bytes{upto - given});
    given = upto;
  }
  return shards;
}

void add_workers(Layout& layout, const ScenarioSpec& scenario, const std::vector<Placement>& placements,
                 const std::vector<long long>& first_host, ReadContext& context) {
  const auto& groups = scenario.job.workers;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const WorkerGroupSpec& group = groups[i];
    const Placement& placement = placements[i];
    const HostGroupSpec& host = scenario.platform.hosts[placement.group];
    const std::string path = group.compute ? group_path("workers", i, groups.size()) + ".compute" : "job.compute";
    const auto& compute = group.compute ? group.compute : scenario.job.compute;
    if (!compute) {
      context.problem_at(group_path("workers", i, groups.size()), "the workers have no compute time",
                         "compute: {mean: 2.1 s} in the job or here");
      continue;
    }
    const long long batch = group.batch.value_or(scenario.job.batch);
    const long long steps = scenario.job.local_steps;
    const Seconds mean = static_cast<double>(steps) * compute_mean(scenario, *compute, batch, host, path, context);
    check_mean(mean, path, context);
    const Distribution sum = sum_shape(compute->distribution, steps);
    for (long long k = 0; k < placement.count; ++k) {
      const long long h = placement.first_host + k / placement.per_host;
      layout.workers.push_back({fmt::format("{}-{}.{}", host.name, h, k % placement.per_host),
                                static_cast<int>(first_host[placement.group] + h), steps * batch, mean, sum, steps,
                                compute->distribution});
    }
  }
}

void add_servers(Layout& layout, const ScenarioSpec& scenario, const std::vector<Placement>& placements,
                 const std::vector<long long>& first_host, ReadContext& context) {
  const auto total =
      std::accumulate(placements.begin(), placements.end(), std::size_t{0},
                      [](std::size_t n, const Placement& p) { return n + static_cast<std::size_t>(p.count); });
  std::vector<double> shares = scenario.job.sharding.shares;
  if (shares.empty()) shares.assign(total, 1.0 / static_cast<double>(total));
  if (shares.size() != total)
    return context.problem_at("job.sharding.explicit", fmt::format("{} shares for {} servers", shares.size(), total),
                              "one share for each server");
  const std::vector<Bytes> shards = make_shards(scenario.model.bytes, shares);
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const ServerGroupSpec& group = scenario.job.servers[i];
    const std::string path = group_path("servers", i, placements.size()) + ".update";
    for (long long k = 0; k < placements[i].count; ++k) {
      const Bytes shard = shards[layout.servers.size()];
      const Seconds mean = group.update.fixed + shard / group.update.rate;
      if (mean.si > physical(mean).high) return check_mean(mean, path, context);
      const auto host = first_host[placements[i].group] + placements[i].first_host + k / placements[i].per_host;
      layout.servers.push_back({fmt::format("server-{}", layout.servers.size()), static_cast<int>(host),
                                static_cast<int>(group.threads), shard, mean, group.update.distribution});
    }
  }
}

}  // namespace

std::vector<double> Layout::weights() const {
  double total = 0.0;
  for (const Server& server : servers) total += server.shard.si;
  std::vector<double> weights;
  for (const Server& server : servers)
    weights.push_back(total > 0.0 ? server.shard.si / total : 1.0 / static_cast<double>(servers.size()));
  return weights;
}

Layout make_layout(const ScenarioSpec& scenario, ReadContext& context) {
  Layout layout;
  layout.exchange = scenario.job.exchange;
  layout.priority = scenario.job.priority;
  layout.sync = scenario.job.sync;
  const auto workers = place(scenario.platform, scenario.job.workers, "workers", context);
  const auto servers = place(scenario.platform, scenario.job.servers, "servers", context);
  if (!context.problems.empty()) return layout;
  const std::vector<long long> counts = host_counts(scenario.platform, {workers, servers});
  if (const long long hosts = std::accumulate(counts.begin(), counts.end(), 0LL); hosts > kMostProcesses) {
    context.problem_at("platform.hosts", fmt::format("{} hosts are more than can be simulated", hosts),
                       fmt::format("at most {}", kMostProcesses));
    return layout;
  }
  layout.cluster = make_cluster(scenario.platform, counts);
  std::vector<long long> first_host;
  for (std::size_t g = 0; g < counts.size(); ++g) {
    first_host.push_back(static_cast<long long>(layout.hosts.size()));
    const HostGroupSpec& group = scenario.platform.hosts[g];
    for (long long i = 0; i < counts[g]; ++i)
      layout.hosts.push_back({fmt::format("{}-{}", group.name, i), group.nic, group.price});
  }
  add_workers(layout, scenario, workers, first_host, context);
  add_servers(layout, scenario, servers, first_host, context);
  check_sync(layout.sync, static_cast<long long>(layout.workers.size()), layout.servers.size(), context);
  if (context.problems.empty()) disturb(layout, scenario.job.disturbances, context);
  return layout;
}

}  // namespace stagger
