#include "sim/policy/dssp.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/policy/clocks.hpp"

namespace stagger {
namespace {

class Dssp final : public SyncPolicy {
 public:
  Dssp(long long low, long long high, bool cap, int workers)
      : low_(low), high_(high), cap_(cap), table_(workers), rows_(static_cast<std::size_t>(workers)) {}

  bool may_read(int worker, Clock own) const override {
    const Clock clock = table_.counted(worker, own);
    const Clock lead = clock - table_.least();
    return lead <= low_ || (clock <= row(worker).granted && (!cap_ || lead <= high_));
  }

  bool on_applied(int worker, Clock own, Seconds arrived) override {
    Row& its = rows_[static_cast<std::size_t>(worker)];
    its.interval_s = its.pushes++ > 0 ? arrived.si - its.pushed_s : kInfinity;
    its.pushed_s = arrived.si;
    table_.complete(worker, own);
    const Clock clock = table_.completed(worker);
    fastest_ = std::max(fastest_, clock);
    if (clock - table_.least() > low_ && clock > its.granted && clock == fastest_)
      its.granted = clock + extra_steps(its) - 1;  // the first of them is the one that it may begin now
    return true;
  }

  bool on_leave(int worker) override {
    table_.leave(worker);
    fastest_ = table_.least();
    for (int w = 0; w < table_.workers(); ++w)
      if (table_.is_here(w)) fastest_ = std::max(fastest_, table_.completed(w));
    return false;
  }

  /// Its last push was long ago and says nothing of its speed.
  void on_return(int worker, Clock own) override {
    table_.come_back(worker, own);
    rows_[static_cast<std::size_t>(worker)] = {};
  }

 private:
  struct Row {
    double pushed_s = 0.0;
    double interval_s = kInfinity;  // between its last two pushes
    long long pushes = 0;
    Clock granted = 0;  // it may read up to this clock
  };
  const Row& row(int worker) const { return rows_[static_cast<std::size_t>(worker)]; }

  /// Of several workers with the least clock, the one whose next push is the last to come.
  const Row& slowest() const {
    const Row* found = nullptr;
    for (int w = 0; w < table_.workers(); ++w)
      if (table_.is_here(w) && table_.completed(w) == table_.least() &&
          (found == nullptr || row(w).pushed_s + row(w).interval_s > found->pushed_s + found->interval_s))
        found = &row(w);
    return *found;
  }

  /// r*: after so many more steps the worker's push comes closest to one of the slowest.
  long long extra_steps(const Row& its) const {
    const Row& slow = slowest();
    if (!std::isfinite(its.interval_s) || !std::isfinite(slow.interval_s)) return 0;
    long long best = 0;
    double least_gap_s = kInfinity;
    for (long long r = 0; r <= high_ - low_; ++r) {
      const double push_s = its.pushed_s + static_cast<double>(r) * its.interval_s;
      // The nearest of the slowest worker's next pushes, k = 0 … high - low.
      const double k = slow.interval_s > 0.0 ? std::round((push_s - slow.pushed_s) / slow.interval_s) - 1.0 : 0.0;
      const double nearest = std::clamp(k, 0.0, static_cast<double>(high_ - low_));
      const double gap_s = std::abs(slow.pushed_s + (nearest + 1.0) * slow.interval_s - push_s);
      if (gap_s < least_gap_s) best = r;
      least_gap_s = std::min(gap_s, least_gap_s);
    }
    return best;
  }

  Clock low_;
  Clock high_;
  bool cap_;
  ClockTable table_;
  Clock fastest_ = 0;
  std::vector<Row> rows_;
};

}  // namespace

std::unique_ptr<SyncPolicy> make_dssp(long long low, long long high, bool cap, int workers) {
  return std::make_unique<Dssp>(low, high, cap, workers);
}

}  // namespace stagger
