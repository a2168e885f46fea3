// The clocks of the workers that are here, and the policies that compare them; sync.hpp has their rules.
#pragma once

#include <vector>

#include "sim/policy/sync.hpp"

namespace stagger {

/// A worker that returns has missed steps: from then on it counts as if it had completed as many as the slowest, so
/// that nobody waits for it to catch up. All clocks that a ClockTable hands out count so.
class ClockTable {
 public:
  explicit ClockTable(int workers);

  /// The least clock of those who are here; while nobody is, what it was.
  Clock least() const { return least_; }
  bool is_here(int worker) const { return rows_[static_cast<std::size_t>(worker)].is_here; }
  Clock completed(int worker) const { return rows_[static_cast<std::size_t>(worker)].completed; }
  /// `own`: the steps that the worker has really completed.
  Clock counted(int worker, Clock own) const { return own + rows_[static_cast<std::size_t>(worker)].offset; }
  int workers() const { return static_cast<int>(rows_.size()); }

  // True: the least clock has risen. Amortised over the steps of all workers each takes constant time.
  bool complete(int worker, Clock own);
  bool leave(int worker);
  void come_back(int worker, Clock own);

 private:
  struct Row {
    Clock completed = 0;
    Clock offset = 0;
    bool is_here = true;
  };
  bool find_least();

  std::vector<Row> rows_;
  Clock least_ = 0;
  long long slowest_;  // workers with the least clock
};

/// asp, bsp, ssp and bounded_delay: a worker that is up to `lead` clocks ahead of the slowest may read; a gradient
/// makes a version, or (`in_rounds`) the last one of a step of all workers.
std::unique_ptr<SyncPolicy> make_clocks(double lead, bool in_rounds, int workers);

}  // namespace stagger
