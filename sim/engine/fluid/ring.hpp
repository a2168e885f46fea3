// A queue in one block of memory that is used again and again.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace stagger {

/// First in, first out. Grows by doubling; O(1) a call. Beside std::deque it allocates nothing while it is used.
template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  /// Returns what is in the queue now, until the next push.
  T& push(const T& value) {
    if (size_ == items_.size()) grow();
    return items_[(first_ + size_++) & (items_.size() - 1)] = value;
  }
  /// Requires: not empty.
  const T& front() const { return items_[first_]; }
  void pop() {
    first_ = (first_ + 1) & (items_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? 4 : 2 * items_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = items_[(first_ + i) & (items_.size() - 1)];
    items_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> items_;  // a power of 2 of them
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace stagger
