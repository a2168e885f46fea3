#include "analysis/first_come_updates.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/bounds.hpp"
#include "analysis/first_come.hpp"

namespace stagger {
namespace {

bool applies(const Layout& layout, const SolvedJob& job) {
  const Layout::Server& first = layout.servers.front();
  if (!job.model.update || is_exponential(first.update)) return false;
  if (layout.servers.size() > 1 && first.update.cv > 0.0) return false;
  return std::ranges::all_of(layout.servers, [&](const Layout::Server& each) {
    return each.threads == 1 && each.update == first.update &&
           std::abs(each.update_mean.si - first.update_mean.si) <= 1e-6 * first.update_mean.si;
  });
}

/// No job is faster. Of several kinds, the averages of the model's stations bound only what saturates.
double most_per_s(const SolvedJob& job, int workers) {
  const Network& stations = job.model.stations;
  if (job.classes.customers.empty()) return asymptotic_bounds(stations, workers).upper_per_s;
  return knee_customers(stations) / total_demand_s(stations);
}

/// The root mean square over the workers of the standard deviation of a step's compute time.
double compute_deviation_s(const Layout& layout) {
  double sum = 0.0;
  for (const Layout::Worker& worker : layout.workers) sum += std::pow(worker.compute.cv * worker.compute_mean.si, 2.0);
  return std::sqrt(sum / static_cast<double>(layout.workers.size()));
}

}  // namespace

void correct_for_first_come(const Layout& layout, SolvedJob& job) {
  if (!applies(layout, job)) return;
  const int workers = static_cast<int>(layout.workers.size());
  const Layout::Server& server = layout.servers.front();
  MvaStation& update = job.stations[*job.model.update];
  const double think_s = workers / job.gradients_per_s - update.residence_s;
  if (think_s <= 0.0) return;

  const auto factor = [&](int customers) {
    MachineRepair repair{customers, think_s, compute_deviation_s(layout) / think_s, server.update_mean.si,
                         server.update};
    const double per_s = first_come_per_s(repair);
    repair.service = {DistributionKind::exponential, 1.0, {}};
    return per_s / exponential_think_per_s(repair);
  };
  const double bound = most_per_s(job, workers) / job.gradients_per_s;
  const double all = std::min(factor(workers), bound);
  if (std::abs(all - 1.0) <= kNegligibleShare) return;
  const double fewer = workers > 1 ? std::min(factor(workers - 1), bound) : 1.0;

  job.corrected = true;
  job.gradients_per_s *= all;
  job.examples_per_s *= all;
  job.fewer_per_s *= fewer;
  for (KindRate& kind : job.kinds) {
    kind.per_worker_per_s *= all;
    kind.others_per_s *= fewer;
  }
  update.residence_s = std::max(workers / job.gradients_per_s - think_s, server.update_mean.si);
  for (MvaStation& station : job.stations) {
    station.utilization = std::min(1.0, station.utilization * all);
    station.queue_mean = job.gradients_per_s * station.residence_s;
  }
}

}  // namespace stagger
