// The population vectors of a closed network with several classes, in one row.
#pragma once

#include <cstddef>
#include <vector>

namespace stagger {

/// All population vectors 0 … N in one row: n is at sum_c n_c stride_c, after all those below it.
class Populations {
 public:
  explicit Populations(const std::vector<int>& most) : most_(most) {
    for (const int customers : most) {
      strides_.push_back(size_);
      size_ *= static_cast<std::size_t>(customers) + 1;
    }
  }
  std::size_t size() const { return size_; }
  std::size_t classes() const { return most_.size(); }
  std::size_t last() const { return size_ - 1; }
  /// Where n is with one customer of this class less; n has one.
  std::size_t without(std::size_t index, std::size_t customer_class) const { return index - strides_[customer_class]; }

  /// visit(index, n) for each n, from the smallest to the largest.
  template <class Visit>
  void upwards(Visit visit) const {
    std::vector<int> n(classes(), 0);
    for (std::size_t index = 0;; ++index) {
      visit(index, n);
      if (index == last()) return;
      std::size_t c = 0;
      for (; n[c] == most_[c]; ++c) n[c] = 0;
      ++n[c];
    }
  }
  /// The same from the largest to the smallest.
  template <class Visit>
  void downwards(Visit visit) const {
    std::vector<int> n = most_;
    for (std::size_t index = last();; --index) {
      visit(index, n);
      if (index == 0) return;
      std::size_t c = 0;
      for (; n[c] == 0; ++c) n[c] = most_[c];
      --n[c];
    }
  }

 private:
  std::vector<int> most_;
  std::vector<std::size_t> strides_;
  std::size_t size_ = 1;
};

}  // namespace stagger
