#include "analysis/crosscheck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/input_error.hpp"

namespace stagger {
namespace {

/// Half the sum of |p - q|: the largest difference in the probability of any event.
double total_variation(const std::vector<double>& p, const std::vector<double>& q) {
  double sum = 0.0;
  for (std::size_t k = 0; k < std::max(p.size(), q.size()); ++k)
    sum += std::abs((k < p.size() ? p[k] : 0.0) - (k < q.size() ? q[k] : 0.0));
  return 0.5 * sum;
}

/// What keeps the error, known to lie between `low` and `high`, from being negligible; empty: nothing.
/// All relative to the same quantity.
std::string objection(const char* what, double error, double low, double high) {
  const double margin = kEquivalenceMargin;
  if (low >= -margin && high <= margin) return {};
  if (low > margin || high < -margin)
    return fmt::format("the predicted {} differs from the simulated by {:+.2g} %, more than {:g} %", what,
                       100.0 * error, 100.0 * margin);
  return fmt::format(
      "the interval of the simulated {} is too wide to decide (the error is {:+.2g} % to {:+.2g} %): run longer", what,
      100.0 * low, 100.0 * high);
}

std::string throughput_objection(const PredictedResult& predicted, const Interval& simulated) {
  const auto error_against = [&](double updates_per_s) {
    if (updates_per_s <= 0.0) return std::numeric_limits<double>::infinity();
    return predicted.updates_per_s / updates_per_s - 1.0;
  };
  return objection("throughput", error_against(simulated.mean), error_against(simulated.ci_high),
                   error_against(simulated.ci_low));
}

std::string staleness_objection(const PredictedResult& predicted, const StalenessResult& simulated) {
  const double scale = std::max(1.0, predicted.staleness.mean);
  const double error = (predicted.staleness.mean - simulated.mean) / scale;
  const double half_width = 1.96 * simulated.standard_error / scale;
  return objection("mean staleness", error, error - half_width, error + half_width);
}

void require_finite(double value, const std::string& name) {
  if (!std::isfinite(value)) throw SimulationError(fmt::format("impossible result: {} is {}", name, value));
}

void require_finite(const Interval& interval, const std::string& name) {
  require_finite(interval.mean, name);
  require_finite(interval.ci_low, name + " (lower end)");
  require_finite(interval.ci_high, name + " (upper end)");
}

void require_utilization(double value, const std::string& name) {
  require_finite(value, "the utilization of " + name);
  if (value > 1.0 + 1e-9)
    throw SimulationError(fmt::format("impossible result: the utilization of {} is {}, above 1", name, value));
}

void check_stations(const std::vector<StationResult>& stations) {
  for (const StationResult& station : stations) {
    require_utilization(station.utilization, station.name);
    require_finite(station.demand_s, "the demand of " + station.name);
    require_finite(station.queue_mean, "the queue of " + station.name);
    require_finite(station.residence_s, "the residence time of " + station.name);
  }
}

void check_numbers(const PredictedResult& predicted) {
  require_finite(predicted.updates_per_s, "the predicted throughput");
  require_finite(predicted.examples_per_s, "the predicted examples per second");
  require_finite(predicted.bounds.lower_updates_per_s, "the lower bound of the throughput");
  require_finite(predicted.bounds.upper_updates_per_s, "the upper bound of the throughput");
  require_finite(predicted.staleness.mean, "the predicted mean staleness");
  if (std::isnan(predicted.capacity_upper_updates_per_s))
    throw SimulationError("impossible result: the capacity is NaN");
  if (std::isnan(predicted.knee_workers)) throw SimulationError("impossible result: the knee is NaN");
  check_stations(predicted.stations);
}

void check_numbers(const SimulatedResult& simulated) {
  require_finite(simulated.time_s, "the simulated time");
  require_finite(simulated.updates, "the number of updates");
  require_finite(simulated.updates_per_s, "the simulated throughput");
  require_finite(simulated.examples_per_s, "the simulated examples per second");
  require_finite(simulated.staleness.mean, "the simulated mean staleness");
  require_finite(simulated.staleness.variance, "the simulated variance of staleness");
  for (const WorkerResult& worker : simulated.workers) {
    require_finite(worker.updates_per_s, "the throughput of " + worker.name);
    require_finite(worker.staleness_mean, "the mean staleness of " + worker.name);
  }
  for (const ServerResult& server : simulated.servers) {
    require_utilization(server.update_utilization, server.name + "'s updates");
    require_finite(server.queue_mean, "the queue of " + server.name);
  }
  for (const LinkResult& link : simulated.links)
    require_utilization(link.utilization, link.name + " " + link.direction);
  check_stations(simulated.stations);
}

}  // namespace

CheckResult crosscheck(const PredictedResult& predicted, const SimulatedResult& simulated) {
  const Interval& throughput = simulated.updates_per_s;
  CheckResult check;
  check.throughput_relative_error = predicted.updates_per_s / throughput.mean - 1.0;
  check.staleness_mean_error = predicted.staleness.mean - simulated.staleness.mean;
  if (!predicted.staleness.pmf.empty() && !simulated.staleness.pmf.empty())
    check.staleness_total_variation = total_variation(predicted.staleness.pmf, simulated.staleness.pmf);
  check.within_confidence =
      throughput.ci_low <= predicted.updates_per_s && predicted.updates_per_s <= throughput.ci_high;

  check.reasons = predicted.not_covered;
  check.verdict = Verdict::not_covered;
  if (!check.reasons.empty()) return check;
  for (std::string reason :
       {throughput_objection(predicted, throughput), staleness_objection(predicted, simulated.staleness)})
    if (!reason.empty()) check.reasons.push_back(std::move(reason));
  check.verdict = check.reasons.empty() ? Verdict::agree : Verdict::disagree;
  return check;
}

void check_physics(const PredictedResult& predicted, const SimulatedResult& simulated) {
  check_numbers(predicted);
  check_numbers(simulated);
  // Up to one gradient of each worker had been transferred or updated in part when the measurement began.
  const double begun =
      simulated.updates > 0.0 ? static_cast<double>(simulated.workers.size()) / simulated.updates : 0.0;
  const double capacity = predicted.capacity_upper_updates_per_s * (1.0 + 1e-9 + begun);
  const Interval& throughput = simulated.updates_per_s;
  if (throughput.mean - 6.0 * throughput.standard_error > capacity)
    throw SimulationError(
        fmt::format("impossible result: {:.6g} updates per second, but links and update threads carry {:.6g}",
                    throughput.mean, predicted.capacity_upper_updates_per_s));
}

}  // namespace stagger
