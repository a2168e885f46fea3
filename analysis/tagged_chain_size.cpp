#include <algorithm>
#include <numeric>

#include "analysis/populations.hpp"
#include "analysis/tagged_chain.hpp"

namespace stagger {
namespace {

constexpr double kEnough = 1e15;

std::vector<int> others_of(const ExponentialJob& job, std::size_t tagged) {
  std::vector<int> others;
  for (const ExponentialJob::Kind& kind : job.kinds) others.push_back(kind.workers);
  --others[tagged];
  return others;
}

/// For each vector of workers who are not in service: how many sequences of some of them can wait, and how many with
/// the tagged worker in it. The latter begin with it or with one of the others.
struct Waiting {
  std::vector<double> without;
  std::vector<double> with;

  explicit Waiting(const Populations& all) : without(all.size(), 1.0), with(all.size(), 0.0) {
    all.upwards([&](std::size_t index, const std::vector<int>& n) {
      for (std::size_t c = 0; c < n.size(); ++c)
        if (n[c] > 0) {
          without[index] = std::min(kEnough, without[index] + without[all.without(index, c)]);
          with[index] += with[all.without(index, c)];
        }
      with[index] = std::min(kEnough, with[index] + without[index]);
    });
  }
};

}  // namespace

double tagged_chain_states(const ExponentialJob& job, std::size_t tagged) {
  const std::vector<int> others = others_of(job, tagged);
  double vectors = 1.0;
  for (const int workers : others) vectors *= workers + 1.0;
  if (vectors > kMostChainStates) return std::min(kEnough, vectors);

  const Populations all(others);
  const Waiting waiting(all);
  // One thread, and the tagged worker at the server: only the number before it counts.
  double states = job.threads == 1 ? 1.0 + std::accumulate(others.begin(), others.end(), 0) : 0.0;
  all.upwards([&](std::size_t index, const std::vector<int>& in_service) {
    const int busy = std::accumulate(in_service.begin(), in_service.end(), 0);
    const std::size_t rest = all.last() - index;
    const auto with = [&](int threads) { return busy < threads ? 1.0 : busy == threads ? waiting.without[rest] : 0.0; };
    states += with(job.threads);                           // it computes
    if (job.threads > 1) states += with(job.threads - 1);  // is in service
    if (job.threads > 1 && busy == job.threads) states += waiting.with[rest];
  });
  return std::min(kEnough, states);
}

double tagged_chain_work(const ExponentialJob& job, std::size_t tagged) {
  constexpr double kTail = 26.0;  // -ln(1e-11), rounded up
  double computing_per_s = 0.0;
  double workers = 0.0;
  for (const ExponentialJob::Kind& kind : job.kinds) {
    computing_per_s += kind.workers / kind.compute_s;
    workers += kind.workers;
  }
  // While it computes, the others apply no faster than all compute, or the server does; while it is in service, as
  // often as they have threads beside it.
  const double others_per_s = std::min(computing_per_s, job.threads / job.update_s);
  const double beside = std::min<double>(job.threads, workers);
  const double values = workers + kTail * (beside + others_per_s * job.kinds[tagged].compute_s);
  return tagged_chain_states(job, tagged) * values;
}

}  // namespace stagger
