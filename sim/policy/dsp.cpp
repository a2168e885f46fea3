#include "sim/policy/dsp.hpp"

#include <algorithm>
#include <vector>

#include "sim/policy/clocks.hpp"

namespace stagger {
namespace {

constexpr double kLate = 1.5;      // a step that takes so many times the usual
constexpr double kRepaid = 0.25;   // clocks that a step in the usual time takes off what a worker is behind
constexpr std::size_t kKnown = 4;  // steps after which a worker's usual time is known

/// What the performance monitor knows of a worker.
struct Pace {
  double read_s = 0.0;
  bool computes = false;
  std::vector<double> steps_s;  ///< the last ones, a ring
  std::size_t next = 0;
  double usual_s = kInfinity;  ///< their median
  double behind = 0.0;         ///< clocks lost to late steps, and not yet repaid

  /// The clocks that a step of this length loses: 0, unless it is late.
  double lost(double step_s) const { return step_s > kLate * usual_s ? step_s / usual_s - 1.0 : 0.0; }

  void add(double step_s, std::size_t memory) {
    const double clocks = lost(step_s);
    behind = clocks > 0.0 ? behind + clocks : std::max(0.0, behind - kRepaid);
    if (steps_s.size() < memory) steps_s.push_back(step_s);
    steps_s[next] = step_s;
    next = (next + 1) % memory;
    if (steps_s.size() < std::min(kKnown, memory)) return;
    std::vector<double> sorted = steps_s;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    usual_s = *middle;
  }
};

class Dsp final : public SyncPolicy {
 public:
  Dsp(long long slack, long long high, long long memory, int workers)
      : slack_(slack),
        high_(high),
        memory_(static_cast<std::size_t>(memory)),
        table_(workers),
        paces_(static_cast<std::size_t>(workers)) {}

  bool may_read(int worker, Clock own) const override {
    const Clock clock = table_.counted(worker, own);
    return static_cast<double>(clock) - usual_least_ <= static_cast<double>(slack_) && clock - table_.least() <= high_;
  }

  void on_read(int worker, Seconds now) override {
    Pace& pace = paces_[static_cast<std::size_t>(worker)];
    pace.read_s = now.si;
    pace.computes = true;
  }

  bool on_applied(int worker, Clock own, Seconds arrived) override {
    Pace& pace = paces_[static_cast<std::size_t>(worker)];
    pace.add(arrived.si - pace.read_s, memory_);
    pace.computes = false;
    table_.complete(worker, own);
    find_usual_least(arrived.si);
    return true;
  }

  bool on_leave(int worker) override {
    paces_[static_cast<std::size_t>(worker)] = {};
    table_.leave(worker);
    find_usual_least(0.0);
    return false;
  }
  void on_return(int worker, Clock own) override {
    table_.come_back(worker, own);
    find_usual_least(0.0);
  }

 private:
  /// The least clock, had no step been late; a step under way may be late already. Looks at each worker.
  void find_usual_least(double now_s) {
    double least = kInfinity;
    for (int w = 0; w < table_.workers(); ++w) {
      const Pace& pace = paces_[static_cast<std::size_t>(w)];
      if (!table_.is_here(w)) continue;
      const double losing = pace.computes ? pace.lost(now_s - pace.read_s) : 0.0;
      least = std::min(least, static_cast<double>(table_.completed(w)) + pace.behind + losing);
    }
    if (least < kInfinity) usual_least_ = least;
  }

  Clock slack_;
  Clock high_;
  std::size_t memory_;
  ClockTable table_;
  std::vector<Pace> paces_;
  double usual_least_ = 0.0;
};

}  // namespace

std::unique_ptr<SyncPolicy> make_dsp(long long slack, long long high, long long memory, int workers) {
  return std::make_unique<Dsp>(slack, high, memory, workers);
}

}  // namespace stagger
