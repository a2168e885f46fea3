// When a run has enough: a number of updates or a precision, both after warm-up. (A run by time is ended by a clock.)
#pragma once

#include <string>
#include <vector>

#include "sim/config/layout.hpp"
#include "sim/config/spec.hpp"
#include "sim/result/run_log.hpp"

namespace stagger {

class StopRule {
 public:
  StopRule(const RunSpec& run, const Layout& layout);

  /// Asked after each update; `updates` is the number of versions of one server so far. Looks at the log only at a few,
  /// ever more distant moments: amortised O(1).
  bool enough(const RunLog& log, double updates);
  /// 0 to 1, by the last look.
  double fraction(double updates) const;
  /// Asked for a precision that was not reached within kMostUpdates.
  bool gave_up() const { return gave_up_; }

  static constexpr double kMostUpdates = 1e7;

 private:
  bool enough_updates(const RunLog& log, double updates);
  bool enough_precision(const RunLog& log, double updates);

  const RunSpec& run_;
  const Layout& layout_;
  double next_look_;
  double precision_share_ = 0.0;  // of the updates that the precision seems to need
  bool reached_ = false;  // the precision, at the last look
  bool gave_up_ = false;
};

}  // namespace stagger
