// Statistics of simulation output: warm-up, and confidence intervals of autocorrelated series. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace stagger {

/// How many values at the start of a series are warm-up: the d <= n/2 that minimises the marginal standard error
/// sum_{i>=d} (y_i - mean_d)^2 / (n-d)^2 (MSER; White 1997, "An effective truncation heuristic for bias reduction in
/// simulation output", Simulation 69). With values that are means over groups of m observations it is MSER-m. 0 for
/// fewer than 4 values. O(n).
std::size_t mser_cut(std::span<const double> values);

/// A mean of an autocorrelated, stationary series with its standard error.
struct BatchMeans {
  double mean = 0.0;
  double standard_error = 0.0;
  std::size_t batches = 0;   ///< that the standard error was computed from; degrees of freedom + 1
  double correlation = 0.0;  ///< between neighbouring batches, lag 1

  /// Whether the correlation is positive beyond `errors` of its standard errors: the batches are too short.
  bool correlated(double errors) const;
};

/// Batch means (Conway 1963; Law & Kelton 2000, ch. 9.5.3): neighbouring values are joined, pair by pair, into 64 to
/// 127 batches: as long as the series allows, so that they are as little correlated as it allows (Schmeiser 1982,
/// "Batch size effects in the analysis of simulation output", Operations Research 30). What correlation r of neighbours
/// remains enters the standard error, whose square is multiplied by (1+r)/(1-r) for r > 0, as for a first-order
/// autoregression (Tafazzoli & Wilson 2011, "Skart", IIE Transactions 43), and by 1+2r, at least 0.1, for an r that is
/// significantly below 0: counts in a saturated network vary mostly by what is under way at the borders of batches,
/// which the next batch makes good. Values that do not fill a batch, at the front, are left out of the standard error,
/// never of the mean. Requires at least 2 values. O(n).
BatchMeans batch_means(std::span<const double> values);

/// Half width of the two-sided confidence interval of a mean: Student's t with batches - 1 degrees of freedom times the
/// standard error. Requires 0 < confidence < 1.
double half_width(const BatchMeans& means, double confidence);

/// The smallest k with P(at most k) >= p, but for rounding; pmf[k] = P(k) adds up to 1.
long long percentile(std::span<const double> pmf, double p);

/// How far two rankings of the same things agree, -1 to 1: tau-b = (concordant - discordant pairs) / sqrt(pairs not
/// tied in x * pairs not tied in y) (Kendall 1945, "The treatment of ties in ranking problems", Biometrika 33). None
/// when all of x or all of y are tied, as when there are fewer than two. Requires x.size() == y.size(). O(n^2).
std::optional<double> kendall_tau(std::span<const double> x, std::span<const double> y);

}  // namespace stagger
