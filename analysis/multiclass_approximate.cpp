#include "analysis/multiclass_approximate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "analysis/multiclass_queues.hpp"
#include "sim/base/input_error.hpp"

namespace stagger {
namespace {

/// Seidmann's transformation: what each class spends at delays, the queues' share of it included.
std::vector<double> all_delays_s(const Queues& queues) {
  std::vector<double> delays_s = queues.think_s;
  for (std::size_t c = 0; c < queues.classes(); ++c)
    for (std::size_t q = c * queues.queues(); q < (c + 1) * queues.queues(); ++q)
      delays_s[c] += queues.demand_s[q] - queues.saturated_s[q];
  return delays_s;
}

/// The iterations of one solution: how many, and how far they came.
struct Progress {
  long iterations = 0;
  double residual = 0.0;
  bool converged = true;
};

/// One population and what is known of it. Arrays (class, queue).
struct Estimate {
  std::vector<double> customers;  // [class]
  std::vector<double> share;      // F; 0 of a class without customers
  std::vector<double> waiting_s;  // residence at the queues
  std::vector<double> cycle_s;    // [class]
};

class Core {
 public:
  Core(const Queues& queues, double most_steps)
      : queues_(queues),
        delays_s_(all_delays_s(queues)),
        most_iterations_(most_steps / static_cast<double>(std::max<std::size_t>(1, queues.demand_s.size()))) {}

  /// At the start every class is spread evenly.
  Estimate estimate(std::vector<double> customers) const {
    Estimate at{std::move(customers), queues_.demand_s, queues_.demand_s, delays_s_};
    const std::size_t count = queues_.queues();
    for (std::size_t c = 0; c < queues_.classes(); ++c)
      std::fill_n(at.share.begin() + static_cast<std::ptrdiff_t>(c * count), count,
                  at.customers[c] > 0.0 ? 1.0 / static_cast<double>(count) : 0.0);
    return at;
  }

  /// Iterates `at` until it moves by no more than `tolerance`. `fewer` (class, queue): what a customer of this class
  /// finds there beyond the shares of all, from the differences; 0 for Bard-Schweitzer.
  void solve(Estimate& at, const std::vector<double>& fewer, double tolerance, Progress& progress) const {
    std::vector<double> present(queues_.queues());
    do {
      progress.residual = iterate(at, fewer, present);
      ++progress.iterations;
    } while (progress.residual > tolerance && !exhausted(progress));
    progress.converged = progress.residual <= tolerance;
  }

  bool exhausted(const Progress& progress) const {
    return static_cast<double>(progress.iterations) >= most_iterations_;
  }

 private:
  /// Returns how far the shares moved.
  double iterate(Estimate& at, const std::vector<double>& fewer, std::vector<double>& present) const {
    const std::size_t count = queues_.queues();
    std::ranges::fill(present, 0.0);
    for (std::size_t c = 0; c < queues_.classes(); ++c)
      for (std::size_t q = 0; q < count; ++q) present[q] += at.customers[c] * at.share[c * count + q];
    double moved = 0.0;
    for (std::size_t c = 0; c < queues_.classes(); ++c) {
      if (at.customers[c] == 0.0) continue;
      double cycle_s = delays_s_[c];
      for (std::size_t q = 0; q < count; ++q) {
        const std::size_t at_queue = c * count + q;
        const double found = present[q] - at.share[at_queue] + fewer[at_queue];
        at.waiting_s[at_queue] = queues_.saturated_s[at_queue] * (1.0 + found);
        cycle_s += at.waiting_s[at_queue];
      }
      for (std::size_t i = c * count; i < (c + 1) * count; ++i) {
        const double share = at.waiting_s[i] / cycle_s;
        moved = std::max(moved, std::abs(share - at.share[i]));
        at.share[i] = share;
      }
      at.cycle_s[c] = cycle_s;
    }
    return moved;
  }

  const Queues& queues_;
  std::vector<double> delays_s_;
  double most_iterations_;
};

/// The differences can carry a queue a little beyond its capacity. The classes that use it are slowed down to it, and
/// wait there for the rest of their cycle.
void respect_capacity(const Queues& queues, std::vector<double>& throughput_per_s, std::vector<double>& waiting_s) {
  const std::size_t count = queues.queues();
  std::vector<double> load(count, 0.0);
  for (std::size_t c = 0; c < queues.classes(); ++c)
    for (std::size_t q = 0; q < count; ++q) load[q] += throughput_per_s[c] * queues.saturated_s[c * count + q];
  for (std::size_t c = 0; c < queues.classes(); ++c) {
    std::size_t busiest = count;
    double overload = 1.0;
    for (std::size_t q = 0; q < count; ++q)
      if (queues.saturated_s[c * count + q] > 0.0 && load[q] > overload) overload = load[busiest = q];
    if (busiest == count) continue;
    waiting_s[c * count + busiest] += queues.customers[c] / throughput_per_s[c] * (overload - 1.0);
    throughput_per_s[c] /= overload;
  }
}

MulticlassResult complete(const MulticlassNetwork& network, const Queues& queues, std::string method,
                          const Estimate& at, const Progress& progress) {
  std::vector<double> throughput_per_s;
  for (std::size_t c = 0; c < queues.classes(); ++c) throughput_per_s.push_back(at.customers[c] / at.cycle_s[c]);
  std::vector<double> residence_s = at.waiting_s;
  respect_capacity(queues, throughput_per_s, residence_s);
  for (std::size_t i = 0; i < residence_s.size(); ++i) residence_s[i] += queues.demand_s[i] - queues.saturated_s[i];
  MulticlassResult result = complete(network, queues, std::move(method), throughput_per_s, residence_s);
  result.converged = progress.converged;
  result.iterations = progress.iterations;
  result.residual = progress.residual;
  return result;
}

/// What `fewer` of Core::solve is, for each population, from what is known of all: sum_i (n_i - [i = c]) times the
/// difference of i's share without a customer of class c.
struct Differences {
  std::vector<double> all;                   // with all customers
  std::vector<std::vector<double>> without;  // [class] with one less of it
};

Differences no_differences(const Queues& queues) {
  const std::vector<double> none(queues.demand_s.size(), 0.0);
  return {none, std::vector<std::vector<double>>(queues.classes(), none)};
}

Differences differences(const Queues& queues, const Estimate& all, const std::vector<Estimate>& without) {
  const std::size_t classes = queues.classes();
  const std::size_t count = queues.queues();
  Differences fewer = no_differences(queues);
  for (std::size_t c = 0; c < classes; ++c)
    for (std::size_t i = 0; i < classes; ++i)
      for (std::size_t q = 0; q < count; ++q) {
        const double difference = without[c].share[i * count + q] - all.share[i * count + q];
        fewer.all[c * count + q] += (all.customers[i] - (i == c ? 1.0 : 0.0)) * difference;
        fewer.without[i][c * count + q] = -difference;
      }
  for (std::vector<double>& less : fewer.without) std::ranges::transform(less, fewer.all, less.begin(), std::plus<>());
  return fewer;
}

double largest_change(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

MulticlassResult solve_bard_schweitzer(const MulticlassNetwork& network, double most_steps) {
  const Queues queues = queues_of(network);
  const Core core(queues, most_steps);
  Estimate all = core.estimate({queues.customers.begin(), queues.customers.end()});
  Progress progress;
  core.solve(all, std::vector<double>(queues.demand_s.size(), 0.0), kShareTolerance, progress);
  return complete(network, queues, "Bard-Schweitzer", all, progress);
}

double linearizer_shares(const MulticlassNetwork& network) {
  const Queues queues = queues_of(network);
  return static_cast<double>(queues.classes()) * static_cast<double>(queues.demand_s.size());
}

MulticlassResult solve_linearizer(const MulticlassNetwork& network, double most_steps) {
  if (linearizer_shares(network) > kMostLinearizerShares)
    throw SimulationError(fmt::format("Linearizer takes up to {:.0f} shares of classes at queues, not {:.0f}",
                                      kMostLinearizerShares, linearizer_shares(network)));
  const Queues queues = queues_of(network);
  const Core core(queues, most_steps);
  Estimate all = core.estimate({queues.customers.begin(), queues.customers.end()});
  std::vector<Estimate> without;
  for (std::size_t c = 0; c < queues.classes(); ++c) {
    std::vector<double> customers = all.customers;
    customers[c] -= 1.0;
    without.push_back(core.estimate(std::move(customers)));
  }
  Differences fewer = no_differences(queues);
  Progress progress;
  // The iterations of a round need to be no more exact than its differences, which still change.
  double tolerance = 1e-4;
  double moved = 1.0;
  do {
    const std::vector<double> before = all.share;
    core.solve(all, fewer.all, tolerance, progress);
    for (std::size_t c = 0; c < queues.classes(); ++c) core.solve(without[c], fewer.without[c], tolerance, progress);
    fewer = differences(queues, all, without);
    moved = largest_change(before, all.share);
    tolerance = std::max(kShareTolerance, std::min(tolerance, 0.01 * moved));
  } while (moved > kRoundTolerance && !core.exhausted(progress));
  progress.residual = moved;
  progress.converged = moved <= kRoundTolerance;
  return complete(network, queues, "Linearizer", all, progress);
}

}  // namespace stagger
