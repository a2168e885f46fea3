// From the log of a run to its results: a run that is small enough to work out by hand.
#include "sim/result/measure.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/base/input_error.hpp"
#include "tests/wired.hpp"

namespace stagger {
namespace {

/// Two workers with a host each, and servers with the given shards on a third.
Layout layout_with(const std::vector<double>& shards) {
  Layout layout;
  const NicSpec nic{BytesPerSecond{200.0}, BytesPerSecond{400.0}, {}};  // goodput 100 and 200 bytes/s
  layout.hosts = {{"a-0", nic, {}}, {"a-1", nic, {}}, {"server-0", nic, {}}};
  layout.workers = {{"a-0.0", 0, 1, Seconds{1.0}, {}}, {"a-1.0", 1, 1, Seconds{1.0}, {}}};
  for (std::size_t s = 0; s < shards.size(); ++s)
    layout.servers.push_back({"server-" + std::to_string(s), 2, 2, Bytes{shards[s]}, {}, {}});
  layout = wired(layout, 0.5);
  for (std::size_t i = 0; i < layout.cluster.links.size(); ++i) layout.cluster.links[i].name = layout.hosts[i / 3].name;
  return layout;
}

struct Update {
  double ended_s;
  int server, worker, staleness;
  bool new_version = true;
};

/// A log of 10 s. At each server the two workers spend 20 s in all: 10 computing, 4 pulling, 3 pushing, 1 in the
/// queue, 2 in service; all stays have ended.
RunLog log_of(const std::vector<Update>& updates, std::size_t servers = 1) {
  RunLog log;
  for (const Update& u : updates)
    log.updates.push_back({u.ended_s, u.ended_s, u.ended_s, u.server, u.worker, 1, u.staleness, u.new_version});
  std::array<StageTotals, kStages> totals{};
  const auto stay = [&](Stage stage, double time_s, double visits) {
    totals[static_cast<std::size_t>(stage)] = {time_s, time_s, 0.0, visits};
  };
  stay(Stage::compute, 10.0, 5.0);
  stay(Stage::pull, 4.0, 5.0);
  stay(Stage::push, 3.0, 6.0);
  stay(Stage::queue, 1.0, 6.0);
  stay(Stage::service, 2.0, 6.0);
  // up, down and loopback of each host
  const std::vector<double> carried{300.0, 500.0, 0.0, 0.0, 0.0, 0.0, 800.0, 1000.0, 0.0};
  log.snapshots = {{0.0, 0, std::vector<double>(9), std::vector<std::array<StageTotals, kStages>>(servers)},
                   {10.0, updates.size(), carried, {servers, totals}}};
  return log;
}

const std::vector<Update> kUpdates{{1.0, 0, 0, 0}, {2.0, 0, 1, 1}, {3.0, 0, 0, 1}, {5.0, 0, 1, 4}, {10.0, 0, 0, 0}};

SimulatedResult measure(const RunLog& log, const Layout& layout) { return measure(log, layout, 0, 0.95); }

TEST(Measure, StalenessOfOneServer) {
  // 0, 1, 1, 4, 0: mean 6/5; mean square (1 + 1 + 16) / 5; variance 18/5 - 36/25 = 54/25.
  const StalenessResult result = measure(log_of(kUpdates), layout_with({100.0})).staleness;
  EXPECT_DOUBLE_EQ(result.mean, 1.2);
  EXPECT_DOUBLE_EQ(result.variance, 2.16);
  EXPECT_EQ(result.max, 4);
  ASSERT_EQ(result.pmf.size(), 5U);
  for (const auto& [k, p] : {std::pair{0U, 0.4}, {1U, 0.4}, {2U, 0.0}, {3U, 0.0}, {4U, 0.2}})
    EXPECT_DOUBLE_EQ(result.pmf[k], p);
  EXPECT_EQ(result.p50, 1);
  EXPECT_EQ(result.p90, 4);
  EXPECT_EQ(result.p99, 4);
}

TEST(Measure, APercentileIsTheSmallestValueThatReachesIt) {
  // 5 of 10 are 0, 4 are 1, one is 2: P(<= 0) = 0.5 and P(<= 1) = 0.9 exactly.
  std::vector<Update> updates;
  for (const int k : {0, 1, 0, 1, 0, 1, 0, 1, 0, 2})
    updates.push_back({1.0 + static_cast<double>(updates.size()), 0, 0, k});
  const StalenessResult result = measure(log_of(updates), layout_with({100.0})).staleness;
  EXPECT_EQ(result.p50, 0);
  EXPECT_EQ(result.p90, 1);
  EXPECT_EQ(result.p99, 2);
}

TEST(Measure, StalenessOfSeveralServersIsWeightedByBytes) {
  // Server 0 with 3/4 of the bytes has 0 and 2, server 1 has 4, 4, 4, 1, however many gradients each has applied:
  // P(0) = 3/8, P(2) = 3/8, P(4) = 1/4 * 3/4, P(1) = 1/4 * 1/4; mean 3/4 + 3/4 + 1/16 = 25/16.
  const std::vector<Update> updates{{1.0, 0, 0, 0}, {2.0, 1, 0, 4}, {3.0, 1, 1, 4},
                                    {4.0, 1, 1, 4}, {5.0, 0, 1, 2}, {10.0, 1, 0, 1}};
  const SimulatedResult result = measure(log_of(updates, 2), layout_with({300.0, 100.0}));
  EXPECT_DOUBLE_EQ(result.staleness.mean, 25.0 / 16.0);
  EXPECT_DOUBLE_EQ(result.staleness.pmf.at(0), 3.0 / 8.0);
  EXPECT_DOUBLE_EQ(result.staleness.pmf.at(1), 1.0 / 16.0);
  EXPECT_DOUBLE_EQ(result.staleness.pmf.at(4), 3.0 / 16.0);
  EXPECT_NEAR(std::accumulate(result.staleness.pmf.begin(), result.staleness.pmf.end(), 0.0), 1.0, 1e-12);
  // Versions of one server: 2 * 3/4 + 4 * 1/4 = 2.5. Worker 0: one at server 0, two at server 1.
  EXPECT_DOUBLE_EQ(result.updates, 2.5);
  EXPECT_DOUBLE_EQ(result.updates_per_s.mean, 0.25);
  EXPECT_DOUBLE_EQ(result.workers[0].updates, 1.25);
  EXPECT_DOUBLE_EQ(result.workers[0].staleness_mean, (0.0 * 0.75 + 5.0 * 0.25) / 1.25);
  EXPECT_DOUBLE_EQ(result.workers[1].updates, 1.25);
  EXPECT_EQ(result.servers[1].updates, 4.0);
}

TEST(Measure, ThroughputWithItsInterval) {
  // Two halves of 5 s with 4 (one at the very end) and 1 updates: 0.8 and 0.2 a second; mean 0.5, standard error 0.6 /
  // 2 = 0.3, and Student's t with one degree of freedom is 12.706. The interval ends at 0.
  const SimulatedResult result = measure(log_of(kUpdates), layout_with({100.0}));
  EXPECT_DOUBLE_EQ(result.time_s, 10.0);
  EXPECT_DOUBLE_EQ(result.updates_per_s.mean, 0.5);
  EXPECT_DOUBLE_EQ(result.updates_per_s.standard_error, 0.3);
  EXPECT_NEAR(result.updates_per_s.ci_high, 0.5 + 12.706 * 0.3, 1e-3);
  EXPECT_EQ(result.updates_per_s.ci_low, 0.0);
  EXPECT_EQ(result.updates_per_s.confidence, 0.95);
}

TEST(Measure, AnAggregatedUpdateCountsOnceAndEachOfItsGradientsForItsWorker) {
  std::vector<Update> updates = kUpdates;
  updates[0].new_version = updates[2].new_version = false;
  const SimulatedResult result = measure(log_of(updates), layout_with({100.0}));
  EXPECT_EQ(result.updates, 3.0);
  EXPECT_DOUBLE_EQ(result.updates_per_s.mean, 0.3);
  EXPECT_EQ(result.servers[0].updates, 3.0);
  EXPECT_EQ(result.workers[0].updates, 3.0);
  EXPECT_DOUBLE_EQ(result.workers[0].updates_per_s, 0.3);
  EXPECT_EQ(result.workers[1].updates, 2.0);
  EXPECT_DOUBLE_EQ(result.workers[1].staleness_mean, 2.5);
}

TEST(Measure, AServersThreadsQueueAndBytes) {
  const ServerResult server = measure(log_of(kUpdates), layout_with({100.0})).servers[0];
  EXPECT_EQ(server.name, "server-0");
  EXPECT_EQ(server.host, "server-0");
  EXPECT_DOUBLE_EQ(server.update_utilization, 0.1);  // 2 s of service in 10 s on 2 threads
  EXPECT_DOUBLE_EQ(server.queue_mean, 0.3);          // (1 + 2) / 10
  EXPECT_DOUBLE_EQ(server.bytes_in, 600.0);          // 6 pushes
  EXPECT_DOUBLE_EQ(server.bytes_out, 500.0);         // 5 pulls
}

TEST(Measure, ALinksUtilizationIsOfItsGoodput) {
  // up 200 * 0.5 = 100 bytes/s, down 400 * 0.5 = 200 bytes/s, for 10 s.
  const SimulatedResult result = measure(log_of(kUpdates), layout_with({100.0}));
  ASSERT_EQ(result.links.size(), 6U);
  const auto expect_link = [&](std::size_t i, const char* name, const char* direction, double bytes, double share) {
    EXPECT_EQ(result.links[i].name, name);
    EXPECT_EQ(result.links[i].direction, direction);
    EXPECT_DOUBLE_EQ(result.links[i].bytes, bytes);
    EXPECT_DOUBLE_EQ(result.links[i].utilization, share);
  };
  expect_link(0, "a-0", "up", 300.0, 0.3);
  expect_link(1, "a-0", "down", 500.0, 0.25);
  expect_link(2, "a-1", "up", 0.0, 0.0);
  expect_link(4, "server-0", "up", 800.0, 0.8);
  expect_link(5, "server-0", "down", 1000.0, 0.5);
}

TEST(Measure, AnUnlimitedLinkIsNeverBusyAndALimitedLoopbackIsALink) {
  Layout layout = layout_with({100.0});
  layout.hosts[0].nic = {};
  layout = wired(layout, 0.5, BytesPerSecond{50.0});
  RunLog log = log_of(kUpdates);
  log.snapshots[1].carried_bytes[2] = 250.0;  // the first host's loopback
  const SimulatedResult result = measure(log, layout);
  ASSERT_EQ(result.links.size(), 9U);
  EXPECT_EQ(result.links[0].utilization, 0.0);
  EXPECT_EQ(result.links[2].direction, "loopback");
  EXPECT_DOUBLE_EQ(result.links[2].utilization, 0.5);  // 250 of 50 * 10
}

TEST(Measure, SharesAreOfTheWorkersBlockedTime) {
  RunLog log = log_of(kUpdates);
  log.steps = {{0.0, 4.0, 1.0, 2.0, 0.5, 0.5, 0, 1}, {4.0, 10.0, 2.0, 3.0, 0.5, 0.5, 0, 2}};
  const SimulatedResult result = measure(log, layout_with({100.0}));
  const WorkerResult& worker = result.workers[0];  // of 10 s: pull 3, compute 5, push 1, wait 1
  EXPECT_DOUBLE_EQ(worker.pull_share, 0.3);
  EXPECT_DOUBLE_EQ(worker.compute_share, 0.5);
  EXPECT_DOUBLE_EQ(worker.push_share, 0.1);
  EXPECT_DOUBLE_EQ(worker.wait_share, 0.1);
  EXPECT_DOUBLE_EQ(worker.pull_share + worker.compute_share + worker.push_share + worker.wait_share, 1.0);
}

TEST(Measure, WarmUpIsLeftOutEverywhere) {
  // A snapshot at 4 s, with a part of everything behind it. What is left are staleness 4 and 0 in 6 s.
  RunLog log = log_of({{1.0, 0, 0, 0}, {2.0, 0, 1, 1}, {4.0, 0, 0, 1}, {5.0, 0, 1, 4}, {10.0, 0, 0, 0}});
  log.steps = {{0.0, 4.0, 4.0, 0.0, 0.0, 0.0, 0, 1}, {4.0, 10.0, 0.0, 6.0, 0.0, 0.0, 0, 2}};
  Snapshot middle{4.0, 3, std::vector<double>(9), log.snapshots[1].servers};
  middle.carried_bytes[0] = 100.0;
  for (StageTotals& stage : middle.servers[0]) {
    stage.occupancy_s *= 0.4;
    stage.residence_s *= 0.3;
    stage.age_s = stage.occupancy_s - stage.residence_s;  // stays that have begun
    stage.exits = 1.0;
  }
  log.snapshots.insert(log.snapshots.begin() + 1, middle);
  const SimulatedResult result = measure(log, layout_with({100.0}), 1, 0.95);
  EXPECT_DOUBLE_EQ(result.time_s, 6.0);
  EXPECT_DOUBLE_EQ(result.warmup_s, 4.0);
  EXPECT_EQ(result.warmup_updates, 3.0);
  EXPECT_EQ(result.updates, 2.0);
  EXPECT_DOUBLE_EQ(result.updates_per_s.mean, 2.0 / 6.0);
  EXPECT_DOUBLE_EQ(result.staleness.mean, 2.0);
  EXPECT_EQ(result.workers[0].compute_share, 1.0);
  EXPECT_DOUBLE_EQ(result.servers[0].queue_mean, 0.6 * 3.0 / 6.0);
  EXPECT_DOUBLE_EQ(result.servers[0].bytes_in, 500.0);
  EXPECT_DOUBLE_EQ(result.links[0].bytes, 200.0);
}

TEST(Measure, ABrokenBalanceIsNoResult) {
  const Layout layout = layout_with({100.0});
  const auto tampered = [](Stage stage, double counted, double timed, double age = 0.0) {
    RunLog log = log_of(kUpdates);
    StageTotals& totals = log.snapshots[1].servers[0][static_cast<std::size_t>(stage)];
    totals.occupancy_s += counted;
    totals.residence_s += timed;
    totals.age_s += age;
    return log;
  };
  EXPECT_NO_THROW((void)measure(tampered(Stage::queue, 0.0, 0.0), layout));
  EXPECT_NO_THROW((void)measure(tampered(Stage::queue, 0.0, -0.5, 0.5), layout)) << "a stay that has not ended";
  EXPECT_THROW((void)measure(tampered(Stage::queue, 0.0, 1e-3), layout), SimulationError);
  EXPECT_THROW((void)measure(tampered(Stage::queue, 0.0, 0.0, 1e-3), layout), SimulationError);
  EXPECT_THROW((void)measure(tampered(Stage::compute, 1e-3, 0.0), layout), SimulationError);
  EXPECT_THROW((void)measure(tampered(Stage::compute, 1e-3, 1e-3), layout), SimulationError) << "an exchange too many";
}

TEST(Measure, FewerThanTwoUpdatesAreNoResult) {
  for (std::size_t n = 0; n < 2; ++n) {
    const RunLog log = log_of({kUpdates.begin(), kUpdates.begin() + static_cast<std::ptrdiff_t>(n)});
    EXPECT_THROW((void)measure(log, layout_with({100.0})), SimulationError);
  }
}

/// A snapshot after every second of `n` updates, which end at the times that `time_of` gives.
template <class Time>
RunLog snapshots_of(int n, Time time_of) {
  RunLog log;
  log.snapshots.push_back({});
  for (int i = 1; i <= n; ++i) {
    log.updates.push_back({0.0, 0.0, time_of(i), 0, 0, 1, 0, true});
    if (i % 2 == 0) log.snapshots.push_back({time_of(i), static_cast<std::size_t>(i), {}, {}});
  }
  return log;
}

TEST(FindCut, IsTheFirstSnapshotWithTheWarmUpBehindIt) {
  const Layout layout = layout_with({100.0});
  RunLog log = snapshots_of(8, [](int i) { return static_cast<double>(i); });
  for (const auto& [warmup, cut] : {std::pair{0, 0U}, {1, 1U}, {2, 1U}, {3, 2U}, {8, 4U}, {100, 4U}})
    EXPECT_EQ(find_cut(log, layout, warmup), cut) << warmup;
  EXPECT_EQ(updates_after(log, layout, 1), 6.0);
  log.updates[0].new_version = log.updates[2].new_version = false;  // aggregated: only versions count
  EXPECT_EQ(find_cut(log, layout, 2), 2U);
  EXPECT_EQ(updates_after(log, layout, 1), 5.0);
}

TEST(FindCut, FindsASlowStartByItself) {
  // The first six updates take 10 s each, the others 1 s: three of the 40 intervals between snapshots are warm-up.
  const RunLog log = snapshots_of(80, [](int i) { return i <= 6 ? 10.0 * i : 54.0 + i; });
  EXPECT_EQ(find_cut(log, layout_with({100.0}), std::nullopt), 3U);
}

TEST(FindCut, FindsAStaleStartByItself) {
  RunLog log = snapshots_of(80, [](int i) { return static_cast<double>(i); });
  for (std::size_t i = 0; i < 8; ++i) log.updates[i].staleness = 9;
  EXPECT_EQ(find_cut(log, layout_with({100.0}), std::nullopt), 4U);
}

TEST(MeasureStage, CountsAndTimesTheSameVisits) {
  const StageMean mean = measure_stage(log_of(kUpdates), layout_with({100.0}), 0, Stage::push);
  EXPECT_DOUBLE_EQ(mean.occupancy, 0.3);    // 3 s in 10 s
  EXPECT_DOUBLE_EQ(mean.residence_s, 0.5);  // 3 s in 6 visits
}

}  // namespace
}  // namespace stagger
