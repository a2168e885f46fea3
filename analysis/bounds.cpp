#include "analysis/bounds.hpp"

#include <algorithm>
#include <cmath>
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

/// y + y^2 + ... + y^n for 0 <= y <= 1.
double geometric_sum(double y, double n) { return y < 1.0 ? std::min(n, y * (1.0 - std::pow(y, n)) / (1.0 - y)) : n; }

/// 2N / (b + sqrt(b^2 - 4 drag)), the smaller root of drag/N x^2 - b x + N, with b = base_s - sum_k (M - D_k) q_k over
/// the stations that `queues` names, where q_k is the geometric sum of D_k * per_s.
template <class Queues>
double geometric_root(const Network& network, Queues queues, int customers, double max_s, double per_s, double base_s,
                      double drag) {
  double b_s = base_s;
  for (const Station& station : network)
    if (queues(station)) b_s -= (max_s - station.demand_s) * geometric_sum(station.demand_s * per_s, customers - 1.0);
  // There are roots, but for rounding: the parabola is not above 0 at X(N) (lower bound), at 1/M (upper bound).
  return 2.0 * customers / (b_s + std::sqrt(std::max(0.0, b_s * b_s - 4.0 * drag)));
}

bool slow_queue(const Station& station) { return station.kind() != StationKind::delay; }
bool fast_queue(const Station& station) { return station.kind() == StationKind::queueing; }

}  // namespace

ThroughputBounds asymptotic_bounds(const Network& network, int customers) {
  double crowded_s = 0.0;
  for (const Station& station : network) crowded_s += station.demand_s * std::max(1.0, customers / station.parallelism);
  return {customers / crowded_s, std::min(customers / total_demand_s(network), saturation_per_s(network))};
}

ThroughputBounds balanced_job_bounds(const Network& network, int customers) {
  const double others = customers - 1.0;
  const Demands slow = demands(network, slow_queue);
  const Demands fast = demands(network, fast_queue);
  const double slow_total_s = customers * slow.sum_s;
  const double fast_total_s = fast.think_s + fast.sum_s;
  return {customers / (slow.think_s + slow.sum_s + others * slow.max_s * slow_total_s / (slow_total_s + slow.think_s)),
          std::min(saturation_per_s(network),
                   customers / (fast_total_s + others * fast.mean_s * fast.sum_s / fast_total_s))};
}

ThroughputBounds geometric_bounds(const Network& network, int customers) {
  const double others = customers - 1.0;
  const double total_s = total_demand_s(network);
  const Demands slow = demands(network, slow_queue);
  const Demands fast = demands(network, fast_queue);
  const double slow_base_s = total_s + others * slow.max_s;
  const double fast_base_s = total_s + others * fast.max_s;
  const double fast_per_s = customers / std::max(total_s, customers * fast.max_s);
  const double lower_per_s = geometric_root(network, slow_queue, customers, slow.max_s, others / slow_base_s,
                                            slow_base_s, slow.think_s * slow.max_s * others);
  const double upper_per_s = geometric_root(network, fast_queue, customers, fast.max_s, fast_per_s, fast_base_s,
                                            fast.think_s * fast.max_s * customers);
  return {lower_per_s, std::min(saturation_per_s(network), upper_per_s)};
}

ThroughputBounds tightest_bounds(const Network& network, int customers) {
  ThroughputBounds tightest = asymptotic_bounds(network, customers);
  for (const ThroughputBounds& each : {balanced_job_bounds(network, customers), geometric_bounds(network, customers)}) {
    tightest.lower_per_s = std::max(tightest.lower_per_s, each.lower_per_s);
    tightest.upper_per_s = std::min(tightest.upper_per_s, each.upper_per_s);
  }
  return tightest;
}

double knee_customers(const Network& network) { return total_demand_s(network) * saturation_per_s(network); }

}  // namespace stagger
