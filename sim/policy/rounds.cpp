#include "sim/policy/rounds.hpp"

#include <vector>

namespace stagger {
namespace {

class RoundsPolicy final : public SyncPolicy {
 public:
  RoundsPolicy(const Rounds& rounds, int workers)
      : rounds_(rounds), contributed_(static_cast<std::size_t>(workers), false) {}

  /// Once its gradients are in, a round waits only for their applies: who reads now would compute in vain.
  bool may_read(int worker, Clock) const override {
    const bool is_full = rounds_.fresh && accepted_ == rounds_.gradients;
    return !is_full && !(rounds_.once && contributed_[static_cast<std::size_t>(worker)]);
  }

  bool accepts(int worker, bool is_old) override {
    if (rounds_.fresh && (is_old || accepted_ == rounds_.gradients)) return false;
    ++accepted_;
    if (rounds_.once) contributed_[static_cast<std::size_t>(worker)] = true;
    return true;
  }

  bool on_applied(int worker, Clock) override {
    applied_by_.push_back(worker);
    if (static_cast<long long>(applied_by_.size()) < rounds_.gradients) return false;
    for (const int each : applied_by_) contributed_[static_cast<std::size_t>(each)] = false;
    accepted_ -= rounds_.gradients;
    applied_by_.clear();
    return true;
  }

  bool cancels() const override { return rounds_.cancels; }

 private:
  Rounds rounds_;
  long long accepted_ = 0;  // and not yet in a version
  std::vector<bool> contributed_;
  std::vector<int> applied_by_;
};

}  // namespace

std::unique_ptr<SyncPolicy> make_rounds(const Rounds& rounds, int workers) {
  return std::make_unique<RoundsPolicy>(rounds, workers);
}

}  // namespace stagger
