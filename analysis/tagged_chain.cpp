#include "analysis/tagged_chain.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "analysis/pmf.hpp"

namespace stagger {
namespace {

/// A character for each worker at the server, its kind; the first `threads` are in service, and sorted.
using Queue = std::string;
constexpr char kTagged = '~';
constexpr char kSomeone = '!';  // whose kind does not matter

char letter(std::size_t kind) { return static_cast<char>('0' + kind); }

struct Step {
  std::uint32_t to;
  double probability;
};

/// In the order of the number at the server.
struct Chain {
  struct State {
    double own_apply;      ///< probability
    std::size_t arrivals;  ///< where its steps end that are no applies; they begin where those of the last state end
    std::size_t applies;   ///< where those end that are
  };
  std::vector<State> states;
  std::vector<Step> steps;
  std::vector<double> found;  ///< by the tagged worker when it reads
};

class Builder {
 public:
  Builder(const ExponentialJob& job, std::size_t tagged)
      : job_(job), tagged_(tagged), threads_(static_cast<std::size_t>(job.threads)) {}

  Chain build() {
    number_of("");
    chain_.found[0] = 1.0;
    for (std::size_t i = 0; i < queues_.size(); ++i) add_state(i);
    const double sum = std::accumulate(chain_.found.begin(), chain_.found.end(), 0.0);
    for (double& each : chain_.found) each /= sum;
    return std::move(chain_);
  }

 private:
  std::uint32_t number_of(Queue queue) {
    if (const std::size_t ahead = queue.find(kTagged); threads_ == 1 && ahead != Queue::npos)
      queue = Queue(ahead, kSomeone) + kTagged;
    else
      std::sort(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(std::min(threads_, queue.size())));
    const auto [found, is_new] = numbers_.try_emplace(std::move(queue), static_cast<std::uint32_t>(queues_.size()));
    if (is_new) {
      queues_.push_back(&found->first);
      chain_.found.push_back(0.0);
    }
    return found->second;
  }

  void add_state(std::size_t state) {
    const Queue& queue = *queues_[state];
    const bool computing = queue.find(kTagged) == Queue::npos;
    const std::size_t first = chain_.steps.size();
    if (computing) chain_.steps.push_back({number_of(queue + kTagged), 1.0 / job_.kinds[tagged_].compute_s});
    if (computing || threads_ > 1) add_arrivals(state, queue, computing);
    const std::size_t arrivals = chain_.steps.size();
    const double own = add_applies(queue);

    double out = own;
    for (std::size_t i = first; i < chain_.steps.size(); ++i) out += chain_.steps[i].probability;
    for (std::size_t i = first; i < chain_.steps.size(); ++i) chain_.steps[i].probability /= out;
    chain_.states.push_back({own / out, arrivals, chain_.steps.size()});
  }

  /// Rates, and the weights of equilibrium while the tagged worker computes.
  void add_arrivals(std::size_t state, const Queue& queue, bool computing) {
    constexpr double kLarge = 1e200;
    if (chain_.found[state] > kLarge)
      for (double& each : chain_.found) each /= kLarge;
    const auto busy = static_cast<double>(std::min(threads_, queue.size() + 1));
    for (std::size_t kind = 0; kind < job_.kinds.size(); ++kind) {
      const auto others = job_.kinds[kind].workers - (kind == tagged_ ? 1 : 0);
      const auto there = std::count(queue.begin(), queue.end(), letter(kind));
      if (there == others) continue;
      const double rate = static_cast<double>(others - there) / job_.kinds[kind].compute_s;
      const std::uint32_t to = number_of(queue + letter(kind));
      chain_.steps.push_back({to, rate});
      if (computing) chain_.found[to] += chain_.found[state] * rate * job_.update_s / busy;
    }
  }

  /// Rates; returns that of the tagged worker's own.
  double add_applies(const Queue& queue) {
    const std::size_t busy = std::min(threads_, queue.size());
    double own = 0.0;
    for (std::size_t i = 0, end = 0; i < busy; i = end) {
      end = std::min(busy, queue.find_first_not_of(queue[i], i));
      const double rate = static_cast<double>(end - i) / job_.update_s;
      if (queue[i] == kTagged)
        own = rate;
      else
        chain_.steps.push_back({number_of(Queue(queue).erase(i, 1)), rate});
    }
    return own;
  }

  const ExponentialJob& job_;
  std::size_t tagged_;
  std::size_t threads_;
  std::unordered_map<Queue, std::uint32_t> numbers_;
  std::vector<const Queue*> queues_;
  Chain chain_;
};

}  // namespace

std::vector<double> tagged_chain_staleness(const ExponentialJob& job, std::size_t tagged) {
  const Chain chain = Builder(job, tagged).build();
  if (static_cast<double>(chain.states.size()) != tagged_chain_states(job, tagged))
    throw std::logic_error("the tagged worker's chain has another number of states than counted");
  std::vector<double> pmf;
  std::vector<double> entered = chain.found;
  for (double left = 1.0; left > kNegligibleTail;) {
    std::vector<double> next(entered.size(), 0.0);
    double own = 0.0;
    left = 0.0;
    std::size_t i = 0;
    for (std::size_t s = 0; s < chain.states.size(); ++s) {
      const double here = entered[s];
      own += here * chain.states[s].own_apply;
      for (; i < chain.states[s].arrivals; ++i) entered[chain.steps[i].to] += here * chain.steps[i].probability;
      for (; i < chain.states[s].applies; ++i) {
        next[chain.steps[i].to] += here * chain.steps[i].probability;
        left += here * chain.steps[i].probability;
      }
    }
    pmf.push_back(own);
    entered = std::move(next);
  }
  normalize(pmf);
  return pmf;
}

}  // namespace stagger
