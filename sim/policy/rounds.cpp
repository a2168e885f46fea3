#include "sim/policy/rounds.hpp"

#include <vector>

namespace stagger {
namespace {

class RoundsPolicy final : public SyncPolicy {
 public:
  RoundsPolicy(const Rounds& rounds, int workers)
      : rounds_(rounds),
        workers_(workers),
        gradients_(rounds.gradients(workers)),
        contributed_(static_cast<std::size_t>(workers), false) {}

  /// Once its gradients are in, a round waits only for their applies: who reads now would compute in vain.
  bool may_read(int worker, Clock) const override {
    const bool is_full = rounds_.fresh && accepted_ >= gradients_;
    return !is_full && !(rounds_.once && contributed_[static_cast<std::size_t>(worker)]);
  }

  bool accepts(int worker, bool is_old) override {
    if (rounds_.fresh && (is_old || accepted_ >= gradients_)) return false;
    ++accepted_;
    if (rounds_.once) contributed_[static_cast<std::size_t>(worker)] = true;
    return true;
  }

  bool on_applied(int worker, Clock, Seconds) override {
    applied_by_.push_back(worker);
    return make_version();
  }

  bool on_leave(int) override {
    change_workers(-1);
    return make_version();
  }
  void on_return(int, Clock) override { change_workers(1); }

  bool cancels() const override { return rounds_.cancels; }

 private:
  /// Who leaves may make enough of what there is, with one gradient of the round still being applied.
  bool make_version() {
    const auto applied = static_cast<long long>(applied_by_.size());
    if (applied == 0 || applied < gradients_ || (rounds_.fresh && applied < accepted_)) return false;
    for (const int each : applied_by_) contributed_[static_cast<std::size_t>(each)] = false;
    accepted_ -= applied;
    applied_by_.clear();
    return true;
  }

  void change_workers(long long by) {
    workers_ += by;
    if (workers_ > 0) gradients_ = rounds_.gradients(workers_);
  }

  Rounds rounds_;
  long long workers_;       // that are here
  long long gradients_;     // that make a version
  long long accepted_ = 0;  // and not yet in a version
  std::vector<bool> contributed_;
  std::vector<int> applied_by_;
};

}  // namespace

std::unique_ptr<SyncPolicy> make_rounds(const Rounds& rounds, int workers) {
  return std::make_unique<RoundsPolicy>(rounds, workers);
}

}  // namespace stagger
