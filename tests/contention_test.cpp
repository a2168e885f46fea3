// Workers that meet on links which not all of them use. tests/layouts_simulation_test.cpp has its errors.
#include "analysis/contention.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/predict.hpp"

namespace stagger {
namespace {

constexpr double kNic = 1e8;
const NicSpec kHost{BytesPerSecond{kNic}, BytesPerSecond{kNic}, Seconds{}};

/// Workers and servers on hosts of their own numbers, all of one NIC; a model of 1e8 bytes, 1 s of computing.
Layout on_hosts(const std::vector<int>& workers, const std::vector<int>& servers, int hosts,
                const NicSpec& nic = kHost) {
  Layout layout;
  for (int h = 0; h < hosts; ++h) layout.hosts.push_back({fmt::format("h-{}", h), nic, {}});
  for (const int host : workers)
    layout.workers.push_back({fmt::format("h-{}.0", host), host, 1, Seconds{1.0}, {DistributionKind::gamma, 0.5, {}}});
  for (const int host : servers)
    layout.servers.push_back(
        {fmt::format("server-{}", host), host, 1, Bytes{1e8 / static_cast<double>(servers.size())}, Seconds{}, {}});
  return layout;
}

/// The links of the layout, in racks of `size` hosts behind `uplink`; 0: a star.
Layout wired(Layout layout, int size = 0, double uplink = 0.0) {
  PlatformSpec platform;
  for (const Layout::Host& host : layout.hosts) platform.hosts.push_back({host.name, 1, host.nic, {}, {}});
  if (size > 0) platform.topology.racks = RackSpec{size, BytesPerSecond{uplink}, Seconds{}, {}};
  layout.cluster = make_cluster(platform, std::vector<long long>(layout.hosts.size(), 1));
  return layout;
}

TEST(Contention, LeavesAStarAlone) {
  const Layout layout = wired(on_hosts({0, 1, 2}, {3, 4}, 5));
  const Contention contention = find_contention(layout);
  for (const LoneStep& step : contention.steps) EXPECT_DOUBLE_EQ(step.push_s, 1.0);
  // The servers' links serve all workers; a worker's own serve nobody else.
  EXPECT_EQ(contention.links[static_cast<std::size_t>(Cluster::down(3))], UsedBy::all);
  EXPECT_EQ(contention.links[static_cast<std::size_t>(Cluster::up(4))], UsedBy::all);
  EXPECT_EQ(contention.links[static_cast<std::size_t>(Cluster::up(0))], UsedBy::one);
}

// A worker and half of the model on each of two hosts: D = 0.5 s for a push and for a pull, Z = 1 s. Alone, a worker
// spends p = 0.5 / 2 of its step in each. Of two, each finds the other pulling (over the link that it sends on) with
// that probability while it pushes, and pushing while it pulls: 0.5 (1 + 1/4) each.
TEST(Contention, OfTwoHostsWithBothIsWhatAWorkerFinds) {
  const Contention contention = find_contention(wired(on_hosts({0, 1}, {0, 1}, 2)));
  for (const LoneStep& step : contention.steps) {
    EXPECT_DOUBLE_EQ(step.push_s, 0.625);
    EXPECT_DOUBLE_EQ(step.pull_s, 0.625);
  }
}

// Two hosts with two workers each, and a server with NICs that are never busy: two queueing networks for themselves,
// each Z = 1 s and two processor-sharing links of 1 s with two customers. By convolution G(1) = 1 + 2 = 3,
// G(2) = 1/2 + 2 + 3 = 5.5, X = 2 * 3 / 5.5. The recursion takes the workers of both hosts together and errs by -2.2 %.
TEST(Contention, OfWorkersOnOneHostIsNearlyThatOfItsOwnQueueingNetwork) {
  Layout layout = on_hosts({0, 0, 1, 1}, {2}, 3);
  layout.hosts[2].nic = {};
  EXPECT_NEAR(predict(wired(layout)).updates_per_s, 6.0 / 5.5, 0.025 * 6.0 / 5.5);
}

// All four on one host: that host's links are common to all, and the network is exact: Z = 1 and two links of 1 s with
// four customers. G(3) = 1/6 + 2/2 + 3 + 4 = 49/6, G(4) = 1/24 + 2/6 + 3/2 + 4 + 5 = 261/24.
TEST(Contention, OfAllWorkersOnOneHostIsExact) {
  Layout layout = on_hosts({0, 0, 0, 0}, {1}, 2);
  layout.hosts[1].nic = {};
  EXPECT_NEAR(predict(wired(layout)).updates_per_s, (49.0 / 6.0) / (261.0 / 24.0), 1e-12);
}

// Four workers in rack 0, the server alone in rack 1, whose uplink is half a NIC: common to all, 2 s.
TEST(Contention, CountsAnUplinkThatAllCrossAsAStation) {
  const Layout layout = wired(on_hosts({0, 1, 2, 3}, {4}, 5), 4, kNic / 2.0);
  const Contention contention = find_contention(layout);
  EXPECT_EQ(contention.links[static_cast<std::size_t>(layout.cluster.rack_down(1))], UsedBy::all);
  for (const LoneStep& step : contention.steps) EXPECT_DOUBLE_EQ(step.push_s, 2.0);
}

// With a worker beside the server, three share the uplink and one does not wait for it.
TEST(Contention, IsOnlyForThoseThatCrossTheUplink) {
  const Layout layout = wired(on_hosts({0, 1, 2, 3}, {4}, 5), 3, kNic / 2.0);
  const Contention contention = find_contention(layout);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(contention.steps[i].push_s, 2.5) << i;
  EXPECT_DOUBLE_EQ(contention.steps[3].push_s, 1.0);
}

// Five NICs together are the uplink's rate: it never fills, whatever crosses it.
TEST(Contention, IgnoresUplinksThatAreWideEnough) {
  for (const bool wide : {true, false}) {
    const double uplink = wide ? 5.0 * kNic : 0.7 * kNic;
    const Layout layout = wired(on_hosts({0, 1, 2, 3, 5, 6, 7, 8}, {4, 9}, 10), 5, uplink);
    EXPECT_EQ(find_contention(layout).steps.front().push_s > 1.0, !wide);
    EXPECT_EQ(is_oversubscribed(layout.cluster, 0), !wide);
  }
}

// Far more workers than the recursion counts one by one: as many hosts again do not change what a host's workers meet.
TEST(Contention, OfManyHostsIsThatOfFew) {
  const auto push_s = [](int hosts) {
    std::vector<int> workers;
    for (int i = 0; i < 4 * hosts; ++i) workers.push_back(i / 4);
    Layout layout = on_hosts(workers, {hosts}, hosts + 1);
    layout.hosts.back().nic = {};
    return find_contention(wired(layout)).steps.front().push_s;
  };
  EXPECT_NEAR(push_s(1000), push_s(100), 0.01 * push_s(100));
  EXPECT_GT(push_s(1000), 1.5);
}

}  // namespace
}  // namespace stagger
