#include "analysis/predict_staleness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/lone_step.hpp"
#include "analysis/staleness.hpp"

namespace stagger {
namespace {

/// Workers that the staleness model cannot tell apart.
struct Kind {
  const Layout::Worker* first;
  double step_s;  // alone
  int workers = 0;
  double share = 0.0;  // of the job's updates, of each worker
};

std::vector<Kind> kinds_of(const Layout& layout) {
  const std::vector<LoneStep> steps = lone_steps(layout);
  std::vector<Kind> kinds;
  double sum = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Layout::Worker& worker = layout.workers[i];
    const double step_s = steps[i].total_s(layout.exchange);
    sum += 1.0 / step_s;
    const auto same = [&](const Kind& kind) {
      return kind.first->compute_mean == worker.compute_mean && kind.first->compute == worker.compute &&
             std::abs(kind.step_s - step_s) <= 1e-9 * step_s;
    };
    auto kind = std::ranges::find_if(kinds, same);
    if (kind == kinds.end()) {
      if (kinds.size() == kMostKinds) return {};
      kind = kinds.insert(kinds.end(), {&worker, step_s});
    }
    ++kind->workers;
  }
  for (Kind& kind : kinds) kind.share = 1.0 / (kind.step_s * sum);
  return kinds;
}

bool all_exponential(const std::vector<Kind>& kinds) {
  return std::ranges::all_of(kinds, [](const Kind& kind) { return is_exponential(kind.first->compute); });
}

bool only(const Model& model, std::initializer_list<StationRole> roles) {
  return std::ranges::all_of(model.roles,
                             [&](StationRole role) { return std::ranges::find(roles, role) != roles.end(); });
}

/// One first-come server, one thread, exponential.
bool exponential_updates(const Layout& layout) {
  const Layout::Server& server = layout.servers.front();
  return layout.servers.size() == 1 && server.threads == 1 && is_exponential(server.update);
}

/// The cycle of each kind as a worker sees it with one worker less.
std::vector<WorkerClass> classes_of(const std::vector<Kind>& kinds, int workers, const SolvedJob& job) {
  const double others = workers - 1.0;
  const double shorter = others * job.gradients_per_s() / (workers * job.fewer_per_s());
  std::vector<WorkerClass> classes;
  for (const Kind& kind : kinds)
    classes.push_back({kind.workers, kind.first->compute_mean.si, kind.first->compute,
                       shorter / (kind.share * job.gradients_per_s())});
  return classes;
}

/// The distribution of each kind, and its method.
std::string find_distributions(const Layout& layout, const SolvedJob& job, const std::vector<Kind>& kinds,
                               std::vector<std::vector<double>>& pmfs) {
  const int workers = static_cast<int>(layout.workers.size());
  if (layout.sync == SyncKind::bsp || workers == 1) {
    pmfs.assign(kinds.size(), {1.0});
    return layout.sync == SyncKind::bsp ? "0: every worker reads the version that its gradient updates"
                                        : "0: there is no other worker";
  }
  if (all_exponential(kinds) && only(job.model, {StationRole::compute})) {
    for (const Kind& kind : kinds) pmfs.push_back(geometric_staleness(kind.share));
    return "exact: geometric";
  }
  if (kinds.size() == 1 && all_exponential(kinds) && exponential_updates(layout) &&
      only(job.model, {StationRole::compute, StationRole::update})) {
    pmfs.push_back(
        fifo_staleness(workers, kinds.front().first->compute_mean.si, layout.servers.front().update_mean.si));
    return "exact: first-come server";
  }
  const double unread_s = layout.exchange == Exchange::fused ? 0.0 : 2.0 * job.model.latency_s;
  const std::vector<WorkerClass> classes = classes_of(kinds, workers, job);
  for (std::size_t i = 0; i < classes.size(); ++i) pmfs.push_back(renewal_staleness(classes, i, unread_s));
  return "approximate: workers as renewal processes";
}

double known_mean(const Layout& layout, const SolvedJob& job) {
  const double others = static_cast<double>(layout.workers.size()) - 1.0;
  if (layout.sync == SyncKind::bsp) return 0.0;
  return layout.exchange == Exchange::fused ? others : others - 2.0 * job.model.latency_s * job.fewer_per_s();
}

}  // namespace

PredictedStaleness predict_staleness(const Layout& layout, const SolvedJob& job) {
  PredictedStaleness staleness;
  staleness.mean = known_mean(layout, job);
  const std::vector<Kind> kinds = kinds_of(layout);
  if (kinds.empty()) {
    staleness.method = fmt::format("only the mean: more than {} kinds of workers", kMostKinds);
    return staleness;
  }
  std::vector<std::vector<double>> pmfs;
  staleness.method = find_distributions(layout, job, kinds, pmfs);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    add_to(staleness.pmf, {0, pmfs[i]}, kinds[i].share * kinds[i].workers);
    if (kinds.size() > 1)
      staleness.kinds.push_back(
          {kinds[i].first->name, kinds[i].workers, mean_of(pmfs[i]), variance_of(pmfs[i]), pmfs[i]});
  }
  if (kinds.size() > 1) staleness.mean = mean_of(staleness.pmf);
  staleness.variance = variance_of(staleness.pmf);
  return staleness;
}

}  // namespace stagger
