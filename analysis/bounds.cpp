#include "analysis/bounds.hpp"

#include <algorithm>
#include <limits>

namespace stagger {
namespace {

/// 1 / the largest saturated demand; infinite when no station saturates.
double saturation_per_s(const Network& network) {
  double largest_s = 0.0;
  for (const Station& station : network) largest_s = std::max(largest_s, station.saturated_demand_s());
  return largest_s > 0.0 ? 1.0 / largest_s : std::numeric_limits<double>::infinity();
}

/// The demands of the stations where customers queue; those of the others are the think time.
struct Demands {
  double think_s = 0.0;
  double sum_s = 0.0;
  double max_s = 0.0;
  double mean_s = 0.0;
};

template <class Queues>
Demands demands(const Network& network, Queues queues) {
  Demands d;
  double stations = 0.0;
  for (const Station& station : network) {
    if (!queues(station) || station.demand_s == 0.0) {
      d.think_s += station.demand_s;
      continue;
    }
    d.sum_s += station.demand_s;
    d.max_s = std::max(d.max_s, station.demand_s);
    ++stations;
  }
  if (stations > 0.0) d.mean_s = d.sum_s / stations;
  return d;
}

}  // namespace

ThroughputBounds asymptotic_bounds(const Network& network, int customers) {
  double crowded_s = 0.0;
  for (const Station& station : network) crowded_s += station.demand_s * std::max(1.0, customers / station.parallelism);
  return {customers / crowded_s, std::min(customers / total_demand_s(network), saturation_per_s(network))};
}

ThroughputBounds balanced_job_bounds(const Network& network, int customers) {
  const double others = customers - 1.0;
  const Demands slow = demands(network, [](const Station& s) { return s.kind() != StationKind::delay; });
  const Demands fast = demands(network, [](const Station& s) { return s.kind() == StationKind::queueing; });
  const double slow_total_s = customers * slow.sum_s;
  const double fast_total_s = fast.think_s + fast.sum_s;
  return {customers / (slow.think_s + slow.sum_s + others * slow.max_s * slow_total_s / (slow_total_s + slow.think_s)),
          std::min(saturation_per_s(network),
                   customers / (fast_total_s + others * fast.mean_s * fast.sum_s / fast_total_s))};
}

ThroughputBounds tightest_bounds(const Network& network, int customers) {
  const ThroughputBounds a = asymptotic_bounds(network, customers);
  const ThroughputBounds b = balanced_job_bounds(network, customers);
  return {std::max(a.lower_per_s, b.lower_per_s), std::min(a.upper_per_s, b.upper_per_s)};
}

double knee_customers(const Network& network) { return total_demand_s(network) * saturation_per_s(network); }

}  // namespace stagger
