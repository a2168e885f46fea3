// Synchronisation policies as state machines, without an engine.
#include "sim/policy/sync.hpp"

#include <gtest/gtest.h>

namespace stagger {
namespace {

TEST(Asp, NobodyEverWaits) {
  const auto asp = make_sync(SyncKind::asp, 3);
  EXPECT_TRUE(asp->may_read(0, 0));
  for (Clock clock = 1; clock <= 5; ++clock) asp->on_applied(0, clock);
  EXPECT_TRUE(asp->may_read(0, 5));
  EXPECT_TRUE(asp->may_read(1, 0));
}

TEST(Asp, EveryGradientMakesAVersion) {
  const auto asp = make_sync(SyncKind::asp, 2);
  EXPECT_TRUE(asp->on_applied(0, 1));
  EXPECT_TRUE(asp->on_applied(0, 2));
  EXPECT_TRUE(asp->on_applied(1, 1));
}

TEST(Bsp, AVersionTakesOneGradientOfEachWorker) {
  const auto bsp = make_sync(SyncKind::bsp, 3);
  for (Clock round = 1; round <= 4; ++round) {
    EXPECT_FALSE(bsp->on_applied(2, round));
    EXPECT_FALSE(bsp->on_applied(0, round));
    EXPECT_TRUE(bsp->on_applied(1, round));
  }
}

TEST(Bsp, HoldsAWorkerUntilTheRoundIsComplete) {
  const auto bsp = make_sync(SyncKind::bsp, 2);
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
  const auto bsp = make_sync(SyncKind::bsp, 1);
  for (Clock clock = 0; clock < 5; ++clock) {
    EXPECT_TRUE(bsp->may_read(0, clock));
    EXPECT_TRUE(bsp->on_applied(0, clock + 1));
  }
}

}  // namespace
}  // namespace stagger
