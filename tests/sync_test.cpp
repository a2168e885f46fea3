// Synchronisation policies as state machines, without an engine.
#include "sim/config/sync.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "sim/policy/sync.hpp"

namespace stagger {
namespace {

TEST(Asp, NobodyEverWaits) {
  const auto asp = make_sync({SyncKind::asp}, 3);
  EXPECT_TRUE(asp->may_read(0, 0));
  for (Clock clock = 1; clock <= 5; ++clock) asp->on_applied(0, clock, {});
  EXPECT_TRUE(asp->may_read(0, 5));
  EXPECT_TRUE(asp->may_read(1, 0));
}

TEST(Asp, EveryGradientMakesAVersion) {
  const auto asp = make_sync({SyncKind::asp}, 2);
  EXPECT_TRUE(asp->on_applied(0, 1, {}));
  EXPECT_TRUE(asp->on_applied(0, 2, {}));
  EXPECT_TRUE(asp->on_applied(1, 1, {}));
}

TEST(Bsp, AVersionTakesOneGradientOfEachWorker) {
  const auto bsp = make_sync({SyncKind::bsp}, 3);
  for (Clock round = 1; round <= 4; ++round) {
    EXPECT_FALSE(bsp->on_applied(2, round, {}));
    EXPECT_FALSE(bsp->on_applied(0, round, {}));
    EXPECT_TRUE(bsp->on_applied(1, round, {}));
  }
}

TEST(Bsp, HoldsAWorkerUntilTheRoundIsComplete) {
  const auto bsp = make_sync({SyncKind::bsp}, 2);
  EXPECT_TRUE(bsp->may_read(0, 0));
  EXPECT_TRUE(bsp->may_read(1, 0));
  bsp->on_applied(0, 1, {});
  EXPECT_FALSE(bsp->may_read(0, 1));
  EXPECT_TRUE(bsp->may_read(1, 0)) << "who has not contributed may still read";
  bsp->on_applied(1, 1, {});
  EXPECT_TRUE(bsp->may_read(0, 1));
  EXPECT_TRUE(bsp->may_read(1, 1));
  EXPECT_FALSE(bsp->may_read(0, 2));
}

TEST(Bsp, ALoneWorkerNeverWaits) {
  const auto bsp = make_sync({SyncKind::bsp}, 1);
  for (Clock clock = 0; clock < 5; ++clock) {
    EXPECT_TRUE(bsp->may_read(0, clock));
    EXPECT_TRUE(bsp->on_applied(0, clock + 1, {}));
  }
}

SyncSpec spec(SyncKind kind, long long parameter) {
  SyncSpec sync{kind};
  sync.extra = sync.k = sync.n = parameter;
  sync.slack.clocks = static_cast<double>(parameter);
  return sync;
}

TEST(Ssp, HoldsTheWorkerAheadOfItsSlack) {
  const auto ssp = make_sync(spec(SyncKind::ssp, 2), 2);
  for (Clock clock = 1; clock <= 2; ++clock) {
    EXPECT_TRUE(ssp->on_applied(0, clock, {}));
    EXPECT_TRUE(ssp->may_read(0, clock)) << "2 clocks ahead of worker 1, which has completed none";
  }
  EXPECT_TRUE(ssp->on_applied(0, 3, {}));
  EXPECT_FALSE(ssp->may_read(0, 3));
  EXPECT_TRUE(ssp->may_read(1, 0)) << "the slowest never waits";
  EXPECT_TRUE(ssp->on_applied(1, 1, {}));
  EXPECT_TRUE(ssp->may_read(0, 3));
  EXPECT_FALSE(ssp->may_read(0, 4));
}

TEST(Ssp, CountsFromTheSlowestOfAll) {
  const auto ssp = make_sync(spec(SyncKind::ssp, 0), 3);
  ssp->on_applied(0, 1, {});
  ssp->on_applied(1, 1, {});
  EXPECT_FALSE(ssp->may_read(0, 1));
  ssp->on_applied(2, 1, {});
  EXPECT_TRUE(ssp->may_read(0, 1));
  ssp->on_applied(2, 2, {});
  ssp->on_applied(0, 2, {});
  EXPECT_FALSE(ssp->may_read(2, 2));
  ssp->on_applied(1, 2, {});
  EXPECT_TRUE(ssp->may_read(2, 2));
}

// Three of four count; the fourth comes late and is dropped, and begins the next round with the others.
TEST(BackupWorkers, DropWhatComesAfterTheRoundIsFull) {
  const auto backup = make_sync(spec(SyncKind::backup_workers, 1), 4);
  for (const int worker : {2, 0, 1}) {
    EXPECT_TRUE(backup->accepts(worker, false));
    EXPECT_FALSE(backup->may_read(worker, 1)) << "who has contributed waits for the round";
  }
  EXPECT_FALSE(backup->on_applied(2, 1, {}));
  EXPECT_FALSE(backup->accepts(3, false)) << "the round is full, though not yet applied";
  EXPECT_FALSE(backup->may_read(3, 1)) << "it would read what is about to change";
  EXPECT_FALSE(backup->on_applied(0, 1, {}));
  EXPECT_TRUE(backup->on_applied(1, 1, {}));
  for (int worker = 0; worker < 4; ++worker) EXPECT_TRUE(backup->may_read(worker, 1));
  EXPECT_FALSE(backup->accepts(3, true)) << "computed from the version before";
  EXPECT_TRUE(backup->may_read(3, 1));
  EXPECT_FALSE(backup->cancels());
}

TEST(KSync, IsThatAndCancelsTheRest) {
  const auto sync = make_sync(spec(SyncKind::k_sync, 2), 3);
  EXPECT_TRUE(sync->accepts(0, false));
  EXPECT_TRUE(sync->accepts(2, false));
  EXPECT_FALSE(sync->accepts(1, false));
  EXPECT_FALSE(sync->on_applied(0, 1, {}));
  EXPECT_TRUE(sync->on_applied(2, 1, {}));
  EXPECT_TRUE(sync->cancels());
}

TEST(KBatchSync, TakesSeveralGradientsOfOneWorker) {
  const auto sync = make_sync(spec(SyncKind::k_batch_sync, 3), 2);
  EXPECT_TRUE(sync->accepts(0, false));
  EXPECT_FALSE(sync->on_applied(0, 1, {}));
  EXPECT_TRUE(sync->may_read(0, 1)) << "and computes the next from the same version";
  EXPECT_TRUE(sync->accepts(0, false));
  EXPECT_FALSE(sync->on_applied(0, 2, {}));
  EXPECT_TRUE(sync->accepts(1, false));
  EXPECT_FALSE(sync->may_read(0, 2)) << "the round is full";
  EXPECT_TRUE(sync->on_applied(1, 1, {}));
  EXPECT_TRUE(sync->cancels());
}

TEST(KAsync, TakesOldGradientsAndHoldsOnlyWhoContributed) {
  const auto async = make_sync(spec(SyncKind::k_async, 2), 3);
  EXPECT_TRUE(async->accepts(0, false));
  EXPECT_FALSE(async->on_applied(0, 1, {}));
  EXPECT_FALSE(async->may_read(0, 1));
  EXPECT_TRUE(async->may_read(1, 0));
  EXPECT_TRUE(async->accepts(1, false));
  EXPECT_TRUE(async->accepts(2, false)) << "counts for the next version";
  EXPECT_TRUE(async->on_applied(1, 1, {}));
  EXPECT_TRUE(async->may_read(0, 1));
  EXPECT_TRUE(async->may_read(1, 1));
  EXPECT_FALSE(async->on_applied(2, 1, {}));
  EXPECT_FALSE(async->may_read(2, 1));
  EXPECT_TRUE(async->accepts(0, true));
  EXPECT_TRUE(async->on_applied(0, 2, {}));
  EXPECT_FALSE(async->cancels());
}

TEST(NSoftsync, MakesAVersionOfAnyGradients) {
  const auto softsync = make_sync(spec(SyncKind::n_softsync, 2), 7);  // floor(7 / 2) = 3
  EXPECT_EQ(gradients_per_version(spec(SyncKind::n_softsync, 2), 7), 3);
  for (int round = 0; round < 3; ++round) {
    for (const bool last : {false, false, true}) {
      EXPECT_TRUE(softsync->accepts(5, true));
      EXPECT_TRUE(softsync->may_read(5, 1));
      EXPECT_EQ(softsync->on_applied(5, 1, {}), last);
    }
  }
}

SyncSpec dssp(long long low, long long high, Cap cap = Cap::off) {
  SyncSpec sync{SyncKind::dssp};
  sync.low = low;
  sync.high = high;
  sync.cap = cap;
  return sync;
}

/// Worker 0 pushes at 1, 2, 3, … s until it is held or has pushed `most`, worker 1 has pushed at 3 s and at 6 s;
/// the clock at which worker 0 is held.
Clock held_at(SyncPolicy& policy, Clock from, double from_s, Clock most) {
  Clock clock = from;
  while (clock < most) {
    policy.on_applied(0, clock + 1, {from_s + static_cast<double>(clock - from)});
    ++clock;
    if (!policy.may_read(0, clock)) break;
  }
  return clock;
}

// Worker 0 pushes every second, worker 1 every 3 s: at 3 s and 6 s. With low = 1 worker 0 needs credit from its third
// push on, but nobody knows worker 1's pace before its second push: held at clock 3 (least 1 after 3 s).
TEST(Dssp, GivesNoCreditBeforeItKnowsBothIntervals) {
  const auto policy = make_sync(dssp(1, 5), 2);
  policy->on_applied(0, 1, {1.0});
  policy->on_applied(0, 2, {2.0});
  EXPECT_FALSE(policy->may_read(0, 2)) << "2 ahead";
  policy->on_applied(1, 1, {3.0});
  EXPECT_TRUE(policy->may_read(0, 2));
}

// low = 0, high = 4; worker 0 has pushed at 8.5 and 9.5 s (interval 1 s), worker 1 at 6 and 9 s (interval 3 s; next 12,
// 15, …). Worker 0's next pushes at 9.5 + r: r = 2: 11.5 (off by 0.5), r = 3: 12.5 (0.5), r = 0: 2.5, r = 1: 1.5,
// r = 4: 1.5. The least r with the least distance, 2: it may read at its clock, and at the next.
TEST(Dssp, GrantsTheStepsThatEndNearestToAPushOfTheSlowest) {
  const auto policy = make_sync(dssp(0, 4), 2);
  policy->on_applied(1, 1, {6.0});
  policy->on_applied(0, 1, {8.5});
  policy->on_applied(1, 2, {9.0});
  policy->on_applied(0, 2, {9.5});
  EXPECT_TRUE(policy->may_read(0, 2));
  // One more, at 10.5: now clock 3 is ahead of 2. Next: 10.5 + r = 11.5 (0.5), 12.5 (0.5), 10.5 (1.5): r* = 1.
  policy->on_applied(0, 3, {10.5});
  EXPECT_TRUE(policy->may_read(0, 3));
  EXPECT_FALSE(policy->may_read(0, 4));
  // At 11.5: 11.5 + r: r = 0 (0.5), r = 1 (0.5): r* = 0.
  policy->on_applied(0, 4, {11.5});
  EXPECT_FALSE(policy->may_read(0, 4));
  policy->on_applied(1, 3, {12.0});
  policy->on_applied(1, 4, {15.0});
  EXPECT_TRUE(policy->may_read(0, 4));
}

// Intervals of 1 s and 3 s as before, credit of several steps: at clock 3, pushed at 9.1 s, worker 1's next push is due
// at 12 s, nearest to 9.1 + 3 = 12.1 s: it may read at the clocks 3, 4 and 5, whatever happens meanwhile.
TEST(Dssp, CountsTheGrantedStepAsTheFirstOfItsCredit) {
  const auto policy = make_sync(dssp(0, 4), 2);
  policy->on_applied(1, 1, {6.0});
  policy->on_applied(0, 1, {7.1});
  policy->on_applied(0, 2, {8.1});
  policy->on_applied(1, 2, {9.0});
  policy->on_applied(0, 3, {9.1});
  EXPECT_TRUE(policy->may_read(0, 3));
  policy->on_applied(0, 4, {10.1});
  EXPECT_TRUE(policy->may_read(0, 4));
  policy->on_applied(0, 5, {11.1});
  EXPECT_TRUE(policy->may_read(0, 5));
  EXPECT_FALSE(policy->may_read(0, 6));
}

// The slowest pushes every 100 s: to come close to 200 s, each grant is all there is, 2 steps. Without a cap worker 0
// is never held; with one it is, when it is high = 3 ahead and would be 4.
TEST(Dssp, BoundsTheLeadOnlyWithACap) {
  for (const Cap cap : {Cap::off, Cap::on}) {
    const auto policy = make_sync(dssp(1, 3, cap), 2);
    policy->on_applied(1, 1, {0.5});
    policy->on_applied(0, 1, {1.0});
    policy->on_applied(1, 2, {100.5});
    policy->on_applied(0, 2, {101.0});
    EXPECT_EQ(held_at(*policy, 2, 102.0, 40), cap == Cap::on ? 6 : 40);
  }
}

// low = 0. Worker 0 has completed 5 and worker 2, the slowest, 2 steps, a second each: worker 1 with 3 is not the fastest.
TEST(Dssp, HoldsWhoIsNotTheFastest) {
  const auto policy = make_sync(dssp(0, 4), 3);
  for (const int worker : {0, 1, 2}) policy->on_applied(worker, 1, {1.0});
  for (const Clock clock : {2, 3, 4, 5}) policy->on_applied(0, clock, {static_cast<double>(clock)});
  policy->on_applied(2, 2, {5.0});
  policy->on_applied(1, 2, {5.1});
  policy->on_applied(1, 3, {6.1});
  EXPECT_FALSE(policy->may_read(1, 3));
}

SyncSpec dsp(long long slack, long long high, long long memory) {
  SyncSpec sync{SyncKind::dsp};
  sync.low = slack;
  sync.high = high;
  sync.memory = memory;
  return sync;
}

/// A step of each worker: all read at `from_s` and push after their time.
void step(SyncPolicy& policy, Clock clock, double from_s, const std::vector<double>& steps_s) {
  for (std::size_t w = 0; w < steps_s.size(); ++w) policy.on_read(static_cast<int>(w), {from_s});
  for (std::size_t w = 0; w < steps_s.size(); ++w) policy.on_applied(static_cast<int>(w), clock, {from_s + steps_s[w]});
}

// Four steps of 1 s teach the monitor. Then worker 1 is slowed down: from 4 s on its step lasts. Worker 0 completes its
// 5th step at 5 s, and so on; slack 1. At 6 s worker 1 is 2 s into its step: 1 clock lost, so it counts as 5, and
// worker 0 at 6 may go on; so at 7 s, 8 s, … although it is 3, 4, … clocks ahead; until 9 = 4 + high.
TEST(Dsp, DoesNotCountWhatPassingInterferenceTakes) {
  const auto policy = make_sync(dsp(1, 5, 8), 2);
  for (Clock clock = 1; clock <= 4; ++clock) step(*policy, clock, static_cast<double>(clock - 1), {1.0, 1.0});
  policy->on_read(0, {4.0});
  policy->on_read(1, {4.0});
  for (Clock clock = 5; clock <= 9; ++clock) {
    policy->on_applied(0, clock, {static_cast<double>(clock)});
    EXPECT_TRUE(policy->may_read(0, clock)) << clock;
    policy->on_read(0, {static_cast<double>(clock)});
  }
  policy->on_applied(0, 10, {10.0});
  EXPECT_FALSE(policy->may_read(0, 10)) << "6 ahead";
  // Its step of 7 s lost 6 clocks: completed 5, counts as 11. In time again, it repays a quarter of a clock a step.
  policy->on_applied(1, 5, {11.0});
  EXPECT_TRUE(policy->may_read(0, 10));
  EXPECT_FALSE(policy->may_read(0, 11));
  for (Clock clock = 6; clock <= 30; ++clock) {
    policy->on_read(1, {static_cast<double>(clock + 5)});
    policy->on_applied(1, clock, {static_cast<double>(clock + 6)});
  }
  for (Clock clock = 11; clock <= 31; ++clock) policy->on_applied(0, clock, {36.0});
  EXPECT_TRUE(policy->may_read(0, 31));
  EXPECT_FALSE(policy->may_read(0, 32)) << "24 steps in time have repaid all 6 clocks: the slack is 1 again";
}

// A worker whose steps always take 3 times as long as the other's is never late: as ssp with the same slack.
TEST(Dsp, WaitsForANodeThatIsAlwaysSlow) {
  const auto policy = make_sync(dsp(1, 50, 8), 2);
  for (Clock clock = 1; clock <= 10; ++clock) step(*policy, clock, 3.0 * static_cast<double>(clock - 1), {1.0, 3.0});
  policy->on_read(1, {30.0});
  for (Clock clock = 11; clock <= 12; ++clock) policy->on_applied(0, clock, {20.0 + static_cast<double>(clock)});
  EXPECT_FALSE(policy->may_read(0, 12));
}

TEST(BoundedDelay, LetsWorkersBeRoundsAhead) {
  SyncSpec sync{SyncKind::bounded_delay};
  sync.delay = 1;
  const auto policy = make_sync(sync, 2);
  EXPECT_FALSE(policy->on_applied(0, 1, {}));
  EXPECT_TRUE(policy->may_read(0, 1));
  EXPECT_FALSE(policy->on_applied(0, 2, {}));
  EXPECT_FALSE(policy->may_read(0, 2));
  EXPECT_TRUE(policy->on_applied(1, 1, {})) << "the first step of all workers is complete";
  EXPECT_TRUE(policy->may_read(0, 2));
}

TEST(Leaving, NobodyWaitsForWhoHasLeft) {
  const auto ssp = make_sync(spec(SyncKind::ssp, 1), 3);
  ssp->on_applied(0, 1, {});
  ssp->on_applied(0, 2, {});
  ssp->on_applied(1, 1, {});
  EXPECT_FALSE(ssp->may_read(0, 2));
  EXPECT_FALSE(ssp->on_leave(2)) << "a gradient makes a version, a farewell does not";
  EXPECT_TRUE(ssp->may_read(0, 2)) << "the slowest is worker 1, with one step";
  // It comes back with no step completed and counts as worker 1, the slowest.
  ssp->on_return(2, 0);
  EXPECT_TRUE(ssp->may_read(2, 0));
  EXPECT_TRUE(ssp->may_read(0, 2));
  EXPECT_FALSE(ssp->may_read(0, 3));
  ssp->on_applied(1, 2, {});
  EXPECT_FALSE(ssp->may_read(0, 3)) << "worker 2 still counts as 1";
  ssp->on_applied(2, 1, {});
  EXPECT_TRUE(ssp->may_read(0, 3));
}

TEST(Leaving, TheLastToLeaveLeavesTheClocksAsTheyAre) {
  const auto ssp = make_sync(spec(SyncKind::ssp, 0), 2);
  ssp->on_applied(0, 1, {});
  ssp->on_leave(1);
  ssp->on_leave(0);
  ssp->on_return(1, 0);
  EXPECT_TRUE(ssp->may_read(1, 0));
  ssp->on_return(0, 1);
  EXPECT_TRUE(ssp->may_read(0, 1)) << "worker 1 counts as having completed what all had when it returned";
}

// bsp of three: worker 0 has contributed, 1 leaves, and 2 completes the round of two.
TEST(Leaving, ARoundTakesThoseWhoAreHere) {
  const auto bsp = make_sync({SyncKind::bsp}, 3);
  EXPECT_FALSE(bsp->on_applied(0, 1, {}));
  EXPECT_FALSE(bsp->on_leave(1));
  EXPECT_TRUE(bsp->on_applied(2, 1, {}));
  bsp->on_return(1, 0);
  EXPECT_TRUE(bsp->may_read(1, 0));
  EXPECT_FALSE(bsp->on_applied(0, 2, {}));
  EXPECT_FALSE(bsp->on_applied(2, 2, {})) << "it takes part again";
  EXPECT_TRUE(bsp->on_applied(1, 1, {}));
}

// k_sync with k = 3 of 3: two gradients are in when the third worker leaves, one of them still being applied.
TEST(Leaving, ARoundEndsWithWhatIsAppliedAndOnItsWay) {
  const auto sync = make_sync(spec(SyncKind::k_sync, 3), 3);
  EXPECT_TRUE(sync->accepts(0, false));
  EXPECT_TRUE(sync->accepts(1, false));
  EXPECT_FALSE(sync->on_applied(0, 1, {}));
  EXPECT_FALSE(sync->on_leave(2));
  EXPECT_TRUE(sync->on_applied(1, 1, {}));
  // Both applied when the third leaves: at once.
  const auto again = make_sync(spec(SyncKind::k_sync, 3), 3);
  for (const int worker : {0, 1}) {
    EXPECT_TRUE(again->accepts(worker, false));
    EXPECT_FALSE(again->on_applied(worker, 1, {}));
  }
  EXPECT_TRUE(again->on_leave(2));
  EXPECT_TRUE(again->may_read(0, 1));
}

/// Every policy that make_sync knows, for four workers.
std::vector<SyncSpec> every_policy() {
  SyncSpec delay{SyncKind::bounded_delay};
  delay.delay = 1;
  SyncSpec a_dsp = dsp(1, 8, 8);
  a_dsp.kind = SyncKind::a_dsp;
  return {{SyncKind::asp},
          {SyncKind::bsp},
          spec(SyncKind::ssp, 1),
          delay,
          dssp(1, 3),
          dssp(1, 3, Cap::on),
          dsp(1, 8, 8),
          a_dsp,
          spec(SyncKind::backup_workers, 1),
          spec(SyncKind::k_sync, 2),
          spec(SyncKind::k_sync, 4),
          spec(SyncKind::k_batch_sync, 6),
          spec(SyncKind::k_async, 4),
          spec(SyncKind::k_batch_async, 6),
          spec(SyncKind::n_softsync, 1)};
}

// Workers that read, push, leave and return at random: someone who is here may always read or has read. A worker that
// leaves has read before.
TEST(Leaving, NeverLeavesEverybodyWaiting) {
  for (const SyncSpec& sync : every_policy()) {
    const auto policy = make_sync(sync, 4);
    std::mt19937 random(7);
    struct Worker {
      enum class At { asks, computes, away } at = At::asks;
      Clock clock = 0;
      std::int64_t read = 0;
    };
    std::array<Worker, 4> workers;
    std::int64_t version = 0;
    double now_s = 0.0;
    for (int event = 0; event < 20000; ++event) {
      for (std::size_t w = 0; w < workers.size(); ++w)
        if (workers[w].at == Worker::At::asks && policy->may_read(static_cast<int>(w), workers[w].clock)) {
          workers[w].at = Worker::At::computes;
          workers[w].read = version;
          policy->on_read(static_cast<int>(w), {now_s});
        }
      const auto here = std::ranges::count_if(workers, [](const Worker& w) { return w.at != Worker::At::away; });
      const auto busy = std::ranges::count(workers, Worker::At::computes, &Worker::at);
      ASSERT_TRUE(here == 0 || busy > 0) << describe(sync) << ": all wait, event " << event;
      const std::size_t w = random() % 4;
      const int index = static_cast<int>(w);
      Worker& worker = workers[w];
      now_s += 1.0 + static_cast<double>(random() % 1000) / 1000.0;
      if (worker.at == Worker::At::away) {
        policy->on_return(index, worker.clock);
        worker.at = Worker::At::asks;
      } else if (worker.at == Worker::At::computes && random() % 5 == 0) {
        version += policy->on_leave(index) ? 1 : 0;
        worker.at = Worker::At::away;
      } else if (worker.at == Worker::At::computes) {
        ++worker.clock;
        worker.at = Worker::At::asks;
        if (policy->accepts(index, worker.read < version) && policy->on_applied(index, worker.clock, {now_s}))
          ++version;
      }
    }
    EXPECT_GT(version, 1000) << describe(sync);
  }
}

}  // namespace
}  // namespace stagger
