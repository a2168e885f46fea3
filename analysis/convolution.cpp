#include "analysis/convolution.hpp"

#include <algorithm>

namespace stagger {

double Split::add() {
  const bool to_a = in_a_ + 1 < a_.size() && (in_b_ + 1 == b_.size() || a_[in_a_ + 1] < b_[in_b_ + 1]);
  return to_a ? a_[++in_a_] : b_[++in_b_];
}

Rates together(const Rates& a, const Rates& b, std::size_t least, std::size_t most) {
  most = std::min(most, a.size() + b.size() - 2);
  Rates rates(most + 1, 0.0);
  Split split(a, b);
  double before = 1.0;
  for (std::size_t n = 1; n <= most; ++n) {
    const double rate = split.add();
    if (n + 1 < least) continue;
    const double sum = split.sum();
    if (n >= least) rates[n] = rate * (before / sum);
    before = sum;
  }
  return rates;
}

}  // namespace stagger
