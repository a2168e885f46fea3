#include "sim/study/stop_rule.hpp"

#include <algorithm>
#include <utility>

#include "sim/result/measure.hpp"

namespace stagger {
namespace {

constexpr double kFirstLook =
    1000.0;                       // updates before a precision is judged: fewer make the interval itself unreliable
constexpr double kGrowth = 1.25;  // between two looks
constexpr double kCorrelated = 1.645;  // standard errors of the batches' correlation: their spread is not to be trusted
constexpr double kSlack = 1e-9;        // sums of weights are not exact

double target_updates(const RunSpec& run) { return static_cast<double>(run.updates.value_or(kDefaultUpdates)); }

}  // namespace

StopRule::StopRule(const RunSpec& run, const Layout& layout)
    : run_(run),
      layout_(layout),
      next_look_((run.precision ? kFirstLook : target_updates(run)) +
                 static_cast<double>(run.warmup.updates.value_or(0))) {}

bool StopRule::enough(const RunLog& log, double updates) {
  if (run_.time || updates < next_look_ - kSlack) return false;
  return run_.precision ? enough_precision(log, updates) : enough_updates(log, updates);
}

bool StopRule::enough_updates(const RunLog& log, double updates) {
  const double missing =
      target_updates(run_) - updates_after(log, layout_, find_cut(log, layout_, run_.warmup.updates));
  next_look_ = updates + missing;
  return missing <= kSlack;
}

bool StopRule::enough_precision(const RunLog& log, double updates) {
  next_look_ = updates * kGrowth;
  const std::size_t cut = find_cut(log, layout_, run_.warmup.updates);
  if (updates_after(log, layout_, cut) < kFirstLook / 2) return false;
  const BatchMeans means = measure_throughput(log, layout_, cut);
  const double relative = half_width(means, run_.precision->confidence) / means.mean;
  precision_share_ = std::min(1.0, (run_.precision->relative / relative) * (run_.precision->relative / relative));
  const bool reached = relative <= run_.precision->relative && !means.correlated(kCorrelated);
  // Twice in a row: the first time may be luck, and stopping at luck makes intervals that are too narrow.
  const bool sure = std::exchange(reached_, reached) && reached;
  gave_up_ = !sure && updates >= kMostUpdates;
  return sure || gave_up_;
}

double StopRule::fraction(double updates) const {
  if (run_.precision) return precision_share_;
  return std::min(1.0, updates / next_look_);
}

}  // namespace stagger
