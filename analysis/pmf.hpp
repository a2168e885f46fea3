// Distributions on whole numbers.
#pragma once

#include <vector>

namespace stagger {

/// P(first + i) = p[i]; not empty, no negative probabilities; sums to 1 but for what was cut off.
struct Pmf {
  long first = 0;
  std::vector<double> p{1.0};
};

/// Of the sum of n independent numbers, n >= 0. Cuts off ends of less than `negligible` in all at each of about
/// 2 log2(n) convolutions; O(w^2) for a result of w values.
Pmf sum_of(const Pmf& one, int n, double negligible = 1e-13);

/// Of the sum of two independent numbers.
Pmf sum_of(const Pmf& a, const Pmf& b, double negligible = 1e-13);

/// Adds `weight` times a distribution to out[k] = P(k), which grows as needed. What is below 0 counts as 0.
void add_to(std::vector<double>& out, const Pmf& distribution, double weight);

/// What a distribution that ends nowhere may leave out above its last value.
inline constexpr double kNegligibleTail = 1e-11;

/// Cuts off an end of less than kNegligibleTail in all, and divides by the sum, which must be positive.
void normalize(std::vector<double>& pmf);

double mean_of(const std::vector<double>& pmf);
double variance_of(const std::vector<double>& pmf);

}  // namespace stagger
