// What a run reports, on a job whose every cycle is known: one worker, step 196 ms (see timeline_test.cpp).
#include "tests/simulation.hpp"

namespace stagger {
namespace {

constexpr double kStep = 0.196;

const char* const kOneWorker = R"(
platform:
  hosts:
    w: {nic: {up: 500 MBps, down: 200 MBps, latency: 2 ms}, price: $0.90/h}
    s: {nic: {bandwidth: 1 GBps, latency: 3 ms}, price: $0.10/h}
model: {bytes: 10 MB}
job:
  workers: {on: w, count: 1}
  servers: {on: s, count: 1, update: {fixed: 4 ms, rate: 5 GBps}}
  compute: {mean: 100 ms}
  batch: 32
run: {updates: 5, warmup: 1})";

const Json& link(const Json& result, const std::string& name, const std::string& direction) {
  for (const Json& each : result["simulated"]["links"])
    if (each["name"] == name && each["direction"] == direction) return each;
  throw std::runtime_error("no link " + name + " " + direction);
}

// Measured from the end of the first update to the end of the sixth: five whole cycles.
TEST(Run, MeasuresWholeCyclesExactly) {
  const Simulated run = simulate_yaml(kOneWorker);
  ASSERT_EQ(run.error, "");
  const Json& simulated = run.result["simulated"];
  EXPECT_NEAR(simulated["time_s"], 5 * kStep, 1e-9);
  EXPECT_EQ(simulated["updates"], 5);
  EXPECT_EQ(simulated["warmup_updates"], 1);
  EXPECT_NEAR(run.updates_per_s(), 1 / kStep, 1e-8);
  EXPECT_NEAR(simulated["examples_per_s"]["mean"], 32 / kStep, 1e-6);
  const Json& worker = simulated["workers"][0];
  EXPECT_EQ(worker["name"], "w-0.0");
  EXPECT_NEAR(worker["compute_share"], 0.100 / kStep, 1e-9);
  EXPECT_NEAR(worker["pull_share"], 0.060 / kStep, 1e-9);
  EXPECT_NEAR(worker["push_share"], 0.030 / kStep, 1e-9);
  EXPECT_NEAR(worker["wait_share"], 0.006 / kStep, 1e-9);
  const Json& server = simulated["servers"][0];
  EXPECT_EQ(server["bytes_in"], 50'000'000);
  EXPECT_EQ(server["bytes_out"], 50'000'000);
  EXPECT_NEAR(server["update_utilization"], 0.006 / kStep, 1e-9);
  EXPECT_NEAR(server["queue_mean"], 0.006 / kStep, 1e-9);
}

// 10 MB a step and direction, over what each NIC could carry in 196 ms.
TEST(Run, MeasuresTheUseOfEachLink) {
  const Simulated run = simulate_yaml(kOneWorker);
  ASSERT_EQ(run.error, "");
  EXPECT_NEAR(link(run.result, "w-0", "up")["utilization"], 10e6 / 500e6 / kStep, 1e-9);
  EXPECT_NEAR(link(run.result, "w-0", "down")["utilization"], 10e6 / 200e6 / kStep, 1e-9);
  EXPECT_NEAR(link(run.result, "s-0", "up")["utilization"], 10e6 / 1e9 / kStep, 1e-9);
  EXPECT_NEAR(link(run.result, "s-0", "down")["utilization"], 10e6 / 1e9 / kStep, 1e-9);
  EXPECT_NEAR(link(run.result, "s-0", "down")["bytes"], 50e6, 1e-3);
}

// The busiest of a kind, in this order: compute 100/196, receiving at the worker 50/196, its sending 20/196, the
// server's links 10/196 each, the update 6/196.
TEST(Run, RanksTheBottlenecks) {
  const Simulated run = simulate_yaml(kOneWorker);
  ASSERT_EQ(run.error, "");
  const Json& ranked = run.result["bottlenecks"];
  ASSERT_EQ(ranked.size(), 6U);
  EXPECT_EQ(ranked[0]["resource"], "w-0.0 compute");
  EXPECT_EQ(ranked[1]["resource"], "w-0 receive link");
  EXPECT_EQ(ranked[2]["resource"], "w-0 send link");
  EXPECT_EQ(ranked[5]["resource"], "server-0 update");
  EXPECT_NEAR(ranked[0]["next_slack"], 1.0 - 50.0 / 196.0, 1e-9);
  EXPECT_TRUE(ranked[5]["next_slack"].is_null());
}

// $1.00 an hour for 32 examples in 196 ms.
TEST(Run, SaysWhatAMillionExamplesCost) {
  const Simulated run = simulate_yaml(kOneWorker);
  ASSERT_EQ(run.error, "");
  EXPECT_NEAR(run.result["cost"]["usd_per_hour"], 1.0, 1e-12);
  EXPECT_NEAR(run.result["cost"]["usd_per_million_examples"], 1.0 / 3600.0 * kStep / 32.0 * 1e6, 1e-9);
}

TEST(Run, StopsAtTheTimeAskedFor) {
  const Simulated run = simulate_yaml(kOneWorker, {"run={time: 1.96 s, warmup: 1}"});
  ASSERT_EQ(run.error, "");
  EXPECT_NEAR(run.result["simulated"]["time_s"], 1.96, 1e-9);
  EXPECT_EQ(run.result["simulated"]["updates"], 10);
}

TEST(Run, StopsWhenItIsAsPreciseAsAskedFor) {
  const Simulated run = simulate_yaml(kOneWorker, {"run={precision: {relative: 2 %, confidence: 90 %}}",
                                                   "job.compute={mean: 100 ms, distribution: exponential}"});
  ASSERT_EQ(run.error, "");
  const Json& updates = run.result["simulated"]["updates_per_s"];
  EXPECT_EQ(updates["confidence"], 0.9);
  EXPECT_LE(updates["ci_high"].get<double>() - updates["mean"].get<double>(), 0.02 * updates["mean"].get<double>());
  EXPECT_GE(run.result["simulated"]["updates"], 500);
  EXPECT_LE(run.result["simulated"]["updates"], 10000);
}

TEST(Run, SharingFirstComeFirstServedIsNotCovered) {
  const Simulated run = simulate_yaml(kOneWorker, {"platform.network.sharing=fifo"});
  ASSERT_EQ(run.error, "");
  EXPECT_EQ(run.result["check"]["verdict"], "not_covered");
  EXPECT_NE(run.result["check"]["reasons"].dump().find("sharing: fifo"), std::string::npos);
}

// A step without any duration would go on for ever at time 0.
TEST(Run, RefusesAJobThatTakesNoTime) {
  const Simulated run =
      simulate_yaml(kOneWorker, {"platform.hosts={w: {}, s: {}}", "job.compute={mean: 0 s}", "job.servers.update={}"});
  EXPECT_NE(run.error.find("takes no time"), std::string::npos) << run.error;
}

TEST(Run, RefusesToMeasureTooFewUpdates) {
  const Simulated run = simulate_yaml(kOneWorker, {"run={updates: 1, warmup: 0}"});
  EXPECT_NE(run.error.find("too few to measure"), std::string::npos) << run.error;
}

// The draws depend on nothing but seed, worker and step: a fifth worker does not change the first step of the others.
TEST(Run, SharesItsRandomNumbersWithLargerJobs) {
  const std::vector<std::string> sets{"job.compute={mean: 100 ms, distribution: gamma, cv: 0.5}"};
  std::vector<std::string> more = sets;
  more.emplace_back("job.workers.count=5");
  const Simulated one = simulate_yaml(kOneWorker, sets, true);
  const Simulated five = simulate_yaml(kOneWorker, more, true);
  ASSERT_EQ(one.error + five.error, "");
  std::vector<double> first;
  for (const Simulated* run : {&one, &five})
    for (const Json& step : run->steps)
      if (step["worker"] == 0) {
        first.push_back(step["compute"]);
        break;
      }
  ASSERT_EQ(first.size(), 2U);
  EXPECT_NEAR(first[0], first[1], 1e-12);
  EXPECT_NE(first[0], 0.1);
}

TEST(Run, AnotherSeedIsAnotherRun) {
  const std::vector<std::string> sets{"job.compute={mean: 100 ms, distribution: gamma, cv: 0.5}", "run.seed=2"};
  const Simulated first = simulate_yaml(kOneWorker, {sets[0]});
  const Simulated second = simulate_yaml(kOneWorker, sets);
  ASSERT_EQ(first.error + second.error, "");
  EXPECT_NE(first.updates_per_s(), second.updates_per_s());
}

}  // namespace
}  // namespace stagger
