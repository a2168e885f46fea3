#include "analysis/multiclass_exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/multiclass_queues.hpp"
#include "analysis/populations.hpp"
#include "sim/base/input_error.hpp"

namespace stagger {
namespace {

/// For all populations: (index, class) at index * classes + class, (index, queue) likewise.
struct Recursion {
  std::vector<double> throughput_per_s;
  std::vector<double> queue_mean;
};

/// The mean value analysis, of all queues as if they had one server.
Recursion recurse(const Queues& queues, const Populations& populations) {
  const std::size_t classes = queues.classes();
  const std::size_t count = queues.queues();
  Recursion all{std::vector<double>(populations.size() * classes, 0.0),
                std::vector<double>(populations.size() * count, 0.0)};
  std::vector<double> residence_s(count);
  populations.upwards([&](std::size_t index, const std::vector<int>& n) {
    double* present = all.queue_mean.data() + index * count;
    for (std::size_t c = 0; c < classes; ++c) {
      if (n[c] == 0) continue;
      const double* before = all.queue_mean.data() + populations.without(index, c) * count;
      const double* demand_s = queues.saturated_s.data() + c * count;
      double cycle_s = queues.think_s[c];
      for (std::size_t q = 0; q < count; ++q) cycle_s += residence_s[q] = demand_s[q] * (1.0 + before[q]);
      const double throughput_per_s = n[c] / cycle_s;
      for (std::size_t q = 0; q < count; ++q) present[q] += throughput_per_s * residence_s[q];
      all.throughput_per_s[index * classes + c] = throughput_per_s;
    }
  });
  return all;
}

/// The queues anew, from throughputs that are known.
void recurse_queues(const Queues& queues, const Populations& populations, Recursion& all) {
  const std::size_t classes = queues.classes();
  const std::size_t count = queues.queues();
  populations.upwards([&](std::size_t index, const std::vector<int>& n) {
    double* present = all.queue_mean.data() + index * count;
    for (std::size_t q = 0; q < count; ++q) present[q] = 0.0;
    for (std::size_t c = 0; c < classes; ++c) {
      if (n[c] == 0) continue;
      const double* before = all.queue_mean.data() + populations.without(index, c) * count;
      const double* demand_s = queues.saturated_s.data() + c * count;
      const double throughput_per_s = all.throughput_per_s[index * classes + c];
      for (std::size_t q = 0; q < count; ++q) present[q] += throughput_per_s * demand_s[q] * (1.0 + before[q]);
    }
  });
}

/// The powers of y in L, 0 … ceil(c) - 1: there are no others.
int highest_power(double parallelism) { return static_cast<int>(std::ceil(parallelism)) - 1; }

/// The factor L of one queue, on a network whose throughputs are given.
class Factor {
 public:
  Factor(const Queues& queues, std::size_t queue, const Populations& populations)
      : parallelism_(queues.parallelism[queue]), populations_(populations) {
    for (std::size_t c = 0; c < queues.classes(); ++c)
      demand_s_.push_back(queues.demand_s[c * queues.queues() + queue]);
  }

  /// [L G](n) / G(n) for every n; with `derivative` = 1 that of L' = sum_j (1 - (j+1)/c) y^j / j!. Up to e^c: beyond
  /// the range of a double when c > 700, within that of a long double for all c that the limits allow.
  std::vector<long double> ratios(const std::vector<double>& throughput_per_s, int derivative) const {
    const std::size_t classes = demand_s_.size();
    std::vector<long double> ratio(populations_.size(), 0.0L);
    for (int j = highest_power(parallelism_) - derivative; j >= 0; --j) {
      const double own = 1.0 - (j + derivative) / parallelism_;
      // From the largest n down, those below still hold the power before.
      populations_.downwards([&](std::size_t index, const std::vector<int>& n) {
        long double next = 0.0L;
        for (std::size_t c = 0; c < classes; ++c)
          if (n[c] > 0)
            next += demand_s_[c] * throughput_per_s[index * classes + c] * ratio[populations_.without(index, c)];
        ratio[index] = own + next / (j + 1);
      });
    }
    return ratio;
  }

  /// From the throughputs without the factor, and its ratios, to those with it.
  void apply(const std::vector<long double>& ratio, std::vector<double>& throughput_per_s) const {
    const std::size_t classes = demand_s_.size();
    populations_.upwards([&](std::size_t index, const std::vector<int>& n) {
      for (std::size_t c = 0; c < classes; ++c)
        if (n[c] > 0)
          throughput_per_s[index * classes + c] *=
              static_cast<double>(ratio[populations_.without(index, c)] / ratio[index]);
    });
  }

  double demand_s(std::size_t customer_class) const { return demand_s_[customer_class]; }

 private:
  double parallelism_;
  const Populations& populations_;
  std::vector<double> demand_s_;
};

/// Makes throughputs of single servers those of all servers, and adds the time in the factors to `residence_s`. Each
/// factor has its turn as the last, which is when its customers are known.
void apply_factors(const Queues& queues, const Populations& populations, std::vector<double>& throughput_per_s,
                   std::vector<double>& residence_s) {
  std::vector<std::size_t> several;
  for (std::size_t q = 0; q < queues.queues(); ++q)
    if (queues.parallelism[q] > 1.0) several.push_back(q);
  const std::vector<double> single = throughput_per_s;
  for (const std::size_t last : several) {
    throughput_per_s = single;
    for (const std::size_t q : several) {
      if (q == last) continue;
      const Factor factor(queues, q, populations);
      factor.apply(factor.ratios(throughput_per_s, 0), throughput_per_s);
    }
    const Factor factor(queues, last, populations);
    const std::vector<long double> ratio = factor.ratios(throughput_per_s, 0);
    const std::vector<long double> held = factor.ratios(throughput_per_s, 1);
    factor.apply(ratio, throughput_per_s);
    for (std::size_t c = 0; c < queues.classes(); ++c) {
      const std::size_t before = populations.without(populations.last(), c);
      residence_s[c * queues.queues() + last] += factor.demand_s(c) * static_cast<double>(held[before] / ratio[before]);
    }
  }
}

}  // namespace

double state_count(const MulticlassNetwork& network) {
  double states = 1.0;
  for (const int customers : network.customers) states *= customers + 1.0;
  return states;
}

double exact_operations(const MulticlassNetwork& network) {
  const Queues queues = queues_of(network);
  double several = 0.0;
  double powers = 0.0;
  for (const double parallelism : queues.parallelism) {
    if (parallelism == 1.0) continue;
    ++several;
    powers += std::ceil(parallelism);
  }
  const double sums = 1.0 + static_cast<double>(queues.queues());
  return state_count(network) * static_cast<double>(queues.classes()) *
         (several == 0.0 ? sums : 2.0 * sums + (several + 1.0) * powers);
}

bool exact_is_quick(const MulticlassNetwork& network) {
  return state_count(network) <= kMostStates && exact_operations(network) <= kMostExactOperations;
}

MulticlassResult solve_exact(const MulticlassNetwork& network) {
  const Queues queues = queues_of(network);
  if (!exact_is_quick(network))
    throw SimulationError(fmt::format(
        "exact multi-class MVA takes up to {:.0f} population vectors and {:.0f} terms, not {:.0f} and {:.0f}",
        kMostStates, kMostExactOperations, state_count(network), exact_operations(network)));
  const Populations populations(queues.customers);
  Recursion all = recurse(queues, populations);
  std::vector<double> in_factors_s(queues.demand_s.size(), 0.0);
  if (std::ranges::any_of(queues.parallelism, [](double parallelism) { return parallelism > 1.0; })) {
    apply_factors(queues, populations, all.throughput_per_s, in_factors_s);
    recurse_queues(queues, populations, all);
  }

  const std::size_t count = queues.queues();
  std::vector<double> residence_s = std::move(in_factors_s);
  for (std::size_t c = 0; c < queues.classes(); ++c) {
    const std::size_t before = populations.without(populations.last(), c);
    for (std::size_t q = 0; q < count; ++q)
      residence_s[c * count + q] += queues.saturated_s[c * count + q] * (1.0 + all.queue_mean[before * count + q]);
  }
  const auto throughputs = [&](std::size_t index) {
    const auto begin = all.throughput_per_s.begin() + static_cast<std::ptrdiff_t>(index * queues.classes());
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(queues.classes()));
  };
  MulticlassResult result = complete(network, queues, "multi-class MVA", throughputs(populations.last()), residence_s);
  result.fewer_per_s.assign(network.customers.size(), 0.0);
  for (std::size_t c = 0; c < queues.classes(); ++c) {
    const std::vector<double> fewer = throughputs(populations.without(populations.last(), c));
    result.fewer_per_s[queues.class_of[c]] = std::accumulate(fewer.begin(), fewer.end(), 0.0);
  }
  return result;
}

}  // namespace stagger
