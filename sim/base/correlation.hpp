// Durations that are correlated with the one before: normal scores z_n = r z_{n-1} + sqrt(1 - r^2) e_n, autoregressive
// of order 1, each turned into a duration by its quantile, F^-1(Phi(z_n)): "autoregressive to anything" (Cario &
// Nelson, "Autoregressive to anything: time-series input processes for simulation", Operations Research Letters 19,
// 1996).
#pragma once

#include "sim/base/distribution.hpp"

namespace stagger {

/// The r for which durations of this shape have the correlation `lag1` with the one before. By Mehler's formula that is
/// sum over k >= 1 of a_k^2 r^k / cv^2, with a_k the coefficients of F^-1(Phi(z)) in normalised Hermite polynomials;
/// solved for r. Requires cv > 0 and 0 < lag1 < 1. Accurate to 1e-4; takes milliseconds.
double score_correlation(const Distribution& shape, double lag1);

/// The durations themselves, of mean 1.
class CorrelatedDraws {
 public:
  CorrelatedDraws(const Distribution& shape, double score_correlation, RandomStream stream)
      : quantile_(make_quantile(shape)), correlation_(score_correlation), stream_(stream) {}
  /// Draw `step`; requires that the draws are asked for one after the other, from 0.
  double next(std::uint32_t step);

 private:
  Quantile quantile_;
  double correlation_;
  RandomStream stream_;
  double score_ = 0.0;
};

}  // namespace stagger
