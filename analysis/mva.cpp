#include "analysis/mva.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "sim/base/input_error.hpp"

namespace stagger {
namespace {

MvaResult recurse(const Network& network, int customers);

Network without(Network network, std::size_t station) {
  network.erase(network.begin() + static_cast<std::ptrdiff_t>(station));
  return network;
}

/// The recursion for one station, from n - 1 customers to n.
class StationRecursion {
 public:
  StationRecursion(const Network& network, std::size_t index, int customers)
      : demand_s_(network[index].demand_s), parallelism_(network[index].parallelism) {
    // Up to here nobody waits for anybody: a delay.
    if (parallelism_ >= customers) parallelism_ = std::numeric_limits<double>::infinity();
    if (is_delay() || parallelism_ == 1.0 || demand_s_ == 0.0) return;
    present_.assign(static_cast<std::size_t>(std::ceil(parallelism_)) - 1, 0.0L);
    present_[0] = 1.0L;
    idle_ = parallelism_ - 1.0;
    throughput_without_ = recurse(without(network, index), customers).throughput_per_s;
  }

  /// An arriving customer finds the station as it is with one customer less (arrival theorem). With c = parallelism,
  ///   R(n) = D sum_{j=1..n} j/min(j,c) p(j-1|n-1) = D/c (1 + Q(n-1) + sum_{j<c} (c-j) p(j-1|n-1)).
  double residence_s() const { return is_delay() ? demand_s_ : demand_s_ / parallelism_ * (1.0 + queue_mean_ + idle_); }

  /// p(j|n) = D X(n) / min(j,c) p(j-1|n-1), and p(0|n) as the header says.
  void advance(std::size_t n, double throughput_per_s, double residence_s) {
    queue_mean_ = throughput_per_s * residence_s;
    if (present_.empty()) return;
    const double busy = demand_s_ * throughput_per_s;
    long double idle = 0.0L;
    for (std::size_t j = std::min(n, present_.size() - 1); j > 0; --j) {
      present_[j] = busy / static_cast<double>(j) * present_[j - 1];
      idle += (parallelism_ - 1.0 - static_cast<double>(j)) * present_[j];
    }
    present_[0] *= throughput_per_s / throughput_without_[n];
    idle += (parallelism_ - 1.0) * present_[0];
    idle_ = static_cast<double>(idle);
  }

  double queue_mean() const { return queue_mean_; }

 private:
  bool is_delay() const { return std::isinf(parallelism_); }

  double demand_s_;
  double parallelism_;
  double queue_mean_ = 0.0;
  double idle_ = 0.0;  // the sum above: how much of the capacity an arriving customer leaves unused
  // p(j|n) for j + 1 < c, the only ones needed. As p(0|m) >= p(j|m+j) / 2^(m+j), those that matter stay above 2^-N:
  // beyond the range of a double, within that of a long double.
  std::vector<long double> present_;
  std::vector<double> throughput_without_;
};

MvaResult recurse(const Network& network, int customers) {
  const auto last = static_cast<std::size_t>(customers);
  MvaResult result;
  result.throughput_per_s.assign(last + 1, std::numeric_limits<double>::infinity());
  result.throughput_per_s[0] = 0.0;
  result.stations.resize(network.size());
  if (total_demand_s(network) == 0.0) return result;

  std::vector<StationRecursion> stations;
  for (std::size_t i = 0; i < network.size(); ++i) stations.emplace_back(network, i, customers);
  for (std::size_t n = 1; n <= last; ++n) {
    double cycle_s = 0.0;
    for (std::size_t i = 0; i < stations.size(); ++i)
      cycle_s += result.stations[i].residence_s = stations[i].residence_s();
    const double throughput_per_s = static_cast<double>(n) / cycle_s;
    for (std::size_t i = 0; i < stations.size(); ++i)
      stations[i].advance(n, throughput_per_s, result.stations[i].residence_s);
    result.throughput_per_s[n] = throughput_per_s;
  }
  for (std::size_t i = 0; i < stations.size(); ++i) {
    MvaStation& station = result.stations[i];
    station.queue_mean = stations[i].queue_mean();
    station.utilization = network[i].kind() == StationKind::delay
                              ? station.queue_mean / customers
                              : result.throughput_per_s[last] * network[i].saturated_demand_s();
  }
  return result;
}

void require(bool holds, const std::string& law) {
  if (!holds) throw std::logic_error("mean value analysis: " + law);
}

void check_arguments(const Network& network, int customers) {
  require(customers >= 1, fmt::format("{} customers", customers));
  if (customers > kMostCustomers)
    throw SimulationError(fmt::format("the queueing model takes up to {} workers, not {}", kMostCustomers, customers));
  for (const Station& station : network)
    require(std::isfinite(station.demand_s) && station.demand_s >= 0.0 && station.parallelism >= 1.0,
            fmt::format("{}: demand {} s, parallelism {}", station.name, station.demand_s, station.parallelism));
}

/// The laws that every solution obeys: utilization, Little, conservation of customers, asymptotic bounds.
void check_solution(const Network& network, int customers, const MvaResult& result) {
  constexpr double kRounding = 1e-9;
  const double throughput_per_s = result.throughput_per_s.back();
  require(throughput_per_s > 0.0, "nothing moves");
  require(throughput_per_s * total_demand_s(network) <= customers * (1.0 + kRounding), "faster than without waiting");
  double customers_found = 0.0;
  for (std::size_t i = 0; i < network.size(); ++i) {
    const MvaStation& station = result.stations[i];
    require(station.utilization >= 0.0 && station.utilization <= 1.0 + kRounding,
            fmt::format("{}: utilization {}", network[i].name, station.utilization));
    require(std::abs(station.queue_mean - throughput_per_s * station.residence_s) <= kRounding * customers,
            network[i].name + ": Little's law");
    customers_found += station.queue_mean;
  }
  require(std::abs(customers_found - customers) <= kRounding * customers, "customers are lost");
}

}  // namespace

MvaResult solve_mva(const Network& network, int customers) {
  check_arguments(network, customers);
  if (total_demand_s(network) == 0.0)
    throw SimulationError("a step takes no time: compute, transfers, updates and latencies are all 0");
  MvaResult result = recurse(network, customers);
  check_solution(network, customers, result);
  return result;
}

}  // namespace stagger
