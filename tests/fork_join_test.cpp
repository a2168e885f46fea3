// Updates of several servers at once, against order statistics, hand calculation and limits. The errors beside
// simulations: tests/layouts_simulation_test.cpp.
#include "analysis/fork_join.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/mva.hpp"

namespace stagger {
namespace {

const Distribution kExponential{DistributionKind::exponential, 1.0, {}};
const Distribution kConstant{};

// H_n = 1 + 1/2 + ... + 1/n; of a uniform time on 1 +- a with a = sqrt(3) cv: 1 + a (n-1)/(n+1).
TEST(ForkJoin, TheMeanOfTheLargestIsThatOfOrderStatistics) {
  EXPECT_NEAR(mean_of_largest(kExponential, 1.0), 1.0, 1e-9);
  EXPECT_NEAR(mean_of_largest(kExponential, 2.0), 1.5, 1e-5);
  EXPECT_NEAR(mean_of_largest(kExponential, 8.0), 2.717857, 1e-5);
  EXPECT_NEAR(mean_of_largest(kExponential, 128.0), 5.433147, 1e-4);
  EXPECT_NEAR(mean_of_largest({DistributionKind::uniform, 0.4, {}}, 5.0), 1.0 + std::sqrt(3.0) * 0.4 * 4.0 / 6.0, 1e-5);
  EXPECT_EQ(mean_of_largest(kConstant, 100.0), 1.0);
  // SciPy 1.10: integrate.quad(lambda x: 1 - gamma.cdf(x, 4, scale=0.25)**8, 0, 30)
  EXPECT_NEAR(mean_of_largest({DistributionKind::gamma, 0.5, {}}, 8.0), 1.807867, 1e-4);
}

TEST(ForkJoin, OfOneExponentialServerChangesNothing) {
  for (const int n : {1, 3, 50}) EXPECT_NEAR(fork_join_factor({{n, 1.0, 0.2, 0.1, kExponential}}), 1.0, 1e-12);
}

// One customer: z + s over z + s H_4, with H_4 = 25/12.
TEST(ForkJoin, OfOneCustomerIsTheOrderStatistic) {
  EXPECT_NEAR(fork_join_factor({{1, 1.0, 1.0, 0.6, kExponential}, 4.0}), 1.6 / (1.0 + 0.6 * 25.0 / 12.0), 1e-5);
  EXPECT_NEAR(fork_join_factor({{1, 1.0, 1.0, 0.6, kConstant}, 4.0}), 1.0, 1e-9);
}

// Two customers, z = s = 1, two servers: R(1) = H_2 = 1.5, X(1) = 1/2.5, Q(1) = 0.6, R(2) = 2.1, X(2) = 2/3.1. With
// product form Q(1) = 1/2, X(2) = 2/2.5.
TEST(ForkJoin, OfTwoCustomersByHand) {
  EXPECT_NEAR(fork_join_factor({{2, 1.0, 1.0, 1.0, kExponential}, 2.0}), (2.0 / 3.1) / (2.0 / 2.5), 1e-5);
}

TEST(ForkJoin, WaitsForMoreServersLonger) {
  double before = 1.0;
  for (const double servers : {2.0, 2.5, 4.0, 32.0}) {
    const double factor = fork_join_factor({{16, 1.0, 0.5, 0.07, kExponential}, servers});
    EXPECT_LT(factor, before);
    before = factor;
  }
}

// Nobody queues while there is a thread for everybody, and with many more workers than threads the last ones matter as
// for one fast thread.
TEST(ForkJoin, OfThreadsLiesBetweenNoQueueAndOneFastServer) {
  EXPECT_EQ(fork_join_factor({{4, 1.0, 0.1, 0.5, kConstant}, 1.0, 4.0}), 1.0);
  EXPECT_EQ(fork_join_factor({{4, 1.0, 0.1, 0.5, kConstant}, 1.0, std::numeric_limits<double>::infinity()}), 1.0);
  const MachineRepair fast{100, 1.0, 0.1, 0.01, kConstant};
  const double one = first_come_per_s(fast) / exponential_think_per_s({100, 1.0, 0.1, 0.01, kExponential});
  const double two = fork_join_factor({{100, 0.99, 0.1 / 0.99, 0.02, kConstant}, 1.0, 2.0});
  EXPECT_NEAR(two - 1.0, one - 1.0, 0.03 * (one - 1.0));
}

}  // namespace
}  // namespace stagger
