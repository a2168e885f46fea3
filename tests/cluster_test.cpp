// Clusters: where hosts stand, what paths they have, and how SimGrid shares their links, against shares worked out by
// hand.
#include "sim/config/cluster.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "sim/base/child_process.hpp"
#include "sim/engine/make_engine.hpp"

namespace stagger {
namespace {

HostGroupSpec group(const char* name, long long count, NicSpec nic = {},
                    RackPlacement placement = RackPlacement::in_order) {
  return {name, count, nic, {}, {}, placement};
}

Cluster cluster_of(std::vector<HostGroupSpec> groups, const std::optional<RackSpec>& racks,
                   NetworkModel model = NetworkModel::ideal) {
  PlatformSpec platform;
  platform.network.model = model;
  platform.topology.racks = racks;
  std::vector<long long> counts;
  for (const HostGroupSpec& each : groups) counts.push_back(*each.count);
  platform.hosts = std::move(groups);
  return make_cluster(platform, counts);
}

std::vector<int> racks_of(const Cluster& cluster) {
  std::vector<int> racks;
  for (const Cluster::Host& host : cluster.hosts) racks.push_back(host.rack);
  return racks;
}

const RackSpec kRacksOf3{3, BytesPerSecond{20.0}, Seconds{0.01}};
using Racks = std::vector<int>;

TEST(Racks, AreFilledInOrder) {
  const Cluster cluster = cluster_of({group("w", 5), group("s", 2)}, kRacksOf3);
  EXPECT_EQ(racks_of(cluster), (Racks{0, 0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(cluster.racks, 3);
}

// Seven hosts in racks of three: servers take one place in racks 0 and 1, workers fill what is left.
TEST(Racks, TakeSpreadHostsInTurn) {
  const Cluster cluster = cluster_of({group("w", 5), group("s", 2, {}, RackPlacement::spread)}, kRacksOf3);
  EXPECT_EQ(racks_of(cluster), (Racks{0, 0, 1, 1, 2, 0, 1}));
}

TEST(Racks, OfTheirOwnComeLast) {
  const Cluster cluster = cluster_of({group("s", 4, {}, RackPlacement::own), group("w", 4)}, kRacksOf3);
  EXPECT_EQ(racks_of(cluster), (Racks{2, 2, 2, 3, 0, 0, 0, 1}));
  EXPECT_EQ(cluster.racks, 4);
}

TEST(Racks, AddTheirUplinksToThePathsBetweenThem) {
  const Cluster cluster = cluster_of({group("w", 4, {kUnlimited, kUnlimited, Seconds{0.001}})}, kRacksOf3);
  EXPECT_EQ(cluster.path(0, 1), (std::vector<int>{Cluster::up(0), Cluster::down(1)}));
  EXPECT_EQ(cluster.path(0, 3),
            (std::vector<int>{Cluster::up(0), cluster.rack_up(0), cluster.rack_down(1), Cluster::down(3)}));
  EXPECT_NEAR(cluster.latency(0, 1).si, 0.002, 1e-15);
  EXPECT_NEAR(cluster.latency(0, 3).si, 0.022, 1e-15);
  EXPECT_EQ(cluster.link(cluster.rack_up(1)).name, "rack-1");
}

struct Flow {
  int from, to;
  double bytes;
  double start_s = 0.0;
};

/// When each of the flows ends, each starting at its time (in the order of their ends), and the bytes carried by then.
struct Ends {
  std::vector<double> times_s;
  std::vector<double> carried;
};

/// An actor of its own at both ends of each flow, so that none waits for another.
Ends run_flows(const Cluster& cluster, const std::vector<Flow>& flows, EngineKind kind = EngineKind::simgrid) {
  const ChildOutcome child = run_in_child([&] {
    const auto engine = make_engine(kind, cluster);
    std::vector<double> times(flows.size(), -1.0);
    nlohmann::json result;
    const auto n = static_cast<int>(flows.size());
    std::size_t ended = 0;
    for (int i = 0; i < n; ++i) {
      const Flow& flow = flows[static_cast<std::size_t>(i)];
      engine->add_actor(flow.from, "from", [i, n, flow](Port& port) {
        port.receive(Seconds{flow.start_s});
        port.send({n + i}, Message::of(i, Bytes{flow.bytes}));
      });
    }
    for (int i = 0; i < n; ++i)
      engine->add_actor(flows[static_cast<std::size_t>(i)].to, "to", [&, i](Port& port) {
        port.receive();
        times[static_cast<std::size_t>(i)] = port.now().si;
        if (++ended == flows.size()) result["carried"] = engine->carried_bytes();
      });
    engine->run();
    result["times"] = times;
    return result.dump();
  });
  EXPECT_TRUE(child.succeeded) << child.error;
  const auto json = nlohmann::json::parse(child.output);
  return {json["times"].get<std::vector<double>>(), json["carried"].get<std::vector<double>>()};
}

constexpr double kMega = 1e6;
NicSpec nic(double up, double down, double latency_s = 0.0) {
  return {BytesPerSecond{up * kMega}, BytesPerSecond{down * kMega}, Seconds{latency_s}};
}

class EitherEngine : public testing::TestWithParam<EngineKind> {};
INSTANTIATE_TEST_SUITE_P(Engines, EitherEngine, testing::Values(EngineKind::simgrid, EngineKind::fluid),
                         [](const auto& kind) { return kind.param == EngineKind::fluid ? "fluid" : "simgrid"; });

// Two racks of four, NICs of 10 MB/s, but host 4 receives 6; uplinks of 12 MB/s.
//   a: 0 -> 4, b: 1 -> 4, c: 2 -> 5 cross from rack 0 to rack 1; d: 1 -> 3 stays in rack 0; e: 6 -> 2 crosses the other
//   way.
// Max-min: a and b share what host 4 receives, 3 each; that leaves 12 - 6 = 6 of the uplink for c; d has what b leaves
// of host 1's NIC, 7; e is alone: 10. Each flow is given ten seconds' worth of bytes: all end at 10 s.
TEST_P(EitherEngine, SharesAnOversubscribedUplinkByMaxMinFairness) {
  const Cluster cluster =
      cluster_of({group("a", 4, nic(10, 10)), group("b", 1, nic(10, 6)), group("c", 3, nic(10, 10))},
                 RackSpec{4, BytesPerSecond{12 * kMega}, {}});
  const Ends ends = run_flows(
      cluster, {{0, 4, 30 * kMega}, {1, 4, 30 * kMega}, {2, 5, 60 * kMega}, {1, 3, 70 * kMega}, {6, 2, 100 * kMega}},
      GetParam());
  for (const double time : ends.times_s) EXPECT_NEAR(time, 10.0, 10.0 * 1e-6);
  EXPECT_NEAR(ends.carried[static_cast<std::size_t>(cluster.rack_up(0))], 120 * kMega, 1.0);
  EXPECT_NEAR(ends.carried[static_cast<std::size_t>(cluster.rack_down(1))], 120 * kMega, 1.0);
  EXPECT_NEAR(ends.carried[static_cast<std::size_t>(cluster.rack_up(1))], 100 * kMega, 1.0);
  EXPECT_NEAR(ends.carried[static_cast<std::size_t>(Cluster::up(1))], 100 * kMega, 1.0);
}

// One flow across racks waits 2 * 1 ms + 2 * 10 ms, then has 5 MB/s.
TEST_P(EitherEngine, PaysTheLatenciesOfBothUplinks) {
  const Cluster cluster =
      cluster_of({group("w", 6, nic(10, 10, 0.001))}, RackSpec{3, BytesPerSecond{5 * kMega}, Seconds{0.01}});
  const Ends ends = run_flows(cluster, {{0, 5, 10 * kMega}, {1, 2, 10 * kMega}}, GetParam());
  EXPECT_NEAR(ends.times_s[0], 0.022 + 2.0, 1e-9);
  EXPECT_NEAR(ends.times_s[1], 0.002 + 1.0, 1e-9);
}

// Three hosts send 10 MB to a fourth that receives 10 MB/s, at 0, 0.1 and 0.2 s; the second and third also send 5 MB
// each to a fifth, at 0 and 0.1 s. The fourth takes its three in turn: 1, 2, 3 s. At the fifth, the first comer has 10
// MB/s until 0.5 s, the other until 1 s.
TEST_P(EitherEngine, ReceivesFirstComeFirstServed) {
  Cluster cluster = cluster_of({group("w", 5, nic(10, 10))}, {});
  cluster.sharing = Sharing::fifo;
  const Ends ends = run_flows(cluster,
                              {{0, 3, 10 * kMega, 0.0},
                               {1, 3, 10 * kMega, 0.1},
                               {2, 3, 10 * kMega, 0.2},
                               {1, 4, 5 * kMega, 0.0},
                               {2, 4, 5 * kMega, 0.1}},
                              GetParam());
  const std::vector<double> expected{1.0, 2.0, 3.0, 0.5, 1.0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(ends.times_s[i], expected[i], 1e-9) << i;
}

// The sender's link of 10 MB/s is shared fairly by the two that are received at once, and a third waits for the first
// of its receiver: 10 MB each at 5 MB/s until 2 s, then the third alone, until 3 s.
TEST_P(EitherEngine, SharesTheSendingLinkFairlyEvenWhenReceivingInTurn) {
  Cluster cluster = cluster_of({group("w", 3, nic(10, 10))}, {});
  cluster.sharing = Sharing::fifo;
  const Ends ends =
      run_flows(cluster, {{0, 1, 10 * kMega, 0.0}, {0, 2, 10 * kMega, 0.0}, {0, 1, 10 * kMega, 0.1}}, GetParam());
  for (const auto& [flow, time] : {std::pair{0, 2.0}, {1, 2.0}, {2, 3.0}})
    EXPECT_NEAR(ends.times_s[static_cast<std::size_t>(flow)], time, 1e-9) << flow;
}

// Host 0 alone in its rack, whose uplink has 10 MB/s, 5 from 1 s on: 20 MB from there to host 1 take 1 + 10/5 s.
// Another host has 4 MB/s, nothing from 2 to 4 s, and so on every 4 s: of 12 MB, 8 are through by 2 s, the rest by 5 s.
TEST(Fluid, ChangesBandwidthsUnderWay) {
  RackSpec racks{1, BytesPerSecond{10 * kMega}, {}};
  racks.profile = {{}, {{Seconds{}, 1.0}, {Seconds{1.0}, 0.5}}};
  NicSpec changing = nic(4, 4);
  changing.profile = {Seconds{4.0}, {{Seconds{}, 1.0}, {Seconds{2.0}, 0.0}}};
  const Ends rack =
      run_flows(cluster_of({group("a", 2, nic(100, 100))}, racks), {{0, 1, 20 * kMega}}, EngineKind::fluid);
  EXPECT_NEAR(rack.times_s[0], 3.0, 1e-9);
  const Cluster star = cluster_of({group("a", 1, nic(100, 100)), group("b", 1, changing)}, {});
  const Ends flow = run_flows(star, {{0, 1, 12 * kMega}}, EngineKind::fluid);
  EXPECT_NEAR(flow.times_s[0], 5.0, 1e-9);
  EXPECT_DOUBLE_EQ(star.mean_share(Cluster::down(1), Seconds{1.0}, Seconds{3.0}), 0.5);
  EXPECT_DOUBLE_EQ(with_mean_bandwidths(star).link(Cluster::down(1)).goodput.si, 2 * kMega);
}

// Forty random clusters, racks or not, with sixty random flows each: both engines end each flow at the same time, to
// 1e-9 of it.
TEST(BothEngines, EndRandomFlowsOnRandomClustersTogether) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const auto mega = [&](double most) { return std::uniform_real_distribution(1.0, most)(random); };
    std::vector<HostGroupSpec> groups;
    for (int g = 0; g < 4; ++g)
      groups.push_back(group(fmt::format("g{}", g).c_str(), 3, nic(mega(20), mega(20), 1e-3 * mega(5))));
    const Cluster cluster =
        seed % 2 == 0 ? cluster_of(groups, RackSpec{4, BytesPerSecond{mega(30) * kMega}, {}}) : cluster_of(groups, {});
    std::vector<Flow> flows;
    for (int i = 0; i < 60; ++i) {
      const int from = static_cast<int>(random() % 12);
      const int to = (from + 1 + static_cast<int>(random() % 11)) % 12;
      flows.push_back({from, to, std::round(mega(50) * kMega), mega(10)});
    }
    const Ends a = run_flows(cluster, flows, EngineKind::simgrid);
    const Ends b = run_flows(cluster, flows, EngineKind::fluid);
    for (std::size_t i = 0; i < flows.size(); ++i)
      EXPECT_NEAR(a.times_s[i], b.times_s[i], 1e-9 * a.times_s[i]) << "flow " << i << ", seed " << seed;
  }
}

// LV08: 13.01 latencies, then 0.97 of the narrower link.
TEST(Lv08, ALoneFlowHasItsFactors) {
  const Cluster cluster = cluster_of({group("w", 2, nic(10, 4, 0.0001))}, {}, NetworkModel::lv08);
  const Ends ends = run_flows(cluster, {{0, 1, 10 * kMega}});
  EXPECT_NEAR(ends.times_s[0], 13.01 * 0.0002 + 10.0 / (0.97 * 4.0), 1e-6);
  EXPECT_NEAR(cluster.latency(0, 1).si, 13.01 * 0.0002, 1e-12);
}

// A message without bytes takes 13.01 latencies as well.
TEST(Lv08, AMessageWithoutBytesPaysTheSameLatency) {
  const Cluster cluster = cluster_of({group("w", 2, nic(10, 4, 0.0001))}, {}, NetworkModel::lv08);
  EXPECT_NEAR(run_flows(cluster, {{0, 1, 0.0}}).times_s[0], 13.01 * 0.0002, 1e-9);
}

// Two flows in opposite directions take 5 % of each other: x + 0.05 x = 10 MB/s, times 0.97.
TEST(Lv08, OppositeFlowsSlowEachOtherByTheirAcknowledgements) {
  const Cluster cluster = cluster_of({group("w", 2, nic(10, 10, 0.0001))}, {}, NetworkModel::lv08);
  const Ends ends = run_flows(cluster, {{0, 1, 97 * kMega}, {1, 0, 97 * kMega}});
  for (const double time : ends.times_s) EXPECT_NEAR(time, 13.01 * 0.0002 + 10.5, 1e-4);
}

// 20 ms one way: 0.97 * 4 MiB / (2 * 20 ms) = 101.7 MB/s of a link that has 1,000.
TEST(Lv08, TheWindowLimitsAFlowOnALongPath) {
  const Cluster cluster = cluster_of({group("w", 2, nic(1000, 1000, 0.01))}, {}, NetworkModel::lv08);
  const double rate = 0.97 * 4194304.0 / (2 * 0.02);
  EXPECT_NEAR(run_flows(cluster, {{0, 1, 1000 * kMega}}).times_s[0], 13.01 * 0.02 + 1000 * kMega / rate, 1e-4);
  EXPECT_NEAR(cluster.window_rate(0, 1).si, rate, 1e-6);
}

// NICs without a limit still have latencies, and the window counts.
TEST(Lv08, UnlimitedLinksKeepTheirLatency) {
  const Cluster cluster = cluster_of({group("w", 2, {kUnlimited, kUnlimited, Seconds{0.01}})}, {}, NetworkModel::lv08);
  const double rate = 0.97 * 4194304.0 / (2 * 0.02);
  EXPECT_NEAR(run_flows(cluster, {{0, 1, 100 * kMega}}).times_s[0], 13.01 * 0.02 + 100 * kMega / rate, 1e-4);
}

}  // namespace
}  // namespace stagger
