// When a bandwidth changes, and what is there of it in the mean, by hand.
#include "sim/base/bandwidth_profile.hpp"

#include <gtest/gtest.h>

namespace stagger {
namespace {

// All of it until 2 s, a half until 3 s, nothing until 5 s, and again.
const BandwidthProfile kAgain{Seconds{5.0}, {{Seconds{}, 1.0}, {Seconds{2.0}, 0.5}, {Seconds{3.0}, 0.0}}};
// The same, and then a quarter for ever.
const BandwidthProfile kOnce{{}, {{Seconds{}, 1.0}, {Seconds{2.0}, 0.5}, {Seconds{3.0}, 0.0}, {Seconds{5.0}, 0.25}}};

TEST(BandwidthProfile, ChangesUntilItsLastStepOrAgainAndAgain) {
  EXPECT_EQ(nth_change(kOnce, 0)->at.si, 0.0);
  EXPECT_EQ(nth_change(kOnce, 3)->at.si, 5.0);
  EXPECT_EQ(nth_change(kOnce, 3)->share, 0.25);
  EXPECT_FALSE(nth_change(kOnce, 4));
  EXPECT_EQ(nth_change(kAgain, 3)->at.si, 5.0);
  EXPECT_EQ(nth_change(kAgain, 7)->at.si, 12.0);
  EXPECT_EQ(nth_change(kAgain, 7)->share, 0.5);
}

// A turn has 2 + 0.5 of 5 s. From 1 to 2.5 s: 1 + 0.25; from 4 to 12.5 s: one turn, 2 s and half a second of one half.
TEST(BandwidthProfile, HasAMeanBetweenTwoTimes) {
  EXPECT_DOUBLE_EQ(mean_share(kAgain, Seconds{1.0}, Seconds{2.5}), 1.25 / 1.5);
  EXPECT_DOUBLE_EQ(mean_share(kAgain, Seconds{4.0}, Seconds{12.5}), (2.5 + 2.0 + 0.25) / 8.5);
  EXPECT_DOUBLE_EQ(mean_share(kOnce, Seconds{4.0}, Seconds{12.5}), 0.25 * 7.5 / 8.5);
  EXPECT_DOUBLE_EQ(mean_share(kAgain, Seconds{3.5}, Seconds{4.5}), 0.0);
}

TEST(BandwidthProfile, HasAMeanInTheLongRun) {
  EXPECT_DOUBLE_EQ(long_run_share(kAgain), 0.5);
  EXPECT_DOUBLE_EQ(long_run_share(kOnce), 0.25);
}

}  // namespace
}  // namespace stagger
