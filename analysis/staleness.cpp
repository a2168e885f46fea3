#include "analysis/staleness.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/cells.hpp"
#include "analysis/renewal.hpp"

namespace stagger {
namespace {

/// Of one or two whole numbers.
Pmf around(double mean) {
  const double low = std::floor(mean);
  return {static_cast<long>(low), {low + 1.0 - mean, mean - low}};
}

/// A normal distribution in steps of one.
Pmf normal_steps(double mean, double deviation) {
  const double ends = 8.0 * deviation;
  Pmf steps{static_cast<long>(std::ceil(mean - ends)), {}};
  for (double k = std::ceil(mean - ends); k <= mean + ends; k += 1.0) {
    const double z = (k - mean) / deviation;
    steps.p.push_back(std::exp(-0.5 * z * z) / (deviation * std::sqrt(2.0 * std::numbers::pi)));
  }
  return steps;
}

double interval_s(const WorkerClass& its) { return std::max(its.cycle_s, its.compute_s); }

/// A class of others, as the tagged worker counts their updates.
class Others {
 public:
  Others(const WorkerClass& its, int workers)
      : workers_(workers),
        interval_s_(interval_s(its)),
        process_{its.compute_s, its.compute.cv, interval_s_ - its.compute_s},
        regular_(its.compute_s <= 0.0 || its.compute.cv < kLeastCv) {}

  double mean_in(double window_s) const { return workers_ * window_s / interval_s_; }
  double variance_in(double window_s) const {
    if (regular_) return 0.25 * workers_;
    const Pmf one = equilibrium_count(process_, window_s);
    return workers_ * variance_of(one.p);
  }
  /// The sum of a few is worked out; that of many is normal, by its mean and variance.
  Pmf count(double window_s) const {
    constexpr double kMany = 400.0;  // variance
    const Pmf one = regular_ ? around(window_s / interval_s_) : equilibrium_count(process_, window_s);
    const double variance = workers_ * variance_of(one.p);
    if (variance < kMany) return sum_of(one, workers_);
    return normal_steps(mean_in(window_s), std::sqrt(variance));
  }

 private:
  int workers_;
  double interval_s_;
  RenewalProcess process_;
  bool regular_;  // nearly equal intervals
};

}  // namespace

std::vector<double> geometric_staleness(double share) {
  std::vector<double> pmf;
  for (double left = 1.0; left > kNegligibleTail; left *= 1.0 - share) pmf.push_back(left * share);
  normalize(pmf);
  return pmf;
}

std::vector<double> renewal_staleness(const std::vector<WorkerClass>& classes, std::size_t tagged, double unread_s) {
  const WorkerClass& own = classes[tagged];
  std::vector<Others> others;
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (const int workers = classes[i].workers - (i == tagged ? 1 : 0); workers > 0)
      others.emplace_back(classes[i], workers);
  const double rest_s = interval_s(own) - own.compute_s - unread_s;

  // Cells no wider than the spread of the others' updates in one of them.
  double mean = 0.0;
  double variance = 0.0;
  for (const Others& each : others) {
    mean += each.mean_in(own.compute_s);
    variance += each.variance_in(own.compute_s + rest_s);
  }
  const double cells = std::ceil(12.0 * own.compute.cv * mean / std::sqrt(std::max(variance, 0.01)));

  std::vector<double> pmf;
  for (const auto& [probability, compute] : cells_of(own.compute, static_cast<int>(std::clamp(cells, 64.0, 2000.0)))) {
    const double window_s = std::max(0.0, compute * own.compute_s + rest_s);
    Pmf sum;
    for (const Others& each : others) sum = sum_of(sum, each.count(window_s));
    add_to(pmf, sum, probability);
  }
  normalize(pmf);
  return pmf;
}

}  // namespace stagger
