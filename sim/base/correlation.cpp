#include "sim/base/correlation.hpp"

#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/tools/roots.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>

namespace stagger {
namespace {

constexpr std::size_t kTerms = 60;

/// What each Hermite polynomial of order 1, 2, … contributes to the variance; the last: those of higher order.
std::array<double, kTerms + 1> variance_by_order(const Distribution& shape) {
  constexpr double kEnd = 8.5;
  constexpr int kSteps = 16'384;
  constexpr double kWidth = 2.0 * kEnd / kSteps;
  const Quantile quantile_of = make_quantile(shape);
  const boost::math::normal normal;
  std::array<double, kTerms + 1> coefficients{};
  for (int i = 0; i < kSteps; ++i) {
    const double z = -kEnd + (i + 0.5) * kWidth;
    const double weight = kWidth * pdf(normal, z) * quantile_of(cdf(normal, z), cdf(complement(normal, z)));
    double before = 0.0;
    double polynomial = 1.0;
    for (std::size_t k = 1; k <= kTerms; ++k) {
      const auto order = static_cast<double>(k);
      const double next = (z * polynomial - std::sqrt(order - 1.0) * before) / std::sqrt(order);
      before = polynomial;
      polynomial = next;
      coefficients[k - 1] += weight * polynomial;
    }
  }
  double rest = shape.cv * shape.cv;
  for (double& coefficient : coefficients) {
    coefficient *= coefficient;
    rest -= coefficient;
  }
  coefficients.back() = std::max(0.0, rest);
  return coefficients;
}

}  // namespace

double score_correlation(const Distribution& shape, double lag1) {
  const auto variances = variance_by_order(shape);
  double total = 0.0;
  for (const double variance : variances) total += variance;
  const auto excess = [&](double r) {
    double sum = 0.0;
    double power = 1.0;
    for (const double variance : variances) sum += variance * (power *= r);
    return sum / total - lag1;
  };
  std::uintmax_t iterations = 200;
  const auto [low, high] =
      boost::math::tools::toms748_solve(excess, 0.0, 1.0, boost::math::tools::eps_tolerance<double>(40), iterations);
  return (low + high) / 2.0;
}

double CorrelatedDraws::next(std::uint32_t step) {
  DrawEngine engine = stream_.at(step);
  const double fresh = boost::random::normal_distribution<>()(engine);
  score_ = step == 0 ? fresh : correlation_ * score_ + std::sqrt(1.0 - correlation_ * correlation_) * fresh;
  const boost::math::normal normal;
  return quantile_(cdf(normal, score_), cdf(complement(normal, score_)));
}

}  // namespace stagger
