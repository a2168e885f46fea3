#include "analysis/first_come.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/cells.hpp"

namespace stagger {
namespace {

/// The logarithm of the Laplace transform of a time with mean 1 at s.
double log_transform(const Distribution& shape, const std::vector<Cell>& cells, double s) {
  if (shape.kind == DistributionKind::deterministic) return -s;
  if (is_exponential(shape)) return -std::log1p(s);
  if (shape.kind == DistributionKind::gamma) return -std::log1p(s * shape.cv * shape.cv) / (shape.cv * shape.cv);
  double sum = 0.0;
  for (const Cell& cell : cells) sum += cell.probability * std::exp(-s * cell.value);
  return std::log(sum);
}

double bound_per_s(const MachineRepair& repair) {
  return std::min(repair.customers / (repair.think_s + repair.service_s), 1.0 / repair.service_s);
}

double lost(const MachineRepair& repair, double per_s) { return bound_per_s(repair) / per_s - 1.0; }

}  // namespace

double exponential_think_per_s(const MachineRepair& repair) {
  constexpr int kCells = 256;
  const std::vector<Cell> cells = cells_of(repair.service, kCells);
  const double ratio = repair.service_s / repair.think_s;
  double log_term = std::log(repair.customers * ratio);
  double log_sum = log_term;  // of N s/z sum_n C(N-1, n) B_n
  for (int n = 1; n < repair.customers; ++n) {
    const double failed = -log_transform(repair.service, cells, n * ratio);  // 1 / f - 1 = exp(failed) - 1
    log_term += std::log(static_cast<double>(repair.customers - n) / n) + failed + std::log(-std::expm1(-failed));
    const auto [less, more] = std::minmax(log_sum, log_term);
    log_sum = more + std::log1p(std::exp(less - more));
  }
  const double idle = 1.0 / (1.0 + std::exp(log_sum));
  return (1.0 - idle) / repair.service_s;
}

double first_come_per_s(const MachineRepair& repair) {
  MachineRepair exponential = repair;
  exponential.service = {DistributionKind::exponential, 1.0, {}};
  const double exponential_per_s = exponential_think_per_s(exponential);
  const double base = lost(repair, exponential_think_per_s(repair));
  const double n = repair.customers;
  const double used = exponential_per_s * repair.service_s;
  const double cs2 = 1.192 / std::pow(n, 1.656) * repair.service.cv * repair.service.cv;
  const double cc2 = std::max(repair.think_cv * repair.think_cv, 1e-12);
  const double spread = 0.5 * std::log((cc2 + cs2) / (1.0 + cs2));
  double r = 0.277 * std::pow(used, 1.929) + 1.57 * std::pow(used, 0.87) / std::pow(n, 0.63);
  if (repair.think_cv > 1.0) r += 0.272 * (1.0 - r);
  const double e = base + r * (lost(repair, exponential_per_s) - base) * spread;
  return bound_per_s(repair) / (1.0 + std::max(e, 0.0));
}

}  // namespace stagger
