#include "analysis/predict_staleness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/exact_staleness.hpp"
#include "analysis/staleness.hpp"
#include "sim/config/sync.hpp"

namespace stagger {
namespace {

const Layout::Worker& first_of(const Layout& layout, const KindRate& rate) { return layout.workers[rate.kind.first]; }

double share_of(const KindRate& rate, const SolvedJob& job) { return rate.per_worker_per_s / job.gradients_per_s; }

/// The cycle of each kind as a worker of kind `tagged` sees it, without itself.
std::vector<WorkerClass> classes_of(const Layout& layout, const SolvedJob& job, const KindRate& tagged) {
  const double shorter = (job.gradients_per_s - tagged.per_worker_per_s) / tagged.others_per_s;
  std::vector<WorkerClass> classes;
  for (const KindRate& each : job.kinds) {
    const Layout::Worker& worker = first_of(layout, each);
    classes.push_back({each.kind.workers, worker.compute_mean.si, worker.compute, shorter / each.per_worker_per_s});
  }
  return classes;
}

using Pmfs = std::vector<std::vector<double>>;

/// Whether all gradients of a version were computed from the one before.
bool updates_what_it_read(SyncKind sync) {
  return sync == SyncKind::bsp || sync == SyncKind::backup_workers || sync == SyncKind::k_sync ||
         sync == SyncKind::k_batch_sync;
}

/// The distribution of each kind, and its method.
std::string find_distributions(const Layout& layout, const SolvedJob& job, Pmfs& pmfs) {
  const bool is_current = updates_what_it_read(layout.sync.kind);
  if (is_current || layout.workers.size() == 1) {
    pmfs.assign(job.kinds.size(), {1.0});
    return is_current ? "0: every gradient updates the version that its worker has read"
                      : "0: there is no other worker";
  }
  ExactStaleness exact = exact_staleness(layout, job);
  pmfs = std::move(exact.pmfs);
  if (!pmfs.empty()) return exact.method;
  const double unread_s = layout.exchange == Exchange::fused ? 0.0 : 2.0 * job.model.latency_s;
  for (std::size_t i = 0; i < job.kinds.size(); ++i)
    pmfs.push_back(renewal_staleness(classes_of(layout, job, job.kinds[i]), i, unread_s));
  return "approximate: workers as renewal processes" + (exact.method.empty() ? "" : "; " + exact.method);
}

double known_mean(const Layout& layout, const SolvedJob& job) {
  const auto workers = static_cast<double>(layout.workers.size());
  const auto gradients =
      static_cast<double>(gradients_per_version(layout.sync, static_cast<long long>(layout.workers.size())));
  if (updates_what_it_read(layout.sync.kind)) return 0.0;
  if (layout.sync.kind == SyncKind::k_async) return workers / gradients - 1.0;
  const double unread = layout.exchange == Exchange::fused ? 0.0 : 2.0 * job.model.latency_s * job.fewer_per_s;
  return (workers - 1.0 - unread) / gradients;
}

}  // namespace

PredictedStaleness predict_staleness(const Layout& layout, const SolvedJob& job) {
  PredictedStaleness staleness;
  staleness.mean = known_mean(layout, job);
  if (job.kinds.empty()) {
    staleness.method = fmt::format("only the mean: more than {} kinds of workers", kMostKinds);
    return staleness;
  }
  if (!is_asynchronous(layout.sync) && !updates_what_it_read(layout.sync.kind)) {
    staleness.method = "only the mean: that of gradients, over the gradients in a version";
    return staleness;
  }
  const auto is_wide = [&](const KindRate& each) { return first_of(layout, each).compute.cv > kLargestCv; };
  if (std::ranges::any_of(job.kinds, is_wide)) {
    staleness.method = fmt::format("only the mean: a cv above {:g}", kLargestCv);
    return staleness;
  }
  const auto [slowest, fastest] = std::ranges::minmax(job.kinds, {}, &KindRate::per_worker_per_s);
  if (fastest.per_worker_per_s > kLargestRatio * slowest.per_worker_per_s) {
    staleness.method =
        fmt::format("only the mean: some workers update more than {:g} times as often as others", kLargestRatio);
    return staleness;
  }
  Pmfs pmfs;
  staleness.method = find_distributions(layout, job, pmfs);
  const bool several = job.kinds.size() > 1;
  for (std::size_t i = 0; i < pmfs.size(); ++i) {
    const KindRate& each = job.kinds[i];
    add_to(staleness.pmf, {0, pmfs[i]}, share_of(each, job) * each.kind.workers);
    if (several)
      staleness.kinds.push_back(
          {first_of(layout, each).name, each.kind.workers, mean_of(pmfs[i]), variance_of(pmfs[i]), pmfs[i]});
  }
  if (several) staleness.mean = mean_of(staleness.pmf);
  staleness.variance = variance_of(staleness.pmf);
  return staleness;
}

}  // namespace stagger
