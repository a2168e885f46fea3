#include "analysis/renewal.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>

namespace stagger {
namespace {

/// P(a, x), and 0 for what is below 1e-18 there, where Boost's overflows on its way.
double lower_gamma(double a, double x) { return a > 40.0 && x < a / 8.0 ? 0.0 : boost::math::gamma_p(a, x); }

/// The integral from 0 to t of the distribution function of the sum of k intervals.
double integrated_sum(const RenewalProcess& process, int k, double t) {
  if (k == 0) return t;
  const double left = t - k * process.constant_s;
  if (left <= 0.0) return 0.0;
  const double scale = process.cv * process.cv * process.random_s;
  const double shape = k / (process.cv * process.cv);
  return left * lower_gamma(shape, left / scale) - shape * scale * lower_gamma(shape + 1.0, left / scale);
}

}  // namespace

Pmf equilibrium_count(const RenewalProcess& process, double window_s) {
  constexpr double kNegligible = 1e-14;
  Pmf count{0, {}};
  double at_least = 1.0;
  double integral = window_s;
  for (int k = 1; at_least > kNegligible; ++k) {
    const double next_integral = integrated_sum(process, k, window_s);
    const double next = std::clamp((integral - next_integral) / process.interval_s(), 0.0, at_least);
    count.p.push_back(at_least - next);
    at_least = next;
    integral = next_integral;
  }
  return count;
}

}  // namespace stagger
