#include "analysis/multiclass_queues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/base/input_error.hpp"

namespace stagger {
namespace {

void require(bool holds, const std::string& law) {
  if (!holds) throw std::logic_error("multi-class network: " + law);
}

void check_arguments(const MulticlassNetwork& network) {
  require(network.demands_s.size() == network.customers.size(), "as many rows of demands as classes");
  for (const MulticlassStation& station : network.stations)
    require(station.parallelism >= 1.0, fmt::format("{}: parallelism {}", station.name, station.parallelism));
  for (std::size_t c = 0; c < network.customers.size(); ++c) {
    require(network.customers[c] >= 0, fmt::format("class {}: {} customers", c, network.customers[c]));
    require(network.demands_s[c].size() == network.stations.size(), "a demand for each class and station");
    for (std::size_t k = 0; k < network.stations.size(); ++k) {
      const double demand_s = network.demands_s[c][k];
      require(std::isfinite(demand_s) && demand_s >= 0.0,
              fmt::format("class {}, {}: demand {} s", c, network.stations[k].name, demand_s));
    }
  }
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// The laws that every solution obeys, approximate ones too. With the utilization, that nobody is faster than alone
/// gives the asymptotic upper bounds.
void check_solution(const MulticlassNetwork& network, const MulticlassResult& result) {
  constexpr double kRounding = 1e-9;
  for (std::size_t c = 0; c < network.customers.size(); ++c) {
    const double customers = network.customers[c];
    if (customers == 0.0) continue;
    const double throughput_per_s = result.throughput_per_s[c];
    require(throughput_per_s > 0.0 && std::isfinite(throughput_per_s), fmt::format("class {}: nothing moves", c));
    require(std::abs(sum(result.queue_mean[c]) - customers) <= kRounding * customers,
            fmt::format("class {}: customers are lost", c));
    for (std::size_t k = 0; k < network.stations.size(); ++k) {
      const double residence_s = result.residence_s[c][k];
      require(residence_s >= network.demands_s[c][k] * (1.0 - kRounding),
              fmt::format("class {}, {}: faster than alone", c, network.stations[k].name));
      require(std::abs(result.queue_mean[c][k] - throughput_per_s * residence_s) <= kRounding * customers,
              fmt::format("class {}, {}: Little's law", c, network.stations[k].name));
    }
  }
  for (std::size_t k = 0; k < network.stations.size(); ++k)
    require(result.utilization[k] >= 0.0 && result.utilization[k] <= 1.0 + kRounding,
            fmt::format("{}: utilization {}", network.stations[k].name, result.utilization[k]));
}

/// Busy servers by the utilization law; of a delay the share of the customers that are there.
double utilization(const MulticlassNetwork& network, const MulticlassResult& result, std::size_t station) {
  const double parallelism = network.stations[station].parallelism;
  double busy = 0.0;
  double customers = 0.0;
  for (std::size_t c = 0; c < network.customers.size(); ++c) {
    busy += result.throughput_per_s[c] * network.demands_s[c][station];
    customers += network.customers[c];
  }
  if (customers == 0.0) return 0.0;
  return busy / (std::isinf(parallelism) ? customers : parallelism);
}

}  // namespace

Queues queues_of(const MulticlassNetwork& network) {
  check_arguments(network);
  Queues queues;
  double everybody = 0.0;
  for (std::size_t c = 0; c < network.customers.size(); ++c) {
    if (network.customers[c] == 0) continue;
    if (sum(network.demands_s[c]) == 0.0)
      throw SimulationError(fmt::format("class {}: a cycle takes no time, all its demands are 0", c));
    queues.class_of.push_back(c);
    queues.customers.push_back(network.customers[c]);
    everybody += network.customers[c];
  }
  const auto waits_at = [&](std::size_t k) {
    return network.stations[k].parallelism < everybody &&
           std::ranges::any_of(queues.class_of, [&](std::size_t c) { return network.demands_s[c][k] > 0.0; });
  };
  for (std::size_t k = 0; k < network.stations.size(); ++k)
    if (waits_at(k)) {
      queues.station_of.push_back(k);
      queues.parallelism.push_back(network.stations[k].parallelism);
    }
  for (const std::size_t c : queues.class_of) {
    for (const std::size_t k : queues.station_of) {
      const double demand_s = network.demands_s[c][k];
      queues.demand_s.push_back(demand_s);
      queues.saturated_s.push_back(demand_s / network.stations[k].parallelism);
    }
    double think_s = 0.0;
    for (std::size_t k = 0; k < network.stations.size(); ++k)
      if (!std::ranges::binary_search(queues.station_of, k)) think_s += network.demands_s[c][k];
    queues.think_s.push_back(think_s);
  }
  return queues;
}

MulticlassResult complete(const MulticlassNetwork& network, const Queues& queues, std::string method,
                          const std::vector<double>& throughput_per_s, const std::vector<double>& residence_s) {
  const std::vector<double> none(network.stations.size(), 0.0);
  MulticlassResult result;
  result.method = std::move(method);
  result.throughput_per_s.assign(network.customers.size(), 0.0);
  result.queue_mean.assign(network.customers.size(), none);
  result.residence_s = result.queue_mean;
  for (std::size_t i = 0; i < queues.classes(); ++i) {
    const std::size_t c = queues.class_of[i];
    result.throughput_per_s[c] = throughput_per_s[i];
    result.residence_s[c] = network.demands_s[c];
    for (std::size_t q = 0; q < queues.queues(); ++q)
      result.residence_s[c][queues.station_of[q]] = residence_s[i * queues.queues() + q];
    for (std::size_t k = 0; k < network.stations.size(); ++k)
      result.queue_mean[c][k] = throughput_per_s[i] * result.residence_s[c][k];
  }
  for (std::size_t k = 0; k < network.stations.size(); ++k)
    result.utilization.push_back(utilization(network, result, k));
  check_solution(network, result);
  return result;
}

}  // namespace stagger
