#include "sim/policy/sync.hpp"

#include <stdexcept>

namespace stagger {
namespace {

/// Asynchronous parallel: nobody waits, each gradient makes a version.
class Asp final : public SyncPolicy {
 public:
  bool may_read(int, Clock) const override { return true; }
  bool on_applied(int, Clock) override { return true; }
};

/// Bulk synchronous parallel (Valiant 1990): rounds in which each worker contributes one gradient. The gradients of a
/// round are added up as they come and make one version when the last is in; a worker reads for its next step only
/// after that.
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

std::unique_ptr<SyncPolicy> make_sync(SyncKind kind, int workers) {
  switch (kind) {
    case SyncKind::asp:
      return std::make_unique<Asp>();
    case SyncKind::bsp:
      return std::make_unique<Bsp>(workers);
  }
  throw std::logic_error("unknown synchronisation policy");
}

}  // namespace stagger
