#include "analysis/first_come_updates.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/bounds.hpp"
#include "analysis/fork_join.hpp"

namespace stagger {
namespace {

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

/// How many servers like the slowest delay the last of all updates as much: a server with a share r of its mean, r^2.
/// (Two exponential updates with means of .6 and .4 s take .76 s together; 1 + (2/3)^2 servers of .6 s, .75 s.)
double slowest_servers(const Layout& layout) {
  double slowest_s = 0.0;
  double sum = 0.0;
  for (const Layout::Server& server : layout.servers) slowest_s = std::max(slowest_s, server.update_mean.si);
  for (const Layout::Server& server : layout.servers) sum += std::pow(server.update_mean.si / slowest_s, 2.0);
  return sum;
}

/// One station, whose service times have the shape `service`.
void correct(const Layout& layout, SolvedJob& job, std::size_t index, const Distribution& service, double servers) {
  const int workers = static_cast<int>(layout.workers.size());
  const Station& station = job.model.stations[index];
  MvaStation& solved = job.stations[index];
  const double think_s = workers / job.gradients_per_s - solved.residence_s;
  if (think_s <= 0.0) return;

  const double think_cv = compute_deviation_s(layout) / think_s;
  const auto factor = [&](int customers) {
    return fork_join_factor({{customers, think_s, think_cv, station.demand_s, service}, servers, station.parallelism});
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
  solved.residence_s = std::max(workers / job.gradients_per_s - think_s, station.demand_s);
  for (MvaStation& each : job.stations) {
    each.utilization = std::min(1.0, each.utilization * all);
    each.queue_mean = job.gradients_per_s * each.residence_s;
  }
}

}  // namespace

void correct_for_first_come(const Layout& layout, SolvedJob& job) {
  if (layout.cluster.sharing == Sharing::fifo) {
    const auto push = std::ranges::find(job.model.roles, StationRole::push);
    if (push != job.model.roles.end())
      correct(layout, job, static_cast<std::size_t>(push - job.model.roles.begin()), Distribution{}, 1.0);
  }
  if (!job.model.update) return;
  const auto slowest = std::ranges::max_element(layout.servers, {}, [](const auto& s) { return s.update_mean; });
  const bool is_exact = layout.servers.size() == 1 && is_exponential(slowest->update);
  if (!is_exact) correct(layout, job, *job.model.update, slowest->update, slowest_servers(layout));
}

}  // namespace stagger
