// Worker and server on the test engine: what they send, in which order, and what they tell observers.
#include <gtest/gtest.h>

#include <map>

#include "sim/job/protocol.hpp"
#include "sim/job/server.hpp"
#include "sim/job/worker.hpp"
#include "tests/test_engine.hpp"

namespace stagger {
namespace {

Durations constant(Seconds mean) { return {Distribution{}, mean, RandomStream(1, 0, Purpose::compute)}; }

/// Keeps all events and ends the run after the given number of updates.
class Listener final : public Observer {
 public:
  Listener(Engine& engine, std::size_t most_updates) : engine_(engine), most_updates_(most_updates) {}
  void on_stage(int, int worker, Stage stage, Seconds now) override { stages[worker].push_back({stage, now.si}); }
  void on_apply(const ApplyEvent& event) override {
    updates.push_back(event);
    if (updates.size() == most_updates_) engine_.stop();
  }
  void on_step(const StepEvent& event) override { steps.push_back(event); }
  void on_drop(int, int worker, Seconds) override { dropped.push_back(worker); }
  void on_version(int) override { ++versions_by_leaving; }

  std::vector<ApplyEvent> updates;
  std::vector<StepEvent> steps;
  std::vector<int> dropped;
  int versions_by_leaving = 0;
  std::map<int, std::vector<std::pair<Stage, double>>> stages;

 private:
  Engine& engine_;
  std::size_t most_updates_;
};

struct JobSetup {
  std::vector<Seconds> compute;  ///< of each worker
  Exchange exchange = Exchange::separate;
  SyncKind sync = SyncKind::asp;
  Seconds update{};
  int threads = 1;
  std::map<int, std::vector<TimeWindow>> away{};  ///< by worker
  std::vector<TimeWindow> stalls{};
};

/// One server; 100 ms latency, 1 MB/s, a shard of 1 MB.
Listener run_job(const JobSetup& setup, std::size_t updates) {
  TestEngine engine({0.1}, {1e6});
  Listener listener(engine, updates);
  const auto workers = static_cast<int>(setup.compute.size());
  std::deque<WorkerSetup> worker_setups;
  for (int w = 0; w < workers; ++w) {
    const WorkerSetup& worker = worker_setups.emplace_back(
        WorkerSetup{w,
                    setup.exchange,
                    0,
                    {{workers}},
                    {{1e6}},
                    [time = setup.compute[static_cast<std::size_t>(w)]](const StepBegin&) { return time; },
                    setup.away.contains(w) ? setup.away.at(w) : std::vector<TimeWindow>{}});
    engine.add_actor(0, "worker", [&](Port& port) { run_worker(port, worker, listener); });
  }
  const ServerSetup server{0,       setup.exchange,         0,           {1e6}, setup.threads, {setup.sync},
                           workers, constant(setup.update), setup.stalls};
  engine.add_actor(0, "server", [&](Port& port) { run_server(port, server, listener); });
  engine.run();
  return listener;
}

// Request 0.1; reply 0.1 + 1; compute 2; push 0.1 + 1; update 0.5; acknowledgement 0.1: 4.9 s.
TEST(Worker, GoesThroughTheStagesOfASeparateExchange) {
  const Listener job = run_job({.compute = {{2.0}}, .update = {0.5}}, 2);
  using enum Stage;
  const std::vector<std::pair<Stage, double>> expected{{request, 0.0},     {hold, 0.1}, {pull, 0.1},   {join, 1.2},
                                                       {compute, 1.2},     {push, 3.2}, {queue, 4.3},  {service, 4.3},
                                                       {acknowledge, 4.8}, {join, 4.9}, {request, 4.9}};
  const auto& seen = job.stages.at(0);
  ASSERT_GE(seen.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(seen[i].first, expected[i].first) << i;
    EXPECT_NEAR(seen[i].second, expected[i].second, 1e-12) << i;
  }
}

// First read: 0.1 + 0.1 + 1; then compute 2; push 0.1 + 1; update 0.5; reply 0.1 + 1.
TEST(Worker, PullsWithThePushInAFusedExchange) {
  const Listener job = run_job({.compute = {{2.0}}, .exchange = Exchange::fused, .update = {0.5}}, 3);
  ASSERT_GE(job.steps.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const StepEvent& step = job.steps[k];
    EXPECT_NEAR(step.began.si, 1.2 + 4.7 * static_cast<double>(k), 1e-12);
    EXPECT_NEAR(step.compute.si, 2.0, 1e-12);
    EXPECT_NEAR(step.push.si, 1.1, 1e-12);
    EXPECT_NEAR(step.wait.si, 0.5, 1e-12);
    EXPECT_NEAR(step.pull.si, 1.1, 1e-12);
    EXPECT_NEAR((step.ended - step.began).si, 4.7, 1e-12);
  }
}

// Worker 0 computes 1 s, worker 1 4 s. Both read version 0 at 0.1 s. Worker 0 applies at 3.3 (request 0.1, reply 1.1,
// compute 1, push 1.1), reads version 1 at 3.5; worker 1 applies at 6.3, version 1: staleness 1; worker 0 applies
// at 6.7, version 2, read 1.
TEST(Server, CountsVersionsBetweenReadAndApply) {
  const Listener job = run_job({.compute = {{1.0}, {4.0}}}, 3);
  ASSERT_EQ(job.updates.size(), 3U);
  const int workers[] = {0, 1, 0};
  const double times[] = {3.3, 6.3, 6.7};
  const int staleness[] = {0, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(job.updates[i].worker, workers[i]);
    EXPECT_NEAR(job.updates[i].ended.si, times[i], 1e-12);
    EXPECT_EQ(job.updates[i].staleness, staleness[i]);
  }
}

// Worker 0's gradient arrives at 3.3 s and would be applied at 5.3 s; the server stands still from 4 until 9 s: 10.3 s.
// Worker 1's, with 2.5 s of computing, arrives at 4.8 s, has waited since then at 10.3 s, and is applied at 12.3 s.
// Worker 2's request, at 5 s after its return, is answered at 9 s.
TEST(Server, HandlesNothingInAStall) {
  const Listener job = run_job({.compute = {{1.0}, {2.5}, {100.0}},
                                .update = {2.0},
                                .away = {{2, {{Seconds{3.0}, Seconds{4.9}}}}},
                                .stalls = {{Seconds{4.0}, Seconds{9.0}}}},
                               2);
  EXPECT_NEAR(job.updates[0].ended.si, 10.3, 1e-12);
  EXPECT_NEAR(job.updates[1].arrived.si, 4.8, 1e-12);
  EXPECT_NEAR(job.updates[1].started.si, 10.3, 1e-12);
  EXPECT_NEAR(job.updates[1].ended.si, 12.3, 1e-12);
  const auto expect_stages = [](const auto& seen, const std::vector<std::pair<Stage, double>>& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(seen[i].first, expected[i].first) << i;
      EXPECT_NEAR(seen[i].second, expected[i].second, 1e-12) << i;
    }
  };
  using enum Stage;
  const auto second = job.stages.at(1);
  expect_stages(std::vector(second.begin() + 5, second.end()), {{push, 3.7}, {queue, 4.8}, {service, 10.3}});
  const auto returning = job.stages.at(2);
  expect_stages(std::vector(returning.begin() + 5, returning.end()),
                {{away, 3.0}, {request, 4.9}, {hold, 5.0}, {pull, 9.0}, {join, 10.1}, {compute, 10.1}});
}

// Three gradients arrive together at 3.3 s; each update takes 1 s, two threads.
TEST(Server, AppliesFirstComeFirstServedOverItsThreads) {
  const Listener job = run_job({.compute = {{1.0}, {1.0}, {1.0}}, .update = {1.0}, .threads = 2}, 3);
  const double ends[] = {4.3, 4.3, 5.3};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(job.updates[i].worker, static_cast<int>(i));
    EXPECT_NEAR(job.updates[i].ended.si, ends[i], 1e-12);
  }
}

// Updates take 10 s. Worker 0's gradient is in at 2.3 s and applied at 12.3 s; worker 1's, in at 2.8 s, waits until
// then. Worker 0's next request comes at 12.5 s, in the middle of worker 1's update, and is answered at once.
TEST(Server, AnswersPullsWhileItUpdates) {
  const Listener job = run_job({.compute = {{0.0}, {0.5}}, .update = {10.0}}, 2);
  EXPECT_NEAR(job.updates[0].ended.si, 12.3, 1e-12);
  EXPECT_NEAR(job.updates[1].started.si, 12.3, 1e-12);
  EXPECT_NEAR(job.updates[1].ended.si, 22.3, 1e-12);
  const auto& seen = job.stages.at(0);
  const auto pull =
      std::find_if(seen.begin(), seen.end(), [](const auto& s) { return s.first == Stage::pull && s.second > 1.0; });
  ASSERT_NE(pull, seen.end());
  EXPECT_NEAR(pull->second, 12.5, 1e-12);
}

// bsp: worker 0's second read waits for worker 1's first gradient. Worker 0's is applied at 3.3 s, worker 1's at 6.3 s;
// so worker 0, whose request is in at 3.5 s, is held until 6.3 s.
TEST(Server, HoldsTheReadsThatThePolicyHoldsBack) {
  const Listener job = run_job({.compute = {{1.0}, {4.0}}, .sync = SyncKind::bsp}, 4);
  for (const ApplyEvent& update : job.updates) EXPECT_EQ(update.staleness, 0);
  EXPECT_FALSE(job.updates[0].new_version);
  EXPECT_TRUE(job.updates[1].new_version);
  const auto& seen = job.stages.at(0);
  const auto pull =
      std::find_if(seen.begin(), seen.end(), [](const auto& s) { return s.first == Stage::pull && s.second > 1.0; });
  ASSERT_NE(pull, seen.end());
  EXPECT_NEAR(pull->second, 6.3, 1e-12);
  EXPECT_EQ((pull - 1)->first, Stage::hold);
  EXPECT_NEAR((pull - 1)->second, 3.5, 1e-12);
}

TEST(TestEngine, HandsOnWhatAnActorThrows) {
  TestEngine engine({0.0}, {1.0});
  engine.add_actor(0, "a", [](Port&) { throw std::runtime_error("no"); });
  engine.add_actor(0, "b", [](Port& port) { port.receive(); });
  EXPECT_THROW(engine.run(), std::runtime_error);
}

// bsp, 2 workers: 1 s and 4 s of computing; a read takes 1.2 s and a push 1.1 s, an acknowledgement 0.1 s. Worker 1
// leaves at 2 s, while it computes, and comes back at 10 s. Its farewell is in at 2.1 s: from then on a round takes one
// gradient, and worker 0 applies at 3.3, at 6.7 (0.1 + 1.2 + 1 + 1.1 later) and 10.1 s. Worker 1 asks at 10 s, is
// answered at 10.1 s, computes until 15.2 s and applies at 16.3 s; worker 0's round ends with it: 13.5 s, held
// till 16.3 s.
TEST(Worker, LeavesWhileItComputesAndComesBack) {
  const Listener job =
      run_job({.compute = {{1.0}, {4.0}}, .sync = SyncKind::bsp, .away = {{1, {{Seconds{2.0}, Seconds{10.0}}}}}}, 5);
  ASSERT_EQ(job.updates.size(), 5U);
  const int workers[] = {0, 0, 0, 0, 1};
  const double times[] = {3.3, 6.7, 10.1, 13.5, 16.3};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(job.updates[i].worker, workers[i]) << i;
    EXPECT_NEAR(job.updates[i].ended.si, times[i], 1e-12) << i;
  }
  EXPECT_TRUE(job.updates[2].new_version);
  EXPECT_FALSE(job.updates[3].new_version);
  EXPECT_TRUE(job.updates[4].new_version);
  const auto& stages = job.stages.at(1);
  const auto away = std::ranges::find(stages, Stage::away, [](const auto& each) { return each.first; });
  ASSERT_NE(away, stages.end());
  EXPECT_NEAR(away->second, 2.0, 1e-12);
  EXPECT_EQ(std::next(away)->first, Stage::request);
  EXPECT_NEAR(std::next(away)->second, 10.0, 1e-12);
}

// Worker 0 has contributed (3.3 s) and waits when worker 1 leaves for good at 5 s: the round is over at 5.1 s, without
// another gradient. Worker 0's request was in at 3.5 s; it reads at 5.1 s and applies at 5.1 + 1.1 + 1 + 1.1 = 8.3 s.
TEST(Worker, EndsTheRoundByLeaving) {
  const Listener job =
      run_job({.compute = {{1.0}, {9.0}}, .sync = SyncKind::bsp, .away = {{1, {{Seconds{5.0}, kNever}}}}}, 2);
  EXPECT_EQ(job.versions_by_leaving, 1);
  EXPECT_NEAR(job.updates[1].ended.si, 8.3, 1e-12);
  EXPECT_EQ(job.updates[1].staleness, 0) << "it has read the version that ended with the farewell";
}

// asp, fused, 1 worker: it reads until 1.2 s, computes 1 s, pushes until 3.3 s and has the parameters at 4.4 s. At 3 s,
// when it is to leave, it waits: it goes at 4.4 s, comes back at 6 s, reads until 7.2 s, and applies at 9.3 s.
TEST(Worker, LeavesAtTheEndOfAnExchangeUnderWay) {
  const Listener job =
      run_job({.compute = {{1.0}}, .exchange = Exchange::fused, .away = {{0, {{Seconds{3.0}, Seconds{6.0}}}}}}, 2);
  EXPECT_NEAR(job.updates[0].ended.si, 3.3, 1e-12);
  EXPECT_NEAR(job.updates[1].ended.si, 9.3, 1e-12);
  ASSERT_EQ(job.steps.size(), 1U);
}

}  // namespace
}  // namespace stagger
