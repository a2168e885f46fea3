#include "sim/config/cluster.hpp"

#include <fmt/format.h>

#include <utility>

namespace stagger {
namespace {

/// Gives each host its rack: first the hosts that are spread, one rack after another; then the others fill what is
/// left, rack by rack; groups in racks of their own come last. Returns the number of racks.
int place_in_racks(const PlatformSpec& platform, const std::vector<long long>& counts, int size,
                   std::vector<Cluster::Host>& hosts) {
  const auto is = [&](std::size_t group, RackPlacement placement) {
    return platform.hosts[group].placement == placement;
  };
  long long shared = 0;  // hosts outside racks of their own
  for (std::size_t g = 0; g < counts.size(); ++g)
    if (!is(g, RackPlacement::own)) shared += counts[g];
  int racks = static_cast<int>((shared + size - 1) / size);
  std::vector<int> used(static_cast<std::size_t>(racks), 0);

  const auto for_hosts_of = [&](RackPlacement placement, auto place) {
    std::size_t host = 0;
    for (std::size_t g = 0; g < counts.size(); ++g)
      for (long long i = 0; i < counts[g]; ++i, ++host)
        if (is(g, placement)) hosts[host].rack = place(i);
  };
  int next = 0;
  for_hosts_of(RackPlacement::spread, [&](long long) {
    while (used[static_cast<std::size_t>(next)] == size) next = (next + 1) % racks;
    const int rack = std::exchange(next, (next + 1) % racks);
    ++used[static_cast<std::size_t>(rack)];
    return rack;
  });
  int filling = 0;
  for_hosts_of(RackPlacement::in_order, [&](long long) {
    while (used[static_cast<std::size_t>(filling)] == size) ++filling;
    ++used[static_cast<std::size_t>(filling)];
    return filling;
  });
  for_hosts_of(RackPlacement::own, [&](long long i) {
    if (i % size == 0) ++racks;
    return racks - 1;
  });
  return racks;
}

int add_profile(Cluster& cluster, const std::optional<BandwidthProfile>& profile) {
  if (!profile) return -1;
  cluster.profiles.push_back(*profile);
  return static_cast<int>(cluster.profiles.size()) - 1;
}

}  // namespace

std::vector<int> Cluster::path(int from, int to) const {
  if (from == to) return {loopback(from)};
  const int a = hosts[static_cast<std::size_t>(from)].rack;
  const int b = hosts[static_cast<std::size_t>(to)].rack;
  if (racks == 0 || a == b) return {up(from), down(to)};
  return {up(from), rack_up(a), rack_down(b), down(to)};
}

Seconds Cluster::latency(int from, int to) const {
  Seconds sum{};
  for (const int each : path(from, to)) sum += link(each).latency;
  return model == NetworkModel::lv08 ? kLv08Latency * sum : sum;
}

BytesPerSecond Cluster::rate(int index) const {
  return model == NetworkModel::lv08 ? kLv08Bandwidth * link(index).goodput : link(index).goodput;
}

double Cluster::mean_share(int index, Seconds from, Seconds to) const {
  const int profile = link(index).profile;
  return profile < 0 ? 1.0 : stagger::mean_share(profiles[static_cast<std::size_t>(profile)], from, to);
}

BytesPerSecond Cluster::window_rate(int from, int to) const {
  const Seconds given = latency(from, to);
  if (model != NetworkModel::lv08 || given == Seconds{}) return kUnlimited;
  return kLv08Bandwidth * (kLv08Window / (2.0 / kLv08Latency * given));
}

Cluster make_cluster(const PlatformSpec& platform, const std::vector<long long>& counts) {
  const double efficiency = platform.network.efficiency;
  Cluster cluster{.model = platform.network.model, .sharing = platform.network.sharing};
  using enum Cluster::Direction;
  for (std::size_t g = 0; g < counts.size(); ++g) {
    const HostGroupSpec& group = platform.hosts[g];
    const int profile = add_profile(cluster, group.nic.profile);
    for (long long i = 0; i < counts[g]; ++i) {
      const std::string name = fmt::format("{}-{}", group.name, i);
      cluster.hosts.push_back({name, 0});
      cluster.links.push_back({name, up, efficiency * group.nic.up, group.nic.latency, profile});
      cluster.links.push_back({name, down, efficiency * group.nic.down, group.nic.latency, profile});
      cluster.links.push_back({name, loopback, platform.network.loopback, {}});
    }
  }
  if (!platform.topology.racks) return cluster;
  const RackSpec& racks = *platform.topology.racks;
  cluster.racks = place_in_racks(platform, counts, static_cast<int>(racks.size), cluster.hosts);
  const int profile = add_profile(cluster, racks.profile);
  for (int k = 0; k < cluster.racks; ++k)
    for (const auto direction : {up, down})
      cluster.links.push_back(
          {fmt::format("rack-{}", k), direction, efficiency * racks.uplink, racks.latency, profile});
  return cluster;
}

Cluster with_mean_bandwidths(Cluster cluster) {
  for (Cluster::Link& link : cluster.links) {
    if (link.profile < 0) continue;
    link.goodput = long_run_share(cluster.profiles[static_cast<std::size_t>(link.profile)]) * link.goodput;
    link.profile = -1;
  }
  return cluster;
}

}  // namespace stagger
