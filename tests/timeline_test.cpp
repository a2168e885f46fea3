// Whole steps on SimGrid against timelines worked out by hand, to 1e-9 s.
#include "tests/simulation.hpp"

namespace stagger {
namespace {

void expect_step(const Json& step, int worker, double began, double ended, double pull, double compute, double push,
                 double wait) {
  EXPECT_EQ(step["worker"], worker);
  EXPECT_NEAR(step["began"], began, 1e-9);
  EXPECT_NEAR(step["ended"], ended, 1e-9);
  EXPECT_NEAR(step["pull"], pull, 1e-9);
  EXPECT_NEAR(step["compute"], compute, 1e-9);
  EXPECT_NEAR(step["push"], push, 1e-9);
  EXPECT_NEAR(step["wait"], wait, 1e-9);
}

void expect_update(const Json& update, int server, int worker, double arrived, double ended, int staleness) {
  EXPECT_EQ(update["server"], server);
  EXPECT_EQ(update["worker"], worker);
  EXPECT_NEAR(update["arrived"], arrived, 1e-9);
  EXPECT_NEAR(update["ended"], ended, 1e-9);
  EXPECT_EQ(update["staleness"], staleness);
}

const char* const kOneWorker = R"(
platform:
  hosts:
    w: {nic: {up: 500 MBps, down: 200 MBps, latency: 2 ms}}
    s: {nic: {bandwidth: 1 GBps, latency: 3 ms}}
model: {bytes: 10 MB}
job:
  workers: {on: w, count: 1}
  servers: {on: s, count: 1, update: {fixed: 4 ms, rate: 5 GBps}}
  compute: {mean: 100 ms}
run: {updates: 5, warmup: 0})";

// One way 2 + 3 = 5 ms. Pull 10 MB over min(1 GBps, 200 MBps): 50 ms. Push over min(500 MBps, 1 GBps): 20 ms. Update 4
// ms + 10 MB / 5 GBps = 6 ms. Step: 5 (request) + 5 + 50 (reply) + 100 (compute) + 5 + 20 (push) + 6 + 5
// (acknowledgement) = 196 ms.
TEST(Timeline, OneWorkerPaysFourLatenciesInASeparateExchange) {
  const auto run = simulate_yaml(kOneWorker, {}, true);
  ASSERT_EQ(run.error, "");
  for (int k = 0; k < 4; ++k)
    expect_step(run.steps[static_cast<std::size_t>(k)], 0, 0.196 * k, 0.196 * (k + 1), 0.06, 0.1, 0.03, 0.006);
  expect_update(run.updates[1], 0, 0, 0.196 + 0.185, 0.196 + 0.191, 0);
}

// The same in a fused exchange: first 5 + 5 + 50 for the first read, then 100 (compute) + 25 (push) + 6 (update) + 55
// (reply).
TEST(Timeline, AFusedExchangePaysTwoLatencies) {
  const auto run = simulate_yaml(kOneWorker, {"job.exchange=fused"}, true);
  ASSERT_EQ(run.error, "");
  for (int k = 0; k < 4; ++k)
    expect_step(run.steps[static_cast<std::size_t>(k)], 0, 0.06 + 0.186 * k, 0.06 + 0.186 * (k + 1), 0.055, 0.1, 0.025,
                0.006);
}

// Fused, no latency, no update time; 100 MB as 80 + 20 MB over two servers of 100 MBps; workers compute 1 s and 1.4 s.
// First reads: server-0 sends 2 x 80 MB: both at 1.6 s; server-1 2 x 20 MB: 0.4 s. So both begin at 1.6 s.
// w0 pushes at 2.6 s, w1 at 3.0 s. Server-0 receives 40 MB of w0 by 3.0 s, then both at 50 MBps: w0 is in at 3.8 s; w1
// has 40 MB left and is in at 4.2 s. Server-1: w0 at 2.8 s, w1 at 3.2 s. Replies of server-0: to w0 from 3.8 s, 40 MB
// by 4.2 s, then shared: 5.0 s; to w1: 40 MB by 5.0 s, then alone: 5.4 s.
TEST(Timeline, TwoWorkersShareTheLinksOfTwoUnequalServers) {
  const auto run = simulate_yaml(R"(
platform: {hosts: {w: {nic: unlimited}, s: {nic: 100 MBps}}}
model: {bytes: 100 MB}
job:
  workers: [{on: w, count: 1, compute: {mean: 1 s}}, {on: w, count: 1, compute: {mean: 1.4 s}}]
  servers: {on: s, count: 2}
  sharding: {explicit: [0.8, 0.2]}
  exchange: fused
run: {updates: 4, warmup: 0})",
                                 {}, true);
  ASSERT_EQ(run.error, "");
  expect_update(run.updates[0], 1, 0, 2.8, 2.8, 0);
  expect_update(run.updates[1], 1, 1, 3.2, 3.2, 1);
  expect_update(run.updates[2], 0, 0, 3.8, 3.8, 0);
  expect_update(run.updates[3], 0, 1, 4.2, 4.2, 1);
  expect_step(run.steps[0], 0, 1.6, 5.0, 1.2, 1.0, 1.2, 0.0);
  expect_step(run.steps[1], 1, 1.6, 5.4, 1.2, 1.4, 1.2, 0.0);
}

// node-0 holds worker 0 and the server; they talk over its loopback of 400 MBps, without latency. Worker 1 on node-1:
// NICs of 100 MBps, one way 2 ms. Compute 1 s, update 0.1 s, 100 MB. w0: reply 0.25, compute to 1.25, push in at 1.5,
// applied 1.6. w1: request 0.002, reply 1.004, compute to 2.004, push in at 3.006, applied 3.106, acknowledged 3.108.
// w0 again: 1.6 + 0.25 + 1 + 0.25 = 3.1 in, waits until 3.106, applied 3.206.
TEST(Timeline, AColocatedPairTalksOverItsLoopback) {
  const auto run = simulate_yaml(R"(
platform:
  network: {loopback: 400 MBps}
  hosts: {node: {count: 2, nic: {bandwidth: 100 MBps, latency: 1 ms}}}
model: {bytes: 100 MB}
job:
  workers: {on: node}
  servers: {on: node, count: 1, update: {fixed: 100 ms}}
  compute: {mean: 1 s}
run: {updates: 4, warmup: 0})",
                                 {}, true);
  ASSERT_EQ(run.error, "");
  expect_step(run.steps[0], 0, 0.0, 1.6, 0.25, 1.0, 0.25, 0.1);
  expect_step(run.steps[1], 1, 0.0, 3.108, 1.004, 1.0, 1.004, 0.1);
  expect_step(run.steps[2], 0, 1.6, 3.206, 0.25, 1.0, 0.25, 0.106);
  expect_update(run.updates[0], 0, 0, 1.5, 1.6, 0);
  expect_update(run.updates[1], 0, 1, 3.006, 3.106, 1);
  expect_update(run.updates[2], 0, 0, 3.1, 3.206, 1);
}

// Each host has a worker and a server, which talk over a loopback without limit; 20 MB as 10 + 10; NICs of 10 MBps.
// Workers compute 1 s and 1.5 s. Both read their remote shard in 1 s; worker 0 pushes from 2 to 3 s and then pulls over
// the same two links, to which worker 1 pushes from 2.5 s on: alone it has sent 5 MB by 3 s.
//   equally: both have 5 MBps; the push is in at 4 s, the pull has 5 MB left then and is in at 4.5 s;
//   pulls first: the push stands still; the pull is in at 4 s, the push at 4.5 s;
//   pushes first: the push is in at 3.5 s, and only then the pull begins, in at 4.5 s.
TEST(Timeline, PullsOrPushesGoFirst) {
  struct Case {
    const char* priority;
    double push_in_s, pull_in_s;
  };
  for (const auto& [priority, push_in_s, pull_in_s] :
       {Case{"none", 4.0, 4.5}, {"pulls", 4.5, 4.0}, {"pushes", 3.5, 4.5}}) {
    SCOPED_TRACE(priority);
    const auto run = simulate_yaml(R"(
platform: {hosts: {node: {nic: 10 MBps}}}
model: {bytes: 20 MB}
job:
  workers: [{on: node, count: 1, compute: {mean: 1 s}}, {on: node, count: 1, compute: {mean: 1.5 s}}]
  servers: {on: node, count: 2}
run: {engine: fluid, updates: 6, warmup: 0})",
                                   {fmt::format("job.priority={}", priority)}, true);
    ASSERT_EQ(run.error, "");
    const auto push = std::ranges::find_if(
        run.updates, [](const Json& update) { return update["server"] == 0 && update["worker"] == 1; });
    ASSERT_NE(push, run.updates.end());
    EXPECT_NEAR((*push)["arrived"], push_in_s, 1e-9);
    const auto step =
        std::ranges::find_if(run.steps, [](const Json& each) { return each["worker"] == 0 && each["began"] == 3.0; });
    ASSERT_NE(step, run.steps.end());
    EXPECT_NEAR((*step)["pull"], pull_in_s - 3.0, 1e-9);
  }
}

// The server's NIC has 10 MBps until 0.5 s, 5 until 2 s, nothing until 3 s, 10 until 4 s, and so on every 4 s. 10 MB: 5
// in the first half second, the rest by 1.5 s; computed by 2.5 s; pushed from 3 to 4 s. 20 MB in 4 s, in which each
// direction could have carried 5 + 7.5 + 10.
TEST(Timeline, ABandwidthChangesUnderTransfers) {
  const auto run = simulate_yaml(R"(
platform:
  hosts:
    w: {}
    s: {nic: {bandwidth: 10 MBps, profile: {period: 4 s, steps: [{at: 0.5 s, share: 50 %}, {at: 2 s, share: 0},
                                                                  {at: 3 s, share: 1}]}}}
model: {bytes: 10 MB}
job:
  workers: {on: w, count: 1}
  servers: {on: s, count: 1}
  compute: {mean: 1 s}
run: {engine: fluid, updates: 5, warmup: 1})",
                                 {}, true);
  ASSERT_EQ(run.error, "");
  for (int k = 0; k < 5; ++k)
    expect_step(run.steps[static_cast<std::size_t>(k)], 0, 4.0 * k, 4.0 * (k + 1), 1.5, 1.0, 1.5, 0.0);
  for (const Json& link : run.result["simulated"]["links"])
    if (link["name"] == "s-0") {
      EXPECT_NEAR(link["utilization"], 10.0 / 22.5, 1e-9);
    }
}

// Two workers on one host share its NIC: 2 x 100 MB through 100 MBps both ways; their server is on another, faster
// host. Both pull in 2 s, compute 1 s and push in 2 s: 5 s a step.
TEST(Timeline, WorkersOfOneHostShareItsNic) {
  const auto run = simulate_yaml(R"(
platform: {hosts: {w: {nic: 100 MBps}, s: {nic: 10 GBps}}}
model: {bytes: 100 MB}
job:
  workers: {on: w, count: 2, per_host: 2}
  servers: {on: s, count: 1}
  compute: {mean: 1 s}
run: {updates: 4, warmup: 0})",
                                 {}, true);
  ASSERT_EQ(run.error, "");
  expect_step(run.steps[0], 0, 0.0, 5.0, 2.0, 1.0, 2.0, 0.0);
  expect_step(run.steps[1], 1, 0.0, 5.0, 2.0, 1.0, 2.0, 0.0);
}

// Three gradients arrive at 1 s; updates take 0.5 s each. One thread: applied at 1.5, 2, 2.5; two threads: 1.5, 1.5, 2.
TEST(Timeline, UpdatesWaitForAFreeThread) {
  const std::string yaml = R"(
platform: {hosts: {w: {}, s: {}}}
model: {bytes: 0 B}
job:
  workers: {on: w, count: 3}
  servers: {on: s, count: 1, update: {fixed: 0.5 s}}
  compute: {mean: 1 s}
run: {updates: 3, warmup: 0})";
  const auto one = simulate_yaml(yaml, {}, true);
  const auto two = simulate_yaml(yaml, {"job.servers.threads=2"}, true);
  ASSERT_EQ(one.error + two.error, "");
  const double of_one[] = {1.5, 2.0, 2.5};
  const double of_two[] = {1.5, 1.5, 2.0};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(one.updates[i]["ended"], of_one[i], 1e-9);
    EXPECT_NEAR(two.updates[i]["ended"], of_two[i], 1e-9);
  }
}

// Synchronous: workers compute 1, 2 and 3 s, updates 0.1 s. Gradients are applied as they come, at 1.1, 2.1 and 3.1 s;
// then the round is over and all read. So 3.1 s a round, and the first worker waits 2.1 s of it.
TEST(Timeline, ARoundOfBspLastsAsLongAsItsSlowestWorker) {
  const auto run = simulate_yaml(R"(
platform: {hosts: {w: {}, s: {}}}
model: {bytes: 0 B}
job:
  workers: [{on: w, count: 1, compute: {mean: 1 s}}, {on: w, count: 1, compute: {mean: 2 s}}, {on: w, count: 1, compute: {mean: 3 s}}]
  servers: {on: s, count: 1, update: {fixed: 0.1 s}}
  sync: bsp
run: {updates: 10, warmup: 0})",
                                 {}, true);
  ASSERT_EQ(run.error, "");
  EXPECT_NEAR(run.updates_per_s(), 1.0 / 3.1, 1e-9);
  EXPECT_EQ(run.staleness(), 0.0);
  // The second step of worker 0: its read waits from 1.1 to 3.1 s, its gradient is in at 4.1 and applied at 4.2 s.
  const auto& steps = run.steps;
  const auto second =
      std::find_if(steps.begin(), steps.end(), [](const Json& s) { return s["worker"] == 0 && s["began"] > 1.0; });
  expect_step(*second, 0, 1.1, 4.2, 0.0, 1.0, 0.0, 2.1);
}

}  // namespace
}  // namespace stagger
