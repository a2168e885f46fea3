#include "sim/policy/clocks.hpp"

#include <algorithm>

namespace stagger {

ClockTable::ClockTable(int workers) : rows_(static_cast<std::size_t>(workers)), slowest_(workers) {}

bool ClockTable::complete(int worker, Clock own) {
  Row& row = rows_[static_cast<std::size_t>(worker)];
  const bool was_slowest = row.completed == least_;
  row.completed = own + row.offset;
  return was_slowest && --slowest_ == 0 && find_least();
}

bool ClockTable::leave(int worker) {
  Row& row = rows_[static_cast<std::size_t>(worker)];
  row.is_here = false;
  return row.completed == least_ && --slowest_ == 0 && find_least();
}

void ClockTable::come_back(int worker, Clock own) {
  Row& row = rows_[static_cast<std::size_t>(worker)];
  row.is_here = true;
  row.completed = std::max(row.completed, least_);
  row.offset = row.completed - own;
  slowest_ = 0;
  find_least();
}

bool ClockTable::find_least() {
  const Clock before = least_;
  slowest_ = 0;
  for (const Row& row : rows_) {
    if (!row.is_here || (slowest_ > 0 && row.completed > least_)) continue;
    slowest_ = slowest_ > 0 && row.completed == least_ ? slowest_ + 1 : 1;
    least_ = row.completed;
  }
  return least_ > before;
}

namespace {

class Clocks final : public SyncPolicy {
 public:
  Clocks(double lead, bool in_rounds, int workers) : lead_(lead), in_rounds_(in_rounds), table_(workers) {}

  bool may_read(int worker, Clock clock) const override {
    return static_cast<double>(table_.counted(worker, clock) - table_.least()) <= lead_;
  }
  bool on_applied(int worker, Clock clock, Seconds) override { return table_.complete(worker, clock) || !in_rounds_; }
  bool on_leave(int worker) override { return table_.leave(worker) && in_rounds_; }
  void on_return(int worker, Clock clock) override { table_.come_back(worker, clock); }

 private:
  double lead_;
  bool in_rounds_;
  ClockTable table_;
};

}  // namespace

std::unique_ptr<SyncPolicy> make_clocks(double lead, bool in_rounds, int workers) {
  return std::make_unique<Clocks>(lead, in_rounds, workers);
}

}  // namespace stagger
