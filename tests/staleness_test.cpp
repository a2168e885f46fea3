// Distributions of staleness against theory, a reference table, and simulated variances.
#include "analysis/staleness.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <numeric>

#include "analysis/cells.hpp"
#include "analysis/renewal.hpp"
#include "tests/data/read_csv.hpp"

namespace stagger {
namespace {

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

Distribution gamma_of(double cv) { return {DistributionKind::gamma, cv, {}}; }

double total_variation(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k)
    sum += std::abs((k < a.size() ? a[k] : 0.0) - (k < b.size() ? b[k] : 0.0));
  return 0.5 * sum;
}

// Twenty coins with P(1) = 0.3, counted from 5: 100 + binomial.
TEST(Pmf, OfASumIsConvolved) {
  const Pmf sum = stagger::sum_of({5, {0.7, 0.3}}, 20);
  const boost::math::binomial binomial(20, 0.3);
  for (std::size_t i = 0; i < sum.p.size(); ++i)
    EXPECT_NEAR(sum.p[i], pdf(binomial, static_cast<double>(sum.first) - 100.0 + static_cast<double>(i)), 1e-13);
  EXPECT_NEAR(sum_of(sum.p), 1.0, 1e-12);
  EXPECT_EQ(stagger::sum_of({5, {0.7, 0.3}}, 0).p, std::vector{1.0});
}

// Exponential intervals: a Poisson process.
TEST(Renewal, OfExponentialIntervalsIsPoisson) {
  const Pmf count = equilibrium_count({0.5, 1.0, 0.0}, 2.0);
  const boost::math::poisson poisson(4.0);
  ASSERT_GT(count.p.size(), 15U);
  for (std::size_t k = 0; k < 15; ++k) EXPECT_NEAR(count.p[k], pdf(poisson, static_cast<double>(k)), 1e-12);
}

// Intervals of 0.2 s and 0.8 s on the average, nearly constant: in 2.3 s there are 2 or 3, with a mean of 2.3.
TEST(Renewal, OfConstantIntervalsHasTwoValues) {
  const Pmf count = equilibrium_count({0.2, kLeastCv, 0.8}, 2.3);
  ASSERT_GE(count.p.size(), 4U);
  EXPECT_NEAR(count.p[2], 0.7, 1e-9);
  EXPECT_NEAR(count.p[3], 0.3, 1e-9);
}

// The mean is window / interval; without a constant part, none come within x of an arbitrary instant with the
// probability 1 - integral of (1 - F) over the mean; for a sum of two exponentials of rate 2: (1 + x) exp(-2 x).
TEST(Renewal, HasTheMeanAndTheFirstIntervalOfEquilibrium) {
  const Pmf count = equilibrium_count({1.0, std::sqrt(0.5), 0.0}, 1.5);
  EXPECT_NEAR(mean_of(count.p), 1.5, 1e-12);
  EXPECT_NEAR(count.p[0], 2.5 * std::exp(-3.0), 1e-12);
  EXPECT_NEAR(mean_of(equilibrium_count({1.0, 0.4, 2.5}, 9.0).p), 9.0 / 3.5, 1e-12);
}

TEST(Cells, KeepMeanAndVariance) {
  using enum DistributionKind;
  for (const Distribution& shape :
       {gamma_of(kLeastCv), gamma_of(0.05), gamma_of(1.0), gamma_of(3.0), Distribution{lognormal, 0.5, {}},
        Distribution{weibull, 0.3, {}}, Distribution{uniform, 0.5, {}}, Distribution{exponential, 1.0, {}}}) {
    double probability = 0.0;
    double mean = 0.0;
    double square = 0.0;
    for (const Cell& cell : cells_of(shape, 200)) {
      probability += cell.probability;
      mean += cell.probability * cell.value;
      square += cell.probability * cell.value * cell.value;
    }
    EXPECT_NEAR(probability, 1.0, 1e-12) << shape.cv;
    EXPECT_NEAR(mean, 1.0, 1e-12) << shape.cv;
    EXPECT_NEAR(square - 1.0, shape.cv * shape.cv, 4e-3 * shape.cv * shape.cv) << shape.cv;
  }
}

// 1, 2, 3, 4, 15 over their mean 5, whole and in two groups.
TEST(Cells, OfSamplesAreTheSamplesOrMeansOfNeighbours) {
  const Distribution shape = empirical_distribution({4.0, 1.0, 15.0, 2.0, 3.0}).shape;
  const std::vector<Cell> five = cells_of(shape, 64);
  ASSERT_EQ(five.size(), 5U);
  EXPECT_DOUBLE_EQ(five[4].value, 3.0);
  EXPECT_DOUBLE_EQ(five[0].probability, 0.2);
  const std::vector<Cell> two = cells_of(shape, 2);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_DOUBLE_EQ(two[0].value, 0.3);
  EXPECT_DOUBLE_EQ(two[1].value, 22.0 / 15.0);
  EXPECT_DOUBLE_EQ(two[1].probability, 0.6);
}

// From instants to many intervals, and at the ends of what a scenario may say.
TEST(Renewal, CountsInAnyWindow) {
  for (const double cv : {kLeastCv, 0.01, 0.05, 0.3, 1.0, 30.0})
    for (const double constant_s : {0.0, 0.5, 1e4})
      for (double window = 1e-9; window < 20.0; window *= 1.7) {
        const RenewalProcess process{1.0, cv, constant_s};
        const double intervals = window * process.interval_s();
        EXPECT_NEAR(mean_of(equilibrium_count(process, intervals).p), window, 1e-9 * std::max(1.0, window)) << cv;
      }
}

// A quarter of the updates are its own: 1/4, 3/16, 9/64, …, mean 3, variance (1 - s) / s^2 = 12.
TEST(Staleness, WithoutContentionIsGeometric) {
  const std::vector<double> pmf = geometric_staleness(0.25);
  EXPECT_NEAR(pmf[0], 0.25, 1e-10);
  EXPECT_NEAR(pmf[2], 9.0 / 64.0, 1e-10);
  EXPECT_NEAR(mean_of(pmf), 3.0, 1e-8);
  EXPECT_NEAR(variance_of(pmf), 12.0, 1e-6);
  EXPECT_NEAR(sum_of(pmf), 1.0, 1e-12);
  EXPECT_EQ(geometric_staleness(1.0), std::vector{1.0});
}

// The table has nine digits.
TEST(Staleness, OfAFifoServerIsThatOfTheTable) {
  for (const CsvRow& row : read_csv("staleness_fifo_server.csv")) {
    const std::string where = row.text.at("workers") + " workers, update " + row.text.at("update_s");
    const std::vector<double> pmf =
        fifo_staleness(static_cast<int>(row.number("workers")), row.number("compute_s"), row.number("update_s"));
    EXPECT_NEAR(mean_of(pmf), row.number("mean"), 1e-7 * row.number("mean")) << where;
    EXPECT_NEAR(variance_of(pmf), row.number("variance"), 1e-6 * row.number("variance")) << where;
    for (std::size_t k = 0; k < 40; ++k)
      EXPECT_NEAR(k < pmf.size() ? pmf[k] : 0.0, row.number(fmt::format("p{}", k)), 1e-9) << where << ", k = " << k;
  }
}

// A server that is never idle: variance r (r + 1), r = compute / update workers computing.
TEST(Staleness, OfASaturatedFifoServerHasItsLimit) {
  const std::vector<double> pmf = fifo_staleness(200, 1.0, 0.1);
  EXPECT_NEAR(mean_of(pmf), 199.0, 1e-6);
  EXPECT_NEAR(variance_of(pmf), 110.0, 1e-4);
}

// Exponential compute times without contention again: the general model must find the geometric distribution.
TEST(Staleness, OfTheRenewalModelIsGeometricForExponentialComputeTimes) {
  for (const int workers : {2, 8, 64}) {
    const std::vector<double> pmf = renewal_staleness({{workers, 1.0, gamma_of(1.0), 1.0}}, 0, 0.0);
    EXPECT_LT(total_variation(pmf, geometric_staleness(1.0 / workers)), 1e-3) << workers;
    EXPECT_NEAR(mean_of(pmf), workers - 1.0, 1e-6 * workers);
  }
  // Two workers of 1 s and six of 3 s: 2 and 6/3 updates/s, so that one of the first has a quarter of all.
  const std::vector<WorkerClass> unequal{{2, 1.0, gamma_of(1.0), 1.0}, {6, 3.0, gamma_of(1.0), 3.0}};
  EXPECT_LT(total_variation(renewal_staleness(unequal, 0, 0.0), geometric_staleness(0.25)), 1e-3);
  EXPECT_LT(total_variation(renewal_staleness(unequal, 1, 0.0), geometric_staleness(1.0 / 12.0)), 1e-3);
}

// Variances of eight workers with lognormal compute times and no contention, simulated by an independent program to
// 2 %; gamma compute times are within another 3 %.
TEST(Staleness, OfTheRenewalModelHasTheVarianceOfASimulation) {
  const std::vector<std::pair<double, double>> table{{.02, .167}, {.05, .503}, {.1, 1.22}, {.15, 2.13}, {.2, 3.23},
                                                     {.25, 4.58}, {.3, 6.15},  {.4, 10.0}, {.5, 14.9},  {1.0, 54.2}};
  for (const auto& [cv, variance] : table)
    EXPECT_NEAR(variance_of(renewal_staleness({{8, 2.0, gamma_of(cv), 2.0}}, 0, 0.0)), variance, 0.05 * variance) << cv;
}

// 100 updates of the others during a cycle of 4 s of which 1 s does not count: 3/4 of 99.
TEST(Staleness, LeavesOutWhatComesBeforeTheRead) {
  EXPECT_NEAR(mean_of(renewal_staleness({{100, 1.0, gamma_of(0.3), 4.0}}, 0, 1.0)), 0.75 * 99.0, 1e-7 * 99.0);
}

// Without randomness everybody keeps the order, and nearly so with little of it.
TEST(Staleness, OfRegularWorkersIsTheNumberOfTheOthers) {
  EXPECT_NEAR(renewal_staleness({{8, 1.0, Distribution{}, 1.5}}, 0, 0.0).at(7), 1.0, 1e-12);
  EXPECT_GT(renewal_staleness({{8, 1.0, gamma_of(0.002), 1.5}}, 0, 0.0).at(7), 0.98);
  EXPECT_NEAR(renewal_staleness({{8, 0.0, gamma_of(0.3), 1.5}}, 0, 0.0).at(7), 1.0, 1e-12);
  EXPECT_EQ(renewal_staleness({{1, 1.0, gamma_of(0.3), 1.5}}, 0, 0.0), std::vector{1.0});
}

// Many: the others' sum is normal then. Its variance is that of the formula (N-1)^2 cv^2 + (N-1) * counting variance,
// which for exponential compute times is the geometric distribution's.
TEST(Staleness, OfThousandsOfWorkersIsWorkedOutToo) {
  const std::vector<double> pmf = renewal_staleness({{10'000, 1.0, gamma_of(1.0), 1.0}}, 0, 0.0);
  EXPECT_NEAR(mean_of(pmf), 9999.0, 0.1);
  EXPECT_NEAR(std::sqrt(variance_of(pmf)), 9999.5, 10.0);
  EXPECT_NEAR(sum_of(pmf), 1.0, 1e-9);
}

}  // namespace
}  // namespace stagger
