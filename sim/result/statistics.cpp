#include "sim/result/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace stagger {
namespace {

constexpr std::size_t kFewestBatches = 64;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sum of squared deviations.
double squares_about(std::span<const double> values, double mean) {
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

double lag1_correlation(std::span<const double> values, double mean, double squares) {
  if (squares <= 0.0) return 0.0;
  double sum = 0.0;
  for (std::size_t i = 1; i < values.size(); ++i) sum += (values[i] - mean) * (values[i - 1] - mean);
  return sum / squares;
}

/// Means of neighbouring pairs; an odd value at the front is dropped, where what is left of the warm-up would be.
std::vector<double> join_pairs(std::span<const double> values) {
  std::vector<double> joined;
  for (std::size_t i = values.size() % 2; i + 1 < values.size(); i += 2)
    joined.push_back((values[i] + values[i + 1]) / 2.0);
  return joined;
}

/// Variance of the mean of all batches over that of independent ones, from the correlation of neighbours.
double inflation(double r, double batches) {
  constexpr double kLeast = 0.1;         // an estimate of r is never that sure
  constexpr double kTenPercent = 1.645;  // standard errors of r: by chance, it is lower once in twenty times
  // Regular departures from a busy link correlate negatively, and idle times skew the batches: a fifth of a standard
  // error of r on the safe side, as tests/coverage_test.cpp shows that it takes.
  const double safe = r + 0.2 / std::sqrt(batches);
  if (r < 0.0) return r < -kTenPercent / std::sqrt(batches) ? std::max(1.0 + 2.0 * safe, kLeast) : 1.0;
  const double most = std::min(r, 0.9);
  return (1.0 + most) / (1.0 - most);
}

}  // namespace

std::size_t mser_cut(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 4) return 0;
  // Backwards, with Welford's update, so that every truncated variance costs one step.
  double mean = 0.0;
  double squares = 0.0;
  double best = -1.0;
  std::size_t cut = 0;
  for (std::size_t d = n; d-- > 0;) {
    const auto count = static_cast<double>(n - d);
    const double delta = values[d] - mean;
    mean += delta / count;
    squares += delta * (values[d] - mean);
    const double statistic = squares / (count * count);
    if (d <= n / 2 && (best < 0.0 || statistic <= best)) {
      best = statistic;
      cut = d;
    }
  }
  return cut;
}

bool BatchMeans::correlated(double errors) const {
  return correlation > errors / std::sqrt(static_cast<double>(batches));
}

BatchMeans batch_means(std::span<const double> values) {
  std::vector<double> batches(values.begin(), values.end());
  while (batches.size() >= 2 * kFewestBatches) batches = join_pairs(batches);
  const auto k = static_cast<double>(batches.size());
  const double mean = mean_of(batches);
  const double squares = squares_about(batches, mean);
  const double correlation = lag1_correlation(batches, mean, squares);
  const double standard_error = std::sqrt(squares / (k * (k - 1.0)) * inflation(correlation, k));
  return {mean_of(values), standard_error, batches.size(), correlation};
}

double half_width(const BatchMeans& means, double confidence) {
  const boost::math::students_t student(static_cast<double>(means.batches) - 1.0);
  return boost::math::quantile(boost::math::complement(student, (1.0 - confidence) / 2.0)) * means.standard_error;
}

long long percentile(std::span<const double> pmf, double p) {
  double cumulated = 0.0;
  for (std::size_t k = 0; k < pmf.size(); ++k)
    if ((cumulated += pmf[k]) >= p - 1e-12) return static_cast<long long>(k);
  return static_cast<long long>(pmf.size()) - 1;
}

std::optional<double> kendall_tau(std::span<const double> x, std::span<const double> y) {
  const auto order = [](double a, double b) { return a < b ? -1.0 : a > b ? 1.0 : 0.0; };
  double agreement = 0.0;
  double untied_in_x = 0.0;
  double untied_in_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const double by_x = order(x[i], x[k]);
      const double by_y = order(y[i], y[k]);
      agreement += by_x * by_y;
      untied_in_x += std::abs(by_x);
      untied_in_y += std::abs(by_y);
    }
  if (untied_in_x == 0.0 || untied_in_y == 0.0) return std::nullopt;
  return agreement / std::sqrt(untied_in_x * untied_in_y);
}

}  // namespace stagger
