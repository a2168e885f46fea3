// The next event among many that keep changing their times: a heap of ids with an index, so that a time can be moved in
// place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace stagger {

/// Ids are small integers; each is in the heap at most once. Equal times come in the order of ids. A heap of degree 4:
/// half the depth of a binary one, and the four children share a cache line. O(log n) a change.
class EventHeap {
 public:
  double top_time() const { return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().time; }
  /// Requires: not empty.
  int top() const { return heap_.front().id; }

  /// Puts the event in, or moves it; an infinite time takes it out.
  void set(int id, double time) {
    if (static_cast<std::size_t>(id) >= place_.size()) place_.resize(static_cast<std::size_t>(id) + 1, kAbsent);
    std::uint32_t& place = place_[static_cast<std::size_t>(id)];
    if (time == std::numeric_limits<double>::infinity()) {
      if (place != kAbsent) erase(id);
      return;
    }
    if (place == kAbsent) {
      place = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back({time, id});
    }
    settle(place, {time, id});
  }

 private:
  struct Event {
    double time;
    int id;
    /// Without a branch: in a job of equal servers many times are equal, and no processor guesses that.
    bool operator<(const Event& other) const {
      const int earlier = static_cast<int>(time < other.time);
      return (earlier | (static_cast<int>(time == other.time) & static_cast<int>(id < other.id))) != 0;
    }
  };
  static constexpr std::uint32_t kAbsent = ~0U;

  void erase(int id) {
    const std::uint32_t hole = std::exchange(place_[static_cast<std::size_t>(id)], kAbsent);
    const Event last = heap_.back();
    heap_.pop_back();
    if (last.id != id) settle(hole, last);
  }

  void put(std::uint32_t at, Event event) {
    heap_[at] = event;
    place_[static_cast<std::size_t>(event.id)] = at;
  }

  /// Moves `event` from `at` to where it belongs.
  void settle(std::uint32_t at, Event event) {
    for (; at > 0 && event < heap_[(at - 1) / 4]; at = (at - 1) / 4) put(at, heap_[(at - 1) / 4]);
    const auto size = static_cast<std::uint32_t>(heap_.size());
    for (std::uint32_t child = 4 * at + 1; child < size; child = 4 * at + 1) {
      const std::uint32_t end = std::min(child + 4, size);
      for (std::uint32_t other = child + 1; other < end; ++other) child = heap_[other] < heap_[child] ? other : child;
      if (!(heap_[child] < event)) break;
      put(at, heap_[child]);
      at = child;
    }
    put(at, event);
  }

  std::vector<Event> heap_;
  std::vector<std::uint32_t> place_;  // of each id
};

}  // namespace stagger
