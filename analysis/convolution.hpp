// Parts of a closed network put together, each seen only by how fast it lets customers pass.
#pragma once

#include <cstddef>
#include <vector>

namespace stagger {

/// A part of a closed network, as a single station (Chandy, Herzog & Woo, "Parametric analysis of queuing networks",
/// IBM J. Res. Dev. 19, 1975): [n] how many of n customers in it leave per second, n = 1 ... the most it holds; [0] =
/// 0. Its product-form weights are g(n) = 1 / (rate[1] ... rate[n]). Positive and never falling, so that g is
/// log-concave.
using Rates = std::vector<double>;

/// Where n customers of two parts are. j of them are in `a` with the probability
///   P(j|n) = a(j) b(n-j) / sum_i a(i) b(n-i),
/// which rises to one maximum and falls again: summed from there outwards until terms are negligible, relative to the
/// largest, nothing overflows at any n, and nothing but positive numbers is added, multiplied and divided. The maximum
/// moves by one customer with n.
class Split {
 public:
  Split(const Rates& a, const Rates& b) : a_(a), b_(b) {}

  /// One customer more, to whom the larger term is left. Returns the rate of its part there, the largest term for n - 1
  /// over that for n. Requires room for it.
  double add();

  /// visit(j, P(j|n) relative to the largest) for all j that matter; each is right to about 1e-16 |j - that of the
  /// largest|.
  template <class Visit>
  void terms(Visit visit) const {
    constexpr double kNegligible = 1e-18;
    double weight = 1.0;
    for (std::size_t j = in_a_, rest = in_b_; weight > kNegligible; ++j, --rest) {
      visit(j, weight);
      if (rest == 0 || j + 1 == a_.size()) break;
      weight *= b_[rest] / a_[j + 1];
    }
    weight = 1.0;
    for (std::size_t j = in_a_, rest = in_b_; j > 0 && rest + 1 < b_.size(); --j, ++rest) {
      weight *= a_[j] / b_[rest + 1];
      if (weight <= kNegligible) break;
      visit(j - 1, weight);
    }
  }

  /// Of all terms.
  double sum() const {
    double sum = 0.0;
    terms([&sum](std::size_t, double weight) { sum += weight; });
    return sum;
  }

 private:
  const Rates& a_;
  const Rates& b_;
  std::size_t in_a_ = 0;  // where the largest term is
  std::size_t in_b_ = 0;
};

/// The rates of both parts together (convolution: Buzen, "Computational algorithms for closed queueing networks with
/// exponential servers", CACM 16, 1973), up to `most` customers; those below `least` are left at 0.
Rates together(const Rates& a, const Rates& b, std::size_t least, std::size_t most);

}  // namespace stagger
