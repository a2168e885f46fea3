// Draws have the mean, the coefficient of variation and the shape that were asked for, and depend on their key alone.
#include "sim/base/distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <boost/math/distributions/weibull.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

namespace stagger {
namespace {

using enum DistributionKind;
using Draws = std::vector<double>;

Draws draws_of(const Distribution& shape, int n, const RandomStream& stream = {1, 0, Purpose::compute}) {
  const Sampler sampler = make_sampler(shape);
  Draws draws;
  for (int step = 0; step < n; ++step) {
    DrawEngine engine = stream.at(static_cast<std::uint32_t>(step));
    draws.push_back(sampler(engine));
  }
  return draws;
}

double mean_of(const Draws& draws) {
  return std::accumulate(draws.begin(), draws.end(), 0.0) / static_cast<double>(draws.size());
}

double central_moment(const Draws& draws, int order) {
  const double mean = mean_of(draws);
  double sum = 0.0;
  for (const double x : draws) sum += std::pow(x - mean, order);
  return sum / static_cast<double>(draws.size());
}

TEST(Distribution, HasMeanOneAndTheCvThatWasAskedFor) {
  // Standard errors of a sample mean and a sample variance: sqrt(m2 / n) and sqrt((m4 - m2^2) / n).
  const double n = 200'000.0;
  for (const Distribution& shape :
       {Distribution{exponential, 1.0, {}}, Distribution{gamma, 0.15, {}}, Distribution{gamma, 1.5, {}},
        Distribution{lognormal, 0.2, {}}, Distribution{lognormal, 0.8, {}}, Distribution{uniform, 0.1, {}},
        Distribution{uniform, kLargestUniformCv, {}}, Distribution{weibull, 0.3, {}}, Distribution{weibull, 1.4, {}},
        empirical_distribution({1.0, 2.0, 2.0, 7.0}).shape}) {
    const Draws draws = draws_of(shape, static_cast<int>(n));
    const double m2 = central_moment(draws, 2);
    const double m4 = central_moment(draws, 4);
    const std::string what =
        "kind " + std::to_string(static_cast<int>(shape.kind)) + ", cv " + std::to_string(shape.cv);
    EXPECT_NEAR(mean_of(draws), 1.0, 6.0 * std::sqrt(m2 / n)) << what;
    EXPECT_NEAR(m2, shape.cv * shape.cv, 6.0 * std::sqrt((m4 - m2 * m2) / n)) << what;
    EXPECT_GE(*std::ranges::min_element(draws), 0.0) << what;
  }
}

TEST(Distribution, DeterministicIsAlwaysTheMean) {
  for (const double draw : draws_of({deterministic, 0.0, {}}, 10)) EXPECT_EQ(draw, 1.0);
}

/// The largest distance between the draws' distribution and `law`, times sqrt(n).
template <class Law>
double kolmogorov_smirnov(Draws draws, const Law& law) {
  std::ranges::sort(draws);
  const auto n = static_cast<double>(draws.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = cdf(law, draws[i]);
    distance = std::max({distance, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return distance * std::sqrt(n);
}

TEST(Distribution, FollowsItsLaw) {
  // P(sqrt(n) D > 3.1) = 2 exp(-2 * 3.1^2) = 9e-9 (Kolmogorov 1933). Parameters, all with mean 1:
  //   gamma      cv 1/2: k = 1/cv^2 = 4, theta = 1/4
  //   lognormal  cv^2 = e^(sigma^2) - 1: sigma = 1, mu = -sigma^2 / 2
  //   uniform    [1/2, 3/2]: cv = 1 / sqrt(12)
  //   weibull    k = 2: Gamma(2) / Gamma(3/2)^2 = 4/pi = 1 + cv^2; scale = 1 / Gamma(3/2) = 2 / sqrt(pi)
  constexpr int kDraws = 20'000;
  constexpr double kCritical = 3.1;
  const double pi = std::numbers::pi;
  namespace law = boost::math;
  EXPECT_LT(kolmogorov_smirnov(draws_of({exponential, 1.0, {}}, kDraws), law::exponential(1.0)), kCritical);
  EXPECT_LT(kolmogorov_smirnov(draws_of({gamma, 0.5, {}}, kDraws), law::gamma_distribution(4.0, 0.25)), kCritical);
  EXPECT_LT(kolmogorov_smirnov(draws_of({lognormal, std::sqrt(std::numbers::e - 1.0), {}}, kDraws),
                               law::lognormal(-0.5, 1.0)),
            kCritical);
  EXPECT_LT(kolmogorov_smirnov(draws_of({uniform, 1.0 / std::sqrt(12.0), {}}, kDraws), law::uniform(0.5, 1.5)),
            kCritical);
  EXPECT_LT(kolmogorov_smirnov(draws_of({weibull, std::sqrt(4.0 / pi - 1.0), {}}, kDraws),
                               law::weibull(2.0, 2.0 / std::sqrt(pi))),
            kCritical);
}

// Closed forms: -ln(above) for the exponential, which gamma and Weibull are at cv 1; the sum of two exponentials has
// 1 - (1 + 2x) exp(-2x) below x; a lognormal's median is 1 / sqrt(1 + cv^2).
TEST(Distribution, KnowsItsQuantiles) {
  using enum DistributionKind;
  for (const DistributionKind kind : {exponential, gamma, weibull})
    for (const double above : {0.9, 0.5, 1e-12})
      EXPECT_NEAR(make_quantile({kind, 1.0, {}})(1.0 - above, above), -std::log(above), 1e-9 * -std::log(above));
  const double x = make_quantile({gamma, std::sqrt(0.5), {}})(0.3, 0.7);
  EXPECT_NEAR((1.0 + 2.0 * x) * std::exp(-2.0 * x), 0.7, 1e-12);
  EXPECT_NEAR(make_quantile({lognormal, 2.0, {}})(0.5, 0.5), 1.0 / std::sqrt(5.0), 1e-12);
  EXPECT_NEAR(make_quantile({uniform, 0.5, {}})(0.25, 0.75), 1.0 - std::sqrt(3.0) / 4.0, 1e-12);
  EXPECT_EQ(make_quantile({deterministic, 0.0, {}})(0.25, 0.75), 1.0);
}

TEST(Distribution, TheWeibullShapeSolvesItsEquation) {
  // Gamma(1 + 2/k) / Gamma(1 + 1/k)^2 is the binomial coefficient (2m over m) for k = 1/m, and 4/pi for k = 2.
  EXPECT_NEAR(weibull_shape(std::sqrt(4.0 / std::numbers::pi - 1.0)), 2.0, 2e-12);
  EXPECT_NEAR(weibull_shape(1.0), 1.0, 1e-12);
  EXPECT_NEAR(weibull_shape(std::sqrt(6.0 - 1.0)), 1.0 / 2.0, 1e-12);
  EXPECT_NEAR(weibull_shape(std::sqrt(20.0 - 1.0)), 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(weibull_shape(std::sqrt(252.0 - 1.0)), 1.0 / 5.0, 1e-12);
  EXPECT_NEAR(weibull_shape(std::sqrt(184'756.0 - 1.0)), 1.0 / 10.0, 1e-12);
}

TEST(Distribution, TheWeibullShapeOfANearlyConstantTimeFollowsTheGumbelLimit) {
  // For small cv, ln X is Gumbel with standard deviation pi / (k sqrt(6)), so k -> pi / (cv sqrt(6)).
  EXPECT_NEAR(weibull_shape(0.001) * 0.001 * std::sqrt(6.0) / std::numbers::pi, 1.0, 2e-3);
}

TEST(Distribution, EmpiricalSamplesAreRelativeToTheirMean) {
  // Mean (1 + 2 + 3) / 3 = 2, variance (1 + 0 + 1) / 3, cv = sqrt(2/3) / 2.
  const auto [shape, mean] = empirical_distribution({1.0, 2.0, 3.0});
  EXPECT_EQ(mean, 2.0);
  EXPECT_EQ(shape.kind, empirical);
  EXPECT_DOUBLE_EQ(shape.cv, std::sqrt(2.0 / 3.0) / 2.0);
  EXPECT_EQ(*shape.values, (std::vector{0.5, 1.0, 1.5}));
}

TEST(Distribution, EmpiricalDrawsEverySampleEquallyOften) {
  // The number of draws of each of 4 values is binomial(n, 1/4).
  const int n = 40'000;
  const Draws draws = draws_of(empirical_distribution({1.0, 2.0, 3.0, 4.0}).shape, n);
  for (const double value : {0.4, 0.8, 1.2, 1.6})
    EXPECT_NEAR(static_cast<double>(std::ranges::count(draws, value)), n / 4.0, 6.0 * std::sqrt(n * 0.25 * 0.75));
}

TEST(Durations, ScaleWithTheirMean) {
  const RandomStream stream(1, 2, Purpose::update);
  const Distribution shape{gamma, 0.3, {}};
  for (std::uint32_t step = 0; step < 100; ++step)
    EXPECT_DOUBLE_EQ(Durations(shape, Seconds{3.0}, stream).at(step).si,
                     3.0 * Durations(shape, Seconds{1.0}, stream).at(step).si);
}

TEST(RandomStream, ADrawDependsOnNothingThatWasDrawnBefore) {
  const Distribution shape{gamma, 0.7, {}};  // takes a random number of random numbers
  const Durations durations(shape, Seconds{1.0}, {5, 3, Purpose::compute});
  std::vector<double> forwards;
  for (std::uint32_t step = 0; step < 100; ++step) forwards.push_back(durations.at(step).si);
  for (std::uint32_t step = 100; step-- > 0; step -= step % 3) {  // backwards, with gaps, others in between
    (void)Durations(shape, Seconds{1.0}, {5, 4, Purpose::compute}).at(step);
    EXPECT_EQ(durations.at(step).si, forwards[step]);
  }
}

double correlation(const Draws& a, const Draws& b, std::size_t lag) {
  const std::size_t n = a.size() - lag;
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += (a[i] - mean_a) * (b[i + lag] - mean_b);
  return sum / static_cast<double>(n) / std::sqrt(central_moment(a, 2) * central_moment(b, 2));
}

TEST(RandomStream, StreamsThatDifferInAnythingAreUncorrelated) {
  // The correlation of independent samples has a standard error of 1 / sqrt(n).
  const int n = 20'000;
  const auto uniforms = [&](std::uint64_t seed, std::uint32_t entity, Purpose purpose) {
    return draws_of({uniform, 0.5, {}}, n, {seed, entity, purpose});
  };
  const Draws one = uniforms(1, 1, Purpose::compute);
  for (const Draws& other : {uniforms(2, 1, Purpose::compute), uniforms(1 + (1ULL << 32U), 1, Purpose::compute),
                             uniforms(1, 2, Purpose::compute), uniforms(1, 1, Purpose::update),
                             uniforms(1, 2, Purpose::update), uniforms(2, 2, Purpose::compute)})
    for (const std::size_t lag : {0U, 1U, 2U}) {
      EXPECT_LT(std::abs(correlation(one, other, lag)), 6.0 / std::sqrt(n));
      EXPECT_LT(std::abs(correlation(other, one, lag)), 6.0 / std::sqrt(n));
    }
  for (const std::size_t lag : {1U, 2U}) EXPECT_LT(std::abs(correlation(one, one, lag)), 6.0 / std::sqrt(n));
}

}  // namespace
}  // namespace stagger
