#include "sim/policy/sync.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "sim/config/sync.hpp"
#include "sim/policy/rounds.hpp"

namespace stagger {
namespace {

/// asp is ssp with an infinite slack.
class Ssp final : public SyncPolicy {
 public:
  Ssp(int workers, double slack)
      : slack_(slack), clocks_(static_cast<std::size_t>(workers), 0), slowest_(static_cast<std::size_t>(workers)) {}

  bool may_read(int, Clock clock) const override { return static_cast<double>(clock - least_) <= slack_; }

  bool on_applied(int worker, Clock clock) override {
    Clock& own = clocks_[static_cast<std::size_t>(worker)];
    const bool was_slowest = own == least_;
    own = clock;
    if (was_slowest && --slowest_ == 0) {
      least_ = *std::ranges::min_element(clocks_);
      slowest_ = static_cast<std::size_t>(std::ranges::count(clocks_, least_));
    }
    return true;
  }

 private:
  double slack_;
  std::vector<Clock> clocks_;
  Clock least_ = 0;
  std::size_t slowest_;  // workers with that clock
};

class Bsp final : public SyncPolicy {
 public:
  explicit Bsp(int workers) : workers_(workers) {}
  bool may_read(int, Clock clock) const override { return clock <= rounds_; }
  bool on_applied(int, Clock) override {
    if (++gradients_ < workers_) return false;
    gradients_ = 0;
    ++rounds_;
    return true;
  }

 private:
  int workers_;
  int gradients_ = 0;
  Clock rounds_ = 0;
};

}  // namespace

std::unique_ptr<SyncPolicy> make_sync(const SyncSpec& sync, int workers) {
  const long long gradients = gradients_per_version(sync, workers);
  switch (sync.kind) {
    case SyncKind::asp:
      return std::make_unique<Ssp>(workers, kInfinity);
    case SyncKind::bsp:
      return std::make_unique<Bsp>(workers);
    case SyncKind::ssp:
      return std::make_unique<Ssp>(workers, sync.slack.clocks);
    case SyncKind::backup_workers:
      return make_rounds({gradients, true, true, false}, workers);
    case SyncKind::k_sync:
      return make_rounds({gradients, true, true, cancels_steps(sync)}, workers);
    case SyncKind::k_batch_sync:
      return make_rounds({gradients, false, true, cancels_steps(sync)}, workers);
    case SyncKind::k_async:
      return make_rounds({gradients, true, false, false}, workers);
    case SyncKind::k_batch_async:
    case SyncKind::n_softsync:
      return make_rounds({gradients, false, false, false}, workers);
  }
  throw std::logic_error("unknown synchronisation policy");
}

}  // namespace stagger
