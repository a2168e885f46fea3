// Renewal processes: what a worker does that the others do not disturb, update after update.
#pragma once

#include <vector>

#include "analysis/pmf.hpp"

namespace stagger {

/// Independent intervals, each a gamma-distributed part and a constant one.
struct RenewalProcess {
  double random_s = 0.0;    ///< mean of the random part, > 0
  double cv = 0.0;          ///< of the random part; >= kLeastCv
  double constant_s = 0.0;  ///< >= 0
  double interval_s() const { return random_s + constant_s; }
};
/// Less counts as none at all.
inline constexpr double kLeastCv = 1e-3;

/// The number of renewals in a window of `window_s` >= 0 that begins at an arbitrary instant (Cox, "Renewal Theory",
/// 1962, section 3.1: the process in equilibrium). With m the mean interval and F_k the distribution function of the
/// sum of k intervals, F_0 = 1,
///   P(at least k) = 1/m * integral from 0 to t of F_{k-1}(u) - F_k(u) du.
/// The sum of k gamma parts with shape a and scale b is gamma with shape k a, and with s = t - k * constant
///   integral from 0 to t of F_k = s P(k a, s/b) - k a b P(k a + 1, s/b),   P: the regularized incomplete gamma
///   function.
/// The mean is t / m, exactly. Up to a part of 1e-14 of the probability.
Pmf equilibrium_count(const RenewalProcess& process, double window_s);

}  // namespace stagger
