// A first-come server with service that is not exponential, against theory, hand calculation and published simulations.
#include "analysis/first_come.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "analysis/mva.hpp"

namespace stagger {
namespace {

const Distribution kExponential{DistributionKind::exponential, 1.0, {}};
const Distribution kConstant{};

TEST(FirstCome, OfExponentialServiceIsMva) {
  for (const int n : {1, 2, 8, 100, 3000})
    for (const double service_s : {0.001, 0.2, 3.0}) {
      const double exact =
          solve_mva({{"think", 1.5, std::numeric_limits<double>::infinity()}, {"server", service_s, 1.0}}, n)
              .throughput_per_s;
      EXPECT_NEAR(exponential_think_per_s({n, 1.5, 1.0, service_s, kExponential}), exact, 1e-10 * exact);
      // Product form: whatever the think times.
      EXPECT_NEAR(first_come_per_s({n, 1.5, 0.1, service_s, kExponential}), exact, 1e-10 * exact);
      EXPECT_NEAR(first_come_per_s({n, 1.5, 3.0, service_s, kExponential}), exact, 1e-10 * exact);
    }
}

// Two customers, thinking and constant service of 1 s: p_0 = 1 / (1 + 2 (1 + (e - 1))) = 1 / (1 + 2 e). One customer:
// 1 / (z + s) for any times.
TEST(FirstCome, OfConstantServiceByHand) {
  EXPECT_NEAR(exponential_think_per_s({2, 1.0, 1.0, 1.0, kConstant}), 1.0 - 1.0 / (1.0 + 2.0 * std::exp(1.0)), 1e-12);
  for (const Distribution& service : {kConstant, Distribution{DistributionKind::lognormal, 2.0, {}}})
    EXPECT_NEAR(first_come_per_s({1, 3.0, 1.0, 1.0, service}), 0.25, 1e-9);
}

// Eight customers, 1 s of thinking, 0.2 s of constant service: 4.85, 4.94 and 5.00 per second for exponential think
// times, a cv of 0.5, and at most 0.1 (simulated by an independent program), where MVA gives 4.650.
TEST(FirstCome, OfConstantServiceAsSimulatedElsewhere) {
  EXPECT_NEAR(first_come_per_s({8, 1.0, 1.0, 0.2, kConstant}), 4.85, 0.005);
  EXPECT_NEAR(first_come_per_s({8, 1.0, 0.5, 0.2, kConstant}), 4.94, 0.015 * 4.94);
  EXPECT_NEAR(first_come_per_s({8, 1.0, 0.1, 0.2, kConstant}), 5.00, 0.015 * 5.00);
  EXPECT_LE(first_come_per_s({8, 1.0, 0.0, 0.2, kConstant}), 5.0);
}

// A shape that is summed over cells, beside the same in closed form.
TEST(FirstCome, OfAnyServiceBySummingIt) {
  const double gamma = exponential_think_per_s({8, 1.0, 1.0, 0.2, {DistributionKind::gamma, 1.0 / std::sqrt(2.0), {}}});
  EXPECT_NEAR(exponential_think_per_s({8, 1.0, 1.0, 0.2, {DistributionKind::weibull, 0.7135, {}}}), gamma,
              0.002 * gamma);
  const double constant = exponential_think_per_s({8, 1.0, 1.0, 0.2, kConstant});
  EXPECT_NEAR(exponential_think_per_s({8, 1.0, 1.0, 0.2, {DistributionKind::uniform, 0.01, {}}}), constant,
              1e-4 * constant);
}

TEST(FirstCome, NeverLeavesTheBounds) {
  std::mt19937 random(1);
  const auto up_to = [&](double most) { return std::uniform_real_distribution(0.0, most)(random); };
  for (int i = 0; i < 3000; ++i) {
    const MachineRepair repair{1 + static_cast<int>(random() % 500), 1e-6 + up_to(2.0), up_to(3.0), 1e-6 + up_to(2.0),
                               i % 2 == 0 ? kConstant : Distribution{DistributionKind::gamma, 0.001 + up_to(3.0), {}}};
    const double per_s = first_come_per_s(repair);
    EXPECT_GT(per_s, 0.0);
    EXPECT_LE(per_s * repair.service_s, 1.0 + 1e-12);
    EXPECT_LE(per_s * (repair.think_s + repair.service_s), repair.customers * (1.0 + 1e-12));
  }
}

}  // namespace
}  // namespace stagger
