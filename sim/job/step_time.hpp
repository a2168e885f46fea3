// How long a worker's steps take: random times, which may be correlated, longer where the worker is slowed down.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "sim/config/layout.hpp"
#include "sim/policy/sync.hpp"

namespace stagger {

/// A step that is about to begin.
struct StepBegin {
  Clock clock = 0;         ///< steps the worker has completed
  int attempt = 0;         ///< 0; for a step that was lost and begins anew, how often this worker has done that so far
  Seconds now{};           ///< not before the step that began before
  long long examples = 0;  ///< of all its local steps
};

/// How long it computes.
using StepTime = std::function<Seconds(const StepBegin&)>;

/// `index`: of the worker in the layout. The numbers that are drawn depend on the seed, the worker, the clock and the
/// attempt alone.
StepTime make_step_time(const Layout::Worker& worker, std::uint64_t seed, std::uint32_t index);

/// How much longer work takes as time goes by: the factors of windows and of random regimes multiply.
class Slowdown {
 public:
  /// `durations`: of the regimes.
  Slowdown(std::vector<Layout::Slowness> steps, const std::optional<Layout::Regimes>& regimes, RandomStream durations);
  /// When work ends that begins `now` and takes `work` at full speed. Requires that `now` does not decrease from call
  /// to call. Takes time in proportion to the changes between `now` and the end.
  Seconds end(Seconds now, Seconds work);

 private:
  /// The regime's n-th change from now on, from 0; draws what has not been yet.
  Seconds change(std::size_t n);

  std::vector<Layout::Slowness> steps_;
  std::size_t step_ = 0;  // that holds at the last `now`
  Layout::Regimes regimes_;
  RandomStream durations_;
  bool is_slow_ = false;         // at the last `now`
  std::deque<Seconds> changes_;  // of the regime, after it
  std::uint32_t drawn_ = 0;
  Seconds last_change_{};
  bool last_is_slow_ = false;  // after the last of the changes
};

}  // namespace stagger
