// Bard-Schweitzer and Linearizer: against GNU Octave, and how far they are from the exact solution.
#include "analysis/multiclass_approximate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "analysis/multiclass_exact.hpp"
#include "tests/multiclass_reference.hpp"

namespace stagger {
namespace {

double largest_error(const MulticlassResult& result, const MulticlassResult& exact) {
  double largest = 0.0;
  for (std::size_t c = 0; c < exact.throughput_per_s.size(); ++c)
    if (exact.throughput_per_s[c] > 0.0)
      largest = std::max(largest, std::abs(result.throughput_per_s[c] / exact.throughput_per_s[c] - 1.0));
  return largest;
}

/// Of the throughputs of many networks: per network the largest over its classes.
struct Errors {
  std::vector<double> each;
  double largest() const { return *std::ranges::max_element(each); }
  double mean() const { return std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size()); }
  double share_above(double error) const {
    const auto above = std::ranges::count_if(each, [error](double e) { return e > error; });
    return static_cast<double>(above) / static_cast<double>(each.size());
  }
};

TEST(BardSchweitzer, AgreesWithOctave) {
  int compared = 0;
  for (const CsvRow& row : read_csv("networks_octave.csv")) {
    if (row.text.at("schweitzer_per_s") == "-") continue;
    const auto throughputs = list(row.text.at("schweitzer_per_s"));
    const MulticlassResult result = solve_bard_schweitzer(network_of(row));
    EXPECT_EQ(result.method, "Bard-Schweitzer");
    for (std::size_t c = 0; c < throughputs.size(); ++c)
      ASSERT_NEAR(result.throughput_per_s[c], throughputs[c], 1e-8 * throughputs[c]) << row.text.at("customers");
    ++compared;
  }
  EXPECT_GE(compared, 150);
}

TEST(Linearizer, IsExactForTwoCustomers) {
  // All it needs then are the populations of one customer less, of which it has all.
  RandomNetworks random(17);
  for (int trial = 0; trial < 200; ++trial) {
    MulticlassNetwork network = random(1 + trial % 2, 1, false);
    if (network.customers.size() == 1) network.customers[0] = 2;
    EXPECT_LT(largest_error(solve_linearizer(network), solve_exact(network)), 1e-8) << trial;
  }
}

TEST(Approximations, AreExactForOneCustomerAndForDelays) {
  RandomNetworks random(19);
  for (int trial = 0; trial < 100; ++trial) {
    MulticlassNetwork network = random(1, 1);
    EXPECT_LT(largest_error(solve_bard_schweitzer(network), solve_exact(network)), 1e-14);
    EXPECT_LT(largest_error(solve_linearizer(network), solve_exact(network)), 1e-14);
  }
  const MulticlassNetwork delays{{{"think", kDelay}}, {{2.0}, {0.5}}, {8, 3}};
  for (const auto& solve : {solve_bard_schweitzer, solve_linearizer}) {
    const MulticlassResult result = solve(delays, kMostSteps);
    EXPECT_DOUBLE_EQ(result.throughput_per_s[0], 4.0);
    EXPECT_DOUBLE_EQ(result.throughput_per_s[1], 6.0);
    EXPECT_TRUE(result.converged);
  }
}

bool has_several_servers(const MulticlassNetwork& network) {
  return std::ranges::any_of(network.stations,
                             [](const MulticlassStation& s) { return s.parallelism > 1.0 && s.parallelism < kDelay; });
}

TEST(Approximations, AreAsCloseAsTheirHeaderSays) {
  // Without and with stations of several servers.
  std::array<Errors, 2> schweitzer;
  std::array<Errors, 2> linearizer;
  for (const CsvRow& row : read_csv("networks_octave.csv")) {
    const MulticlassNetwork network = network_of(row);
    const MulticlassResult exact = solve_exact(network);
    const MulticlassResult bard = solve_bard_schweitzer(network);
    const MulticlassResult linear = solve_linearizer(network);
    EXPECT_TRUE(bard.converged && linear.converged) << row.text.at("customers");
    EXPECT_LE(bard.residual, kShareTolerance);
    EXPECT_LE(linear.residual, kRoundTolerance);
    schweitzer[has_several_servers(network)].each.push_back(largest_error(bard, exact));
    linearizer[has_several_servers(network)].each.push_back(largest_error(linear, exact));
  }
  ASSERT_GE(linearizer[0].each.size(), 200U);
  ASSERT_GE(linearizer[1].each.size(), 200U);
  EXPECT_LE(schweitzer[0].mean(), 0.013);
  EXPECT_LE(schweitzer[0].largest(), 0.32);
  EXPECT_LE(schweitzer[1].mean(), 0.028);
  EXPECT_LE(schweitzer[1].largest(), 0.30);
  EXPECT_LE(linearizer[0].mean(), 0.0009);
  EXPECT_LE(linearizer[0].share_above(0.01), 0.01);
  EXPECT_LE(linearizer[0].largest(), 0.015);
  EXPECT_LE(linearizer[1].mean(), 0.014);
  EXPECT_LE(linearizer[1].largest(), 0.14);
}

TEST(Approximations, SayWhenTheyDoNotConverge) {
  const MulticlassNetwork network{
      {{"think", kDelay}, {"a", 1.0}, {"b", 1.0}}, {{1.0, 0.3, 0.3}, {2.0, 0.1, 0.4}}, {40, 50}};
  for (const auto& solve : {solve_bard_schweitzer, solve_linearizer}) {
    const MulticlassResult enough = solve(network, kMostSteps);
    EXPECT_TRUE(enough.converged);
    const MulticlassResult half = solve(network, 4.0 * static_cast<double>(enough.iterations / 2));
    EXPECT_FALSE(half.converged);
    EXPECT_GT(half.residual, enough.residual);
    EXPECT_LT(half.iterations, enough.iterations);
  }
}

}  // namespace
}  // namespace stagger
