#include "analysis/exact_staleness.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/staleness.hpp"
#include "analysis/tagged_chain.hpp"

namespace stagger {
namespace {

bool only(const Model& model, std::initializer_list<StationRole> roles) {
  return std::ranges::all_of(model.roles,
                             [&](StationRole role) { return std::ranges::find(roles, role) != roles.end(); });
}

/// Of jobs where only computing takes time.
ExactStaleness without_updates(const SolvedJob& job) {
  ExactStaleness exact{{}, "exact: geometric"};
  exact.pmfs.reserve(job.kinds.size());
  for (const KindRate& each : job.kinds)
    exact.pmfs.push_back(geometric_staleness(each.per_worker_per_s / job.gradients_per_s));
  return exact;
}

/// Where kinds differ in the batch only, they are one.
struct Merged {
  ExponentialJob job;
  std::vector<std::size_t> kind;  ///< of each of the job's
};

Merged merge(const Layout::Server& server, const SolvedJob& job) {
  Merged merged{{{}, server.update_mean.si, server.threads}, {}};
  std::vector<ExponentialJob::Kind>& kinds = merged.job.kinds;
  for (const KindRate& each : job.kinds) {
    const double compute_s = each.kind.step.compute_s;
    const auto same = std::ranges::find(kinds, compute_s, &ExponentialJob::Kind::compute_s);
    merged.kind.push_back(static_cast<std::size_t>(same - kinds.begin()));
    if (same == kinds.end())
      kinds.push_back({each.kind.workers, compute_s});
    else
      same->workers += each.kind.workers;
  }
  return merged;
}

ExactStaleness with_updates(const ExponentialJob& job) {
  const ExponentialJob::Kind& first = job.kinds.front();
  if (job.kinds.size() == 1 && job.threads == 1 && first.workers <= kMostFifoWorkers)
    return {{fifo_staleness(first.workers, first.compute_s, job.update_s)}, "exact: first-come server"};
  double states = 0.0;
  double work = 0.0;
  for (std::size_t i = 0; i < job.kinds.size(); ++i) {
    states += tagged_chain_states(job, i);
    work += tagged_chain_work(job, i);
  }
  if (states > kMostChainStates || work > kMostChainWork)
    return {{}, fmt::format("an exact Markov chain of at least {:.6g} states would take too long", states)};
  ExactStaleness exact{{}, fmt::format("exact: Markov chain of {} states", states)};
  exact.pmfs.reserve(job.kinds.size());
  for (std::size_t i = 0; i < job.kinds.size(); ++i) exact.pmfs.push_back(tagged_chain_staleness(job, i));
  return exact;
}

}  // namespace

ExactStaleness exact_staleness(const Layout& layout, const SolvedJob& job) {
  const auto computes = [&](const KindRate& each) {
    return each.kind.step.compute_s > 0.0 && is_exponential(layout.workers[each.kind.first].compute);
  };
  if (!std::ranges::all_of(job.kinds, computes)) return {};
  if (only(job.model, {StationRole::compute})) return without_updates(job);

  const Layout::Server& server = layout.servers.front();
  const bool shares_are_known = job.exact || job.kinds.size() == 1;
  if (!shares_are_known || !only(job.model, {StationRole::compute, StationRole::update}) || layout.servers.size() > 1 ||
      !is_exponential(server.update))
    return {};
  const Merged merged = merge(server, job);
  ExactStaleness known = with_updates(merged.job);
  if (known.pmfs.empty()) return known;
  ExactStaleness exact{{}, known.method};
  exact.pmfs.reserve(merged.kind.size());
  for (const std::size_t kind : merged.kind) exact.pmfs.push_back(known.pmfs[kind]);
  return exact;
}

}  // namespace stagger
