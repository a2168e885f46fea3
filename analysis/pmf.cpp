#include "analysis/pmf.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace stagger {
namespace {

void cut_end(std::vector<double>& p, double negligible) {
  double above = 0.0;
  while (p.size() > 1 && above + p.back() < negligible) {
    above += p.back();
    p.pop_back();
  }
}

void cut_ends(Pmf& pmf, double negligible) {
  cut_end(pmf.p, negligible);
  double below = 0.0;
  std::size_t cut = 0;
  while (cut + 1 < pmf.p.size() && below + pmf.p[cut] < negligible) below += pmf.p[cut++];
  pmf.p.erase(pmf.p.begin(), pmf.p.begin() + static_cast<std::ptrdiff_t>(cut));
  pmf.first += static_cast<long>(cut);
}

}  // namespace

Pmf sum_of(const Pmf& a, const Pmf& b, double negligible) {
  Pmf sum{a.first + b.first, std::vector<double>(a.p.size() + b.p.size() - 1, 0.0)};
  for (std::size_t i = 0; i < a.p.size(); ++i)
    for (std::size_t j = 0; j < b.p.size(); ++j) sum.p[i + j] += a.p[i] * b.p[j];
  cut_ends(sum, negligible);
  return sum;
}

Pmf sum_of(const Pmf& one, int n, double negligible) {
  Pmf sum;
  Pmf doubled = one;
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) sum = sum_of(sum, doubled, negligible);
    if (n > 1) doubled = sum_of(doubled, doubled, negligible);
  }
  return sum;
}

void add_to(std::vector<double>& out, const Pmf& distribution, double weight) {
  const long end = distribution.first + static_cast<long>(distribution.p.size());
  if (static_cast<long>(out.size()) < end) out.resize(static_cast<std::size_t>(end), 0.0);
  if (out.empty()) out.push_back(0.0);
  for (std::size_t i = 0; i < distribution.p.size(); ++i)
    out[static_cast<std::size_t>(std::max(0L, distribution.first + static_cast<long>(i)))] +=
        weight * distribution.p[i];
}

void normalize(std::vector<double>& pmf) {
  cut_end(pmf, kNegligibleTail);
  const double sum = std::accumulate(pmf.begin(), pmf.end(), 0.0);
  for (double& p : pmf) p /= sum;
}

double mean_of(const std::vector<double>& pmf) {
  double sum = 0.0;
  for (std::size_t k = 0; k < pmf.size(); ++k) sum += static_cast<double>(k) * pmf[k];
  return sum;
}

double variance_of(const std::vector<double>& pmf) {
  const double mean = mean_of(pmf);
  double sum = 0.0;
  for (std::size_t k = 0; k < pmf.size(); ++k)
    sum += (static_cast<double>(k) - mean) * (static_cast<double>(k) - mean) * pmf[k];
  return sum;
}

}  // namespace stagger
