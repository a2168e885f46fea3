// From a scenario to hosts, workers and servers one by one: placement, shards and mean times, worked out by hand.
#include "sim/config/layout.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/base/child_process.hpp"

namespace stagger {
namespace {

using Names = std::vector<std::string>;

HostGroupSpec hosts(const std::string& name, std::optional<long long> count = {}) {
  HostGroupSpec group;
  group.name = name;
  group.count = count;
  return group;
}

template <class Group>
Group processes(const std::string& on, std::optional<long long> count = {}, long long per_host = 1) {
  Group group;
  group.on = on;
  group.count = count;
  group.per_host = per_host;
  return group;
}
constexpr auto workers = processes<WorkerGroupSpec>;
constexpr auto servers = processes<ServerGroupSpec>;

/// One worker and one server, whose step takes a second.
ScenarioSpec small() {
  ScenarioSpec spec;
  spec.platform.hosts = {hosts("worker"), hosts("server")};
  spec.model.bytes = Bytes{100.0};
  spec.job.workers = {workers("worker", 1, 1)};
  spec.job.servers = {servers("server", 1, 1)};
  spec.job.compute = ComputeSpec{Seconds{1.0}, {}, {}, {}};
  return spec;
}

Layout layout_of(const ScenarioSpec& spec) {
  Sources sources;
  ReadContext context{sources};
  Layout layout = make_layout(spec, context);
  for (const InputProblem& problem : context.problems) ADD_FAILURE() << problem.what;
  return layout;
}

std::string problem_of(const ScenarioSpec& spec) {
  Sources sources;
  ReadContext context{sources};
  (void)make_layout(spec, context);
  EXPECT_LE(context.problems.size(), 1U);
  return context.problems.empty() ? "none" : context.problems[0].where + ": " + context.problems[0].what;
}

template <class T>
Names names_of(const std::vector<T>& things) {
  Names names;
  for (const T& thing : things) names.push_back(thing.name);
  return names;
}

/// The host's name of each worker or server.
template <class T>
Names homes_of(const Layout& layout, const std::vector<T>& processes) {
  Names homes;
  for (const T& process : processes) homes.push_back(layout.hosts.at(static_cast<std::size_t>(process.host)).name);
  return homes;
}

TEST(Layout, FillsTheHostsInOrder) {
  ScenarioSpec spec = small();
  spec.platform.hosts[0].count = 4;
  spec.job.workers = {workers("worker", 7, 3)};
  const Layout layout = layout_of(spec);
  EXPECT_EQ(names_of(layout.hosts), (Names{"worker-0", "worker-1", "worker-2", "worker-3", "server-0"}));
  EXPECT_EQ(names_of(layout.workers),
            (Names{"worker-0.0", "worker-0.1", "worker-0.2", "worker-1.0", "worker-1.1", "worker-1.2", "worker-2.0"}));
  EXPECT_EQ(homes_of(layout, layout.workers),
            (Names{"worker-0", "worker-0", "worker-0", "worker-1", "worker-1", "worker-1", "worker-2"}));
  EXPECT_EQ(homes_of(layout, layout.servers), Names{"server-0"});
}

TEST(Layout, AMappingStartsAtTheFirstHostThatItsListHasNotUsed) {
  ScenarioSpec spec = small();
  spec.platform.hosts = {hosts("a", 5), hosts("b", 2)};
  spec.job.workers = {workers("a", 3, 2), workers("b", 1, 1), workers("a", {}, 1)};
  spec.job.servers = {servers("b", 1, 1), servers("a", 2, 2)};  // another list begins at host 0 again
  const Layout layout = layout_of(spec);
  EXPECT_EQ(names_of(layout.workers), (Names{"a-0.0", "a-0.1", "a-1.0", "b-0.0", "a-2.0", "a-3.0", "a-4.0"}));
  EXPECT_EQ(homes_of(layout, layout.servers), (Names{"b-0", "a-0", "a-0"}));
  EXPECT_EQ(names_of(layout.servers), (Names{"server-0", "server-1", "server-2"}));
}

TEST(Layout, AsManyWorkersAsFitOrAsManyHostsAsAreNeeded) {
  ScenarioSpec spec = small();
  spec.platform.hosts = {hosts("worker", 3), hosts("server"), hosts("spare")};
  spec.job.workers = {workers("worker", {}, 4)};  // 3 hosts, 4 on each
  spec.job.servers = {servers("server", 5, 2)};   // 5 servers, 2 on a host: 3 hosts
  const Layout layout = layout_of(spec);
  EXPECT_EQ(layout.workers.size(), 12U);
  EXPECT_EQ(names_of(layout.hosts), (Names{"worker-0", "worker-1", "worker-2", "server-0", "server-1", "server-2"}));
}

TEST(Layout, WhatDoesNotFitIsRefused) {
  ScenarioSpec spec = small();
  spec.platform.hosts[0].count = 2;
  spec.job.workers = {workers("worker", 5, 2)};
  EXPECT_EQ(problem_of(spec),
            "job.workers.count: 5 workers do not fit on the 2 hosts of 'worker' that are left, 2 on each");
  spec.job.workers = {workers("worker", 3, 2), workers("worker", 1, 1)};
  EXPECT_EQ(problem_of(spec),
            "job.workers.1.count: 1 workers do not fit on the 0 hosts of 'worker' that are left, 1 on each");
  spec.job.workers = {workers("worker", 4, 2), workers("worker", {}, 1)};
  EXPECT_NE(problem_of(spec), "none");
  spec.job.workers = {workers("worker", {}, 1)};
  spec.platform.hosts[0].count.reset();
  EXPECT_EQ(problem_of(spec), "job.workers: neither 'workers' nor its host group 'worker' has a count");
}

TEST(Layout, MoreProcessesThanAnyoneCanSimulateAreRefused) {
  ScenarioSpec spec = small();
  spec.platform.hosts[0].count = 1'000'000;
  spec.job.workers = {workers("worker", {}, 1'000'000)};  // 10^12 of them
  const ChildOutcome child = run_in_child([&] {
    ::alarm(2);  // before the memory is full
    return problem_of(spec);
  });
  EXPECT_TRUE(child.succeeded) << child.error;
  EXPECT_NE(child.output, "none");
}

TEST(Layout, ShardsAreWholeBytesThatAddUpToTheModel) {
  for (const double total : {0.0, 1.0, 100.0, 101.0, 1e9 + 7.0, 1e14 + 1.0})
    for (const int n : {1, 2, 3, 7, 64}) {
      ScenarioSpec spec = small();
      spec.model.bytes = Bytes{total};
      spec.job.servers = {servers("server", n, 1)};
      double sum = 0.0;
      for (const Layout::Server& server : layout_of(spec).servers) {
        EXPECT_EQ(server.shard.si, std::floor(server.shard.si));
        EXPECT_LE(std::abs(server.shard.si - total / n), 1.0) << total << " over " << n;
        sum += server.shard.si;
      }
      EXPECT_EQ(sum, total) << n;
    }
}

std::vector<double> shards_of(double bytes, const std::vector<double>& shares) {
  ScenarioSpec spec = small();
  spec.model.bytes = Bytes{bytes};
  spec.job.servers = {servers("server", static_cast<long long>(shares.size()), 1)};
  spec.job.sharding.shares = shares;
  std::vector<double> shards;
  for (const Layout::Server& server : layout_of(spec).servers) shards.push_back(server.shard.si);
  return shards;
}

TEST(Layout, ExplicitSharesAreRoundedToBytes) {
  EXPECT_EQ(shards_of(100.0, {0.8, 0.2}), (std::vector{80.0, 20.0}));
  EXPECT_EQ(shards_of(101.0, {0.8, 0.2}), (std::vector{81.0, 20.0}));           // 80.8 and 20.2
  EXPECT_EQ(shards_of(10.0, {0.25, 0.25, 0.5}), (std::vector{3.0, 2.0, 5.0}));  // up to 2.5, 5 and 10
}

TEST(Layout, SharesThatAddUpToALittleLessThanOneLoseNothing) {
  EXPECT_EQ(shards_of(1e12, {0.5, 0.5 - 5e-10}), (std::vector{5e11, 5e11}));
}

TEST(Layout, NoShardIsNegativeAlthoughSharesMayAddUpToALittleMoreThanOne) {
  const std::vector<double> shards = shards_of(1e12, {0.5, 0.5 + 5e-10, 1e-10});
  EXPECT_GE(std::ranges::min(shards), 0.0);
  EXPECT_EQ(std::accumulate(shards.begin(), shards.end(), 0.0), 1e12);
}

TEST(Layout, TheMeanOfAStepIsGivenInThreeWays) {
  ScenarioSpec spec = small();
  spec.job.batch = 64;
  spec.model.forward_flops = Flops{2e9};
  spec.platform.hosts[0].speed = FlopsPerSecond{4e12};
  const auto mean = [&](const ComputeSpec& compute) {
    spec.job.compute = compute;
    return layout_of(spec).workers[0].compute_mean.si;
  };
  EXPECT_DOUBLE_EQ(mean({Seconds{2.1}, {}, {}, {}}), 2.1);
  EXPECT_DOUBLE_EQ(mean({{}, 30.5, {}, {}}), 64.0 / 30.5);
  // Forward and backward 3 * 2 GFLOP * 64 examples = 384 GFLOP at half of 4 TFLOPS.
  EXPECT_DOUBLE_EQ(mean({{}, {}, 0.5, {}}), 0.192);
}

TEST(Layout, AGroupsOwnBatchAndComputeComeFirst) {
  ScenarioSpec spec = small();
  spec.job.batch = 10;
  spec.job.compute = ComputeSpec{{}, 5.0, {}, {}};
  spec.job.workers = {workers("worker", 1, 1), workers("worker", 1, 1), workers("worker", 1, 1)};
  spec.job.workers[1].batch = 20;
  spec.job.workers[2].compute = ComputeSpec{Seconds{7.0}, {}, {}, {DistributionKind::gamma, 0.3, {}}};
  const Layout layout = layout_of(spec);
  EXPECT_DOUBLE_EQ(layout.workers[0].compute_mean.si, 2.0);  // 10 examples at 5 a second
  EXPECT_DOUBLE_EQ(layout.workers[1].compute_mean.si, 4.0);
  EXPECT_EQ(layout.workers[1].batch, 20);
  EXPECT_DOUBLE_EQ(layout.workers[2].compute_mean.si, 7.0);
  EXPECT_EQ(layout.workers[2].compute.cv, 0.3);
  EXPECT_EQ(layout.workers[2].batch, 10);
}

TEST(Layout, ThousandsOfWorkersShareTheirSamples) {
  ScenarioSpec spec = small();
  spec.job.compute->distribution = empirical_distribution(std::vector(20'000, 1.0)).shape;
  spec.job.workers = {workers("worker", 10'000, 1)};
  const Layout layout = layout_of(spec);
  EXPECT_EQ(layout.workers.size(), 10'000U);
  EXPECT_EQ(layout.workers.back().compute.values, spec.job.compute->distribution.values);
}

TEST(Layout, AnUpdateTakesAFixedTimeAndItsShardAtTheRate) {
  ScenarioSpec spec = small();
  spec.model.bytes = Bytes{50e6};
  spec.job.sharding.shares = {0.8, 0.2};
  spec.job.servers = {servers("server", 2, 1)};
  spec.job.servers[0].threads = 3;
  spec.job.servers[0].update = {Seconds{100e-6}, BytesPerSecond{4e9}, {DistributionKind::exponential, 1.0, {}}};
  const Layout layout = layout_of(spec);
  EXPECT_DOUBLE_EQ(layout.servers[0].update_mean.si, 0.0101);  // 100 us + 40 MB / 4 GBps
  EXPECT_DOUBLE_EQ(layout.servers[1].update_mean.si, 0.0026);  // 100 us + 10 MB / 4 GBps
  EXPECT_EQ(layout.servers[1].threads, 3);
  EXPECT_EQ(layout.servers[1].update.kind, DistributionKind::exponential);
}

TEST(Layout, TheLatencyOfAPathIsThatOfBothItsNics) {
  ScenarioSpec spec = small();
  spec.platform.network.efficiency = 0.5;
  spec.platform.hosts[0].nic = {BytesPerSecond{100.0}, BytesPerSecond{200.0}, Seconds{30e-6}};
  spec.platform.hosts[1].nic.latency = Seconds{20e-6};
  const Layout layout = layout_of(spec);
  EXPECT_DOUBLE_EQ(layout.cluster.latency(0, 1).si, 50e-6);
  EXPECT_DOUBLE_EQ(layout.cluster.latency(1, 0).si, 50e-6);
  EXPECT_EQ(layout.cluster.latency(0, 0).si, 0.0);
  EXPECT_EQ(layout.cluster.rate(Cluster::up(0)).si, 50.0);
  EXPECT_EQ(layout.cluster.rate(Cluster::down(0)).si, 100.0);
  EXPECT_EQ(layout.cluster.rate(Cluster::up(1)), kUnlimited);
}

TEST(Layout, AServersWeightIsItsShareOfTheBytes) {
  ScenarioSpec spec = small();
  spec.job.servers = {servers("server", 4, 1)};
  spec.job.sharding.shares = {0.1, 0.2, 0.3, 0.4};
  Layout layout = layout_of(spec);
  for (std::size_t s = 0; s < 4; ++s) EXPECT_DOUBLE_EQ(layout.weights()[s], spec.job.sharding.shares[s]);
  spec.model.bytes = Bytes{0.0};
  layout = layout_of(spec);
  for (std::size_t s = 0; s < 4; ++s) EXPECT_DOUBLE_EQ(layout.weights()[s], 0.25);
}

}  // namespace
}  // namespace stagger
