// Warm-up and confidence intervals, against series whose answer is known.
#include "sim/result/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace stagger {
namespace {

using Series = std::vector<double>;

TEST(MserCut, FindsTheEndOfATransient) {
  // 0 and 2 alternate around 1 after a start at 20, 15, 10. With d values cut, sum (y - mean)^2 / (n - d)^2 is least at
  // d = 3: the 20 values left give 20 / 400 = 0.05; cutting one pair more leaves 18 / 324 = 0.056; keeping the 10 adds
  // about 81 to the sum: (20 + 81 * 20/21) / 441 = 0.22.
  Series values{20.0, 15.0, 10.0};
  for (int i = 0; i < 10; ++i) values.insert(values.end(), {0.0, 2.0});
  EXPECT_EQ(mser_cut(values), 3U);
}

TEST(MserCut, CutsNothingFromASteadySeries) {
  EXPECT_EQ(mser_cut(Series(100, 3.7)), 0U);
  EXPECT_EQ(mser_cut(Series{1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0}), 0U);
}

TEST(MserCut, CutsNothingFromFewerThanFourValues) {
  for (const Series& values : {Series{}, Series{9.0}, Series{9.0, 1.0}, Series{9.0, 1.0, 1.0}})
    EXPECT_EQ(mser_cut(values), 0U);
  EXPECT_EQ(mser_cut(Series{9.0, 1.0, 1.0, 1.0}), 1U);
}

TEST(MserCut, CutsAtMostHalf) {
  Series ramp;
  for (int i = 0; i < 100; ++i) ramp.push_back(100.0 - i);
  EXPECT_EQ(mser_cut(ramp), 50U);
}

/// Of `series` intervals with confidence 95 %, the share that covers the true mean 0.
double coverage(int series, int length, const std::function<void(Series&, std::mt19937&)>& fill) {
  int covered = 0;
  std::mt19937 random(12345);
  for (int i = 0; i < series; ++i) {
    Series values(static_cast<std::size_t>(length));
    fill(values, random);
    const BatchMeans means = batch_means(values);
    if (std::abs(means.mean) <= half_width(means, 0.95)) ++covered;
  }
  return static_cast<double>(covered) / series;
}

TEST(BatchMeans, IndependentValuesAreCoveredAsPromised) {
  for (const int length : {20, 200, 1024}) {
    const double share = coverage(1000, length, [](Series& values, std::mt19937& random) {
      std::normal_distribution<> normal;
      for (double& value : values) value = normal(random);
    });
    EXPECT_GE(share, 0.93) << length << " values";
    EXPECT_LE(share, 0.97) << length << " values";
  }
}

TEST(BatchMeans, CorrelatedValuesAreCoveredNearlyAsPromised) {
  // AR(1), x' = 0.9 x + e, from its stationary law N(0, 1 / (1 - 0.81)). Treating it as independent covers 35 %.
  const double share = coverage(300, 20'000, [](Series& values, std::mt19937& random) {
    std::normal_distribution<> normal;
    double x = normal(random) / std::sqrt(1.0 - 0.81);
    for (double& value : values) value = x = 0.9 * x + normal(random);
  });
  EXPECT_GE(share, 0.90);
  EXPECT_LE(share, 0.99);
}

TEST(BatchMeans, AFewValuesGiveTheTextbooksStandardError) {
  // Mean 2; s^2 = (1 + 1 + 0 + 0) / 3; s / sqrt(n) = sqrt(2/3 / 4). Lag-1 sum: (-1)(1) + (1)(0) + 0 = -1: no widening.
  const BatchMeans means = batch_means(Series{1.0, 3.0, 2.0, 2.0});
  EXPECT_DOUBLE_EQ(means.mean, 2.0);
  EXPECT_DOUBLE_EQ(means.standard_error, std::sqrt(2.0 / 3.0 / 4.0));
  EXPECT_EQ(means.batches, 4U);
  EXPECT_DOUBLE_EQ(means.correlation, -0.5);
}

TEST(BatchMeans, CorrelationThatRemainsWidensTheStandardError) {
  // Mean 2.5, squares 2.25 + 0.25 + 0.25 + 2.25 = 5, s^2 = 5/3, s / sqrt(4) = sqrt(5/12). Lag-1 sum: 0.75 - 0.25 + 0.75
  // = 1.25, r = 1.25 / 5 = 1/4, widened by sqrt((1 + r) / (1 - r)) = sqrt(5/3).
  const BatchMeans means = batch_means(Series{1.0, 2.0, 3.0, 4.0});
  EXPECT_DOUBLE_EQ(means.correlation, 0.25);
  EXPECT_DOUBLE_EQ(means.standard_error, std::sqrt(5.0 / 12.0 * 5.0 / 3.0));
}

TEST(BatchMeans, AlternatingValuesAreNoLessCertainThanIndependentOnes) {
  std::mt19937 random(7);
  std::normal_distribution<> normal;
  Series values;
  double square = 0.0;
  for (int i = 0; i < 1000; ++i) {
    values.push_back((i % 2 == 0 ? 1.0 : -1.0) + 0.1 * normal(random));
    square += values.back() * values.back();
  }
  const double independent = std::sqrt(square) / 1000.0;  // sqrt(s^2 / n), the mean being all but 0
  EXPECT_LE(batch_means(values).standard_error, independent);
  EXPECT_GT(batch_means(values).standard_error, 0.0);
}

TEST(BatchMeans, ConstantValuesAreCertain) {
  for (const std::size_t n : {2U, 3U, 100U}) {
    EXPECT_EQ(batch_means(Series(n, 0.25)).standard_error, 0.0);
    EXPECT_NEAR(batch_means(Series(n, 0.1)).standard_error, 0.0, 1e-15);  // whose sums are not exact
  }
}

TEST(BatchMeans, SaysThatARunIsTooShortToTell) {
  Series ramp;
  for (int i = 0; i < 100; ++i) ramp.push_back(i);
  EXPECT_TRUE(batch_means(ramp).correlated(3.0));
  EXPECT_FALSE(batch_means(Series{1.0, 3.0, 2.0, 2.0}).correlated(0.0));
  EXPECT_DOUBLE_EQ(batch_means(ramp).mean, 49.5);
}

TEST(HalfWidth, IsStudentsQuantileTimesTheStandardError) {
  // Table of Student's t: degrees of freedom = batches - 1.
  struct Row {
    std::size_t batches;
    double confidence;
    double quantile;
  };
  for (const auto& [batches, confidence, quantile] :
       {Row{2, 0.95, 12.706}, Row{10, 0.95, 2.262}, Row{31, 0.95, 2.042}, Row{10, 0.90, 1.833}, Row{10, 0.99, 3.250}}) {
    BatchMeans means;
    means.batches = batches;
    means.standard_error = 2.0;
    EXPECT_NEAR(half_width(means, confidence), 2.0 * quantile, 0.001) << batches << ", " << confidence;
  }
}

TEST(Percentile, IsTheSmallestValueThatReachesTheShare) {
  const std::vector<double> pmf{0.5, 0.3, 0.15, 0.05};
  EXPECT_EQ(percentile(pmf, 0.5), 0);
  EXPECT_EQ(percentile(pmf, 0.51), 1);
  EXPECT_EQ(percentile(pmf, 0.95), 2);
  EXPECT_EQ(percentile(pmf, 1.0), 3);
}

TEST(KendallTau, IsThatOfScipy) {
  // scipy.stats.kendalltau(x, y).statistic, SciPy 1.10.1.
  struct Row {
    Series x, y;
    double tau;
  };
  for (const auto& [x, y, tau] :
       {Row{{1, 2, 3, 4, 5}, {1, 3, 2, 5, 4}, 0.6}, Row{{12, 2, 1, 12, 2}, {1, 4, 7, 1, 0}, -0.4714045207910316},
        Row{{1, 2, 2, 3, 3, 3, 4}, {1, 1, 2, 3, 4, 3, 2}, 0.5144957554275266}})
    EXPECT_NEAR(kendall_tau(x, y).value(), tau, 1e-15);
}

TEST(KendallTau, IsOneForTheSameOrderAndMinusOneForTheOpposite) {
  EXPECT_EQ(kendall_tau(Series{1.0, 5.0, 2.0}, Series{10.0, 11.0, 10.5}), 1.0);
  EXPECT_EQ(kendall_tau(Series{1.0, 5.0, 2.0}, Series{3.0, -1.0, 2.0}), -1.0);
}

TEST(KendallTau, NeedsTwoThatDiffer) {
  EXPECT_EQ(kendall_tau(Series{}, Series{}), std::nullopt);
  EXPECT_EQ(kendall_tau(Series{1.0}, Series{1.0}), std::nullopt);
  EXPECT_EQ(kendall_tau(Series{1.0, 1.0}, Series{1.0, 2.0}), std::nullopt);
  EXPECT_EQ(kendall_tau(Series{1.0, 2.0}, Series{1.0, 1.0}), std::nullopt);
}

}  // namespace
}  // namespace stagger
