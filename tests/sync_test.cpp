// Synchronisation policies as state machines, without an engine.
#include "sim/config/sync.hpp"
#include "sim/policy/sync.hpp"

#include <gtest/gtest.h>

namespace stagger {
namespace {

TEST(Asp, NobodyEverWaits) {
  const auto asp = make_sync({SyncKind::asp}, 3);
  EXPECT_TRUE(asp->may_read(0, 0));
  for (Clock clock = 1; clock <= 5; ++clock) asp->on_applied(0, clock);
  EXPECT_TRUE(asp->may_read(0, 5));
  EXPECT_TRUE(asp->may_read(1, 0));
}

TEST(Asp, EveryGradientMakesAVersion) {
  const auto asp = make_sync({SyncKind::asp}, 2);
  EXPECT_TRUE(asp->on_applied(0, 1));
  EXPECT_TRUE(asp->on_applied(0, 2));
  EXPECT_TRUE(asp->on_applied(1, 1));
}

TEST(Bsp, AVersionTakesOneGradientOfEachWorker) {
  const auto bsp = make_sync({SyncKind::bsp}, 3);
  for (Clock round = 1; round <= 4; ++round) {
    EXPECT_FALSE(bsp->on_applied(2, round));
    EXPECT_FALSE(bsp->on_applied(0, round));
    EXPECT_TRUE(bsp->on_applied(1, round));
  }
}

TEST(Bsp, HoldsAWorkerUntilTheRoundIsComplete) {
  const auto bsp = make_sync({SyncKind::bsp}, 2);
  EXPECT_TRUE(bsp->may_read(0, 0));
  EXPECT_TRUE(bsp->may_read(1, 0));
  bsp->on_applied(0, 1);
  EXPECT_FALSE(bsp->may_read(0, 1));
  EXPECT_TRUE(bsp->may_read(1, 0)) << "who has not contributed may still read";
  bsp->on_applied(1, 1);
  EXPECT_TRUE(bsp->may_read(0, 1));
  EXPECT_TRUE(bsp->may_read(1, 1));
  EXPECT_FALSE(bsp->may_read(0, 2));
}

TEST(Bsp, ALoneWorkerNeverWaits) {
  const auto bsp = make_sync({SyncKind::bsp}, 1);
  for (Clock clock = 0; clock < 5; ++clock) {
    EXPECT_TRUE(bsp->may_read(0, clock));
    EXPECT_TRUE(bsp->on_applied(0, clock + 1));
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
    EXPECT_TRUE(ssp->on_applied(0, clock));
    EXPECT_TRUE(ssp->may_read(0, clock)) << "2 clocks ahead of worker 1, which has completed none";
  }
  EXPECT_TRUE(ssp->on_applied(0, 3));
  EXPECT_FALSE(ssp->may_read(0, 3));
  EXPECT_TRUE(ssp->may_read(1, 0)) << "the slowest never waits";
  EXPECT_TRUE(ssp->on_applied(1, 1));
  EXPECT_TRUE(ssp->may_read(0, 3));
  EXPECT_FALSE(ssp->may_read(0, 4));
}

TEST(Ssp, CountsFromTheSlowestOfAll) {
  const auto ssp = make_sync(spec(SyncKind::ssp, 0), 3);
  ssp->on_applied(0, 1);
  ssp->on_applied(1, 1);
  EXPECT_FALSE(ssp->may_read(0, 1));
  ssp->on_applied(2, 1);
  EXPECT_TRUE(ssp->may_read(0, 1));
  ssp->on_applied(2, 2);
  ssp->on_applied(0, 2);
  EXPECT_FALSE(ssp->may_read(2, 2));
  ssp->on_applied(1, 2);
  EXPECT_TRUE(ssp->may_read(2, 2));
}

// Three of four count; the fourth comes late and is dropped, and begins the next round with the others.
TEST(BackupWorkers, DropWhatComesAfterTheRoundIsFull) {
  const auto backup = make_sync(spec(SyncKind::backup_workers, 1), 4);
  for (const int worker : {2, 0, 1}) {
    EXPECT_TRUE(backup->accepts(worker, false));
    EXPECT_FALSE(backup->may_read(worker, 1)) << "who has contributed waits for the round";
  }
  EXPECT_FALSE(backup->on_applied(2, 1));
  EXPECT_FALSE(backup->accepts(3, false)) << "the round is full, though not yet applied";
  EXPECT_FALSE(backup->may_read(3, 1)) << "it would read what is about to change";
  EXPECT_FALSE(backup->on_applied(0, 1));
  EXPECT_TRUE(backup->on_applied(1, 1));
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
  EXPECT_FALSE(sync->on_applied(0, 1));
  EXPECT_TRUE(sync->on_applied(2, 1));
  EXPECT_TRUE(sync->cancels());
}

TEST(KBatchSync, TakesSeveralGradientsOfOneWorker) {
  const auto sync = make_sync(spec(SyncKind::k_batch_sync, 3), 2);
  EXPECT_TRUE(sync->accepts(0, false));
  EXPECT_FALSE(sync->on_applied(0, 1));
  EXPECT_TRUE(sync->may_read(0, 1)) << "and computes the next from the same version";
  EXPECT_TRUE(sync->accepts(0, false));
  EXPECT_FALSE(sync->on_applied(0, 2));
  EXPECT_TRUE(sync->accepts(1, false));
  EXPECT_FALSE(sync->may_read(0, 2)) << "the round is full";
  EXPECT_TRUE(sync->on_applied(1, 1));
  EXPECT_TRUE(sync->cancels());
}

TEST(KAsync, TakesOldGradientsAndHoldsOnlyWhoContributed) {
  const auto async = make_sync(spec(SyncKind::k_async, 2), 3);
  EXPECT_TRUE(async->accepts(0, false));
  EXPECT_FALSE(async->on_applied(0, 1));
  EXPECT_FALSE(async->may_read(0, 1));
  EXPECT_TRUE(async->may_read(1, 0));
  EXPECT_TRUE(async->accepts(1, false));
  EXPECT_TRUE(async->accepts(2, false)) << "counts for the next version";
  EXPECT_TRUE(async->on_applied(1, 1));
  EXPECT_TRUE(async->may_read(0, 1));
  EXPECT_TRUE(async->may_read(1, 1));
  EXPECT_FALSE(async->on_applied(2, 1));
  EXPECT_FALSE(async->may_read(2, 1));
  EXPECT_TRUE(async->accepts(0, true));
  EXPECT_TRUE(async->on_applied(0, 2));
  EXPECT_FALSE(async->cancels());
}

TEST(NSoftsync, MakesAVersionOfAnyGradients) {
  const auto softsync = make_sync(spec(SyncKind::n_softsync, 2), 7);  // floor(7 / 2) = 3
  EXPECT_EQ(gradients_per_version(spec(SyncKind::n_softsync, 2), 7), 3);
  for (int round = 0; round < 3; ++round) {
    for (const bool last : {false, false, true}) {
      EXPECT_TRUE(softsync->accepts(5, true));
      EXPECT_TRUE(softsync->may_read(5, 1));
      EXPECT_EQ(softsync->on_applied(5, 1), last);
    }
  }
}

}  // namespace
}  // namespace stagger
