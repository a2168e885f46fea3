#include "analysis/fork_join.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/cells.hpp"

namespace stagger {
namespace {

/// By the recursion of the header, with `largest` the mean of the longest of a step's services relative to their mean.
double fork_join_per_s(const ForkJoin& updates, double largest) {
  const MachineRepair& repair = updates.repair;
  const double queued_s = repair.service_s / updates.threads;
  const double delay_s = largest * (repair.service_s - queued_s);
  double queue = 0.0;
  double per_s = 0.0;
  for (int n = 1; n <= repair.customers; ++n) {
    const double residence_s = repair.service_s * largest + queued_s * queue;
    per_s = n / (repair.think_s + residence_s);
    queue = per_s * (residence_s - delay_s);
  }
  return per_s;
}

/// What service times do that are not exponential.
double shape_factor(const ForkJoin& updates) {
  MachineRepair repair = updates.repair;
  const double customers = repair.customers;
  if (is_exponential(repair.service) || updates.threads >= customers) return 1.0;
  repair.service_s /= updates.threads;
  const double delay_s = updates.repair.service_s - repair.service_s;
  repair.think_cv *= repair.think_s / (repair.think_s + delay_s);
  repair.think_s += delay_s;
  const double per_s = first_come_per_s(repair);
  repair.service = {DistributionKind::exponential, 1.0, {}};
  const double power = customers > 1.0 ? std::pow((customers - updates.threads) / (customers - 1.0), 2.0) : 1.0;
  return std::pow(per_s / exponential_think_per_s(repair), power);
}

}  // namespace

double mean_of_largest(const Distribution& shape, double count) {
  constexpr int kCells = 1024;
  double below = 0.0;
  double sum = 0.0;
  for (const Cell& cell : cells_of(shape, kCells)) {
    const double next = std::min(1.0, below + cell.probability);
    sum += cell.value * (std::pow(next, count) - std::pow(below, count));
    below = next;
  }
  return sum;
}

double fork_join_factor(const ForkJoin& updates) {
  const double largest = updates.servers > 1.0 ? mean_of_largest(updates.repair.service, updates.servers) : 1.0;
  return shape_factor(updates) * fork_join_per_s(updates, largest) / fork_join_per_s(updates, 1.0);
}

}  // namespace stagger
