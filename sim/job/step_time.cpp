#include "sim/job/step_time.hpp"

#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/uniform_01.hpp>

#include "sim/base/correlation.hpp"

namespace stagger {

Slowdown::Slowdown(std::vector<Layout::Slowness> steps, const std::optional<Layout::Regimes>& regimes,
                   RandomStream durations)
    : steps_(std::move(steps)),
      regimes_(regimes.value_or(Layout::Regimes{kNever, kNever, 1.0})),
      durations_(durations) {
  if (steps_.empty()) steps_.push_back({});
  if (!regimes) return;
  // As it is found at some time in the long run; what is left of an exponential time is exponential.
  DrawEngine engine = durations_.at(drawn_++);
  is_slow_ = last_is_slow_ =
      boost::random::uniform_01<>()(engine) * (regimes->healthy + regimes->slow).si < regimes->slow.si;
}

Seconds Slowdown::change(std::size_t n) {
  while (changes_.size() <= n) {
    const Seconds mean = last_is_slow_ ? regimes_.slow : regimes_.healthy;
    if (mean == kNever) return kNever;
    DrawEngine engine = durations_.at(drawn_++);
    last_change_ += boost::random::exponential_distribution<>(1.0)(engine) * mean;
    changes_.push_back(last_change_);
    last_is_slow_ = !last_is_slow_;
  }
  return changes_[n];
}

Seconds Slowdown::end(Seconds now, Seconds work) {
  const auto next_at = [this](std::size_t step) { return step + 1 < steps_.size() ? steps_[step + 1].at : kNever; };
  while (next_at(step_) <= now) ++step_;
  for (; change(0) <= now; is_slow_ = !is_slow_) changes_.pop_front();
  bool is_slow = is_slow_;
  std::size_t step = step_;
  std::size_t changes = 0;
  for (;;) {
    const double factor = steps_[step].factor * (is_slow ? regimes_.factor : 1.0);
    const Seconds until = std::min(next_at(step), change(changes));
    if (factor * work <= until - now) return now + factor * work;
    work = work - (1.0 / factor) * (until - now);
    now = until;
    if (next_at(step) <= now) ++step;
    if (change(changes) <= now) {
      ++changes;
      is_slow = !is_slow;
    }
  }
}

namespace {

/// The work of steps. The streams' counters have 32 bits; no run comes near 4e9 local steps of one worker. Steps that
/// begin anew draw from a stream of their own, and independently.
class Work {
 public:
  Work(const Layout::Worker& worker, std::uint64_t seed, std::uint32_t index)
      : steps_(worker.local_steps),
        anew_(worker.local_compute, Seconds{1.0}, RandomStream(seed, index, Purpose::compute_anew)),
        first_(worker.local_compute, Seconds{1.0}, RandomStream(seed, index, Purpose::compute)) {
    if (worker.score_correlation > 0.0)
      correlated_.emplace(worker.local_compute, worker.score_correlation, RandomStream(seed, index, Purpose::compute));
  }

  /// `mean`: of one local step.
  Seconds of(const StepBegin& step, Seconds mean) {
    Seconds sum{};
    const long long from = steps_ * (step.attempt == 0 ? step.clock : step.attempt);
    for (long long n = from; n < from + steps_; ++n) {
      const auto number = static_cast<std::uint32_t>(n);
      if (step.attempt > 0)
        sum += anew_.at(number).si * mean;
      else
        sum += (correlated_ ? correlated_->next(number) : first_.at(number).si) * mean;
    }
    return sum;
  }

 private:
  long long steps_;
  Durations anew_;
  Durations first_;
  std::optional<CorrelatedDraws> correlated_;
};

}  // namespace

StepTime make_step_time(const Layout::Worker& worker, std::uint64_t seed, std::uint32_t index) {
  const Seconds mean = (1.0 / static_cast<double>(worker.local_steps)) * worker.compute_mean;
  Work work(worker, seed, index);
  if (worker.slowness.empty() && !worker.regimes)
    return [work, mean](const StepBegin& step) mutable { return work.of(step, mean); };
  Slowdown slowdown(worker.slowness, worker.regimes, RandomStream(seed, index, Purpose::regimes));
  return [work, mean, slowdown](const StepBegin& step) mutable {
    return slowdown.end(step.now, work.of(step, mean)) - step.now;
  };
}

}  // namespace stagger
