#include "analysis/mva.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "analysis/convolution.hpp"
#include "sim/base/input_error.hpp"

namespace stagger {
namespace {

/// The network in parts: delays, queues with one server, and what several servers hold beyond that.
struct Parts {
  double think_s = 0.0;
  std::vector<std::size_t> queue_of;    // [queue] its number in the network
  std::vector<double> saturated_s;      // [queue]
  std::vector<std::size_t> several_of;  // [part] its number in the network
  std::vector<Rates> several;           // [part]
};

/// Of the customers that a station with c servers holds beyond those of one server c times as fast: L in the header.
Rates several_servers(const Station& station) {
  const double c = station.parallelism;
  Rates rates{0.0};
  rates.reserve(static_cast<std::size_t>(std::ceil(c)));
  for (double j = 1.0; j < c; ++j) rates.push_back(j / station.demand_s * ((c - j + 1.0) / (c - j)));
  return rates;
}

Parts parts_of(const Network& network, double customers) {
  Parts parts;
  for (std::size_t i = 0; i < network.size(); ++i) {
    const Station& station = network[i];
    // Nobody waits for anybody, or for a time that is none.
    if (station.parallelism >= customers || std::isinf(customers / station.demand_s)) {
      parts.think_s += station.demand_s;
      continue;
    }
    parts.queue_of.push_back(i);
    parts.saturated_s.push_back(station.saturated_demand_s());
    if (station.parallelism == 1.0) continue;
    parts.several_of.push_back(i);
    parts.several.push_back(several_servers(station));
  }
  return parts;
}

/// Of delays and queues with one server, by the arrival theorem: a customer finds them as with one customer less,
///   R_k(n) = D_k (1 + Q_k(n-1)),  X(n) = n / (Z + sum_k R_k(n)),  Q_k(n) = X(n) R_k(n).
Rates mean_value_analysis(const Parts& parts, std::size_t customers) {
  Rates throughput_per_s(customers + 1, 0.0);
  std::vector<double> residence_s = parts.saturated_s;
  for (std::size_t n = 1; n <= customers; ++n) {
    double cycle_s = parts.think_s;
    for (const double each_s : residence_s) cycle_s += each_s;
    const double x = throughput_per_s[n] = static_cast<double>(n) / cycle_s;
    for (std::size_t k = 0; k < residence_s.size(); ++k)
      residence_s[k] = parts.saturated_s[k] * (1.0 + x * residence_s[k]);
  }
  return throughput_per_s;
}

/// The mean number of customers in the second of two parts. `held`, the distribution [n] of those in both, becomes that
/// of those in the first.
double mean_in_second(const Rates& first, const Rates& second, std::vector<double>& held) {
  std::vector<double> in_first(first.size(), 0.0);
  double mean = 0.0;
  Split split(first, second);
  for (std::size_t n = 0; n < held.size(); ++n) {
    if (n > 0) split.add();
    if (held[n] == 0.0) continue;
    const double share = held[n] / split.sum();
    split.terms([&](std::size_t j, double weight) {
      in_first[j] += share * weight;
      mean += static_cast<double>(n - j) * share * weight;
    });
  }
  held = std::move(in_first);
  return mean;
}

/// At a queue of the base, whose own customers have the distribution `held`.
double mean_queue(const Rates& base, double saturated_s, const std::vector<double>& held) {
  double queue = 0.0;
  double mean = 0.0;
  for (std::size_t n = 1; n < base.size(); ++n) {
    queue = base[n] * saturated_s * (1.0 + queue);
    mean += held[n] * queue;
  }
  return mean;
}

MvaResult solve(const Network& network, std::size_t customers) {
  const Parts parts = parts_of(network, static_cast<double>(customers));
  const Rates base = mean_value_analysis(parts, customers);
  std::vector<Rates> several{{0.0}};  // none, and then one part more each
  for (const Rates& part : parts.several) several.push_back(together(several.back(), part, 1, customers));
  const Rates all = together(several.back(), base, std::max<std::size_t>(customers, 2) - 1, customers);
  MvaResult result{all[customers], all[customers - 1], std::vector<MvaStation>(network.size())};

  for (std::size_t i = 0; i < network.size(); ++i)
    result.stations[i].queue_mean = result.throughput_per_s * network[i].demand_s;
  std::vector<double> held(customers + 1, 0.0);
  held[customers] = 1.0;
  mean_in_second(base, several.back(), held);
  for (std::size_t k = 0; k < parts.queue_of.size(); ++k)
    result.stations[parts.queue_of[k]].queue_mean = mean_queue(base, parts.saturated_s[k], held);
  std::ranges::reverse(held);  // those who are not in the base are in the other parts
  held.resize(several.back().size());
  for (std::size_t k = parts.several.size(); k-- > 0;)
    result.stations[parts.several_of[k]].queue_mean += mean_in_second(several[k], parts.several[k], held);

  for (std::size_t i = 0; i < network.size(); ++i) {
    MvaStation& station = result.stations[i];
    station.residence_s = station.queue_mean / result.throughput_per_s;
    station.utilization = network[i].kind() == StationKind::delay
                              ? station.queue_mean / static_cast<double>(customers)
                              : result.throughput_per_s * network[i].saturated_demand_s();
  }
  return result;
}

void require(bool holds, const std::string& law) {
  if (!holds) throw std::logic_error("mean value analysis: " + law);
}

void check_arguments(const Network& network, int customers) {
  require(customers >= 1, fmt::format("{} customers", customers));
  for (const Station& station : network)
    require(std::isfinite(station.demand_s) && station.demand_s >= 0.0 && station.parallelism >= 1.0,
            fmt::format("{}: demand {} s, parallelism {}", station.name, station.demand_s, station.parallelism));
}

/// The laws that every solution obeys: utilization, conservation of customers, asymptotic bounds. Little's is how
/// residence times are found.
void check_solution(const Network& network, int customers, const MvaResult& result) {
  constexpr double kRounding = 1e-9;
  require(result.throughput_per_s > 0.0 && result.fewer_per_s >= 0.0, "nothing moves");
  require(result.fewer_per_s <= result.throughput_per_s * (1.0 + kRounding), "slower with one customer more");
  double customers_found = 0.0;
  for (std::size_t i = 0; i < network.size(); ++i) {
    const MvaStation& station = result.stations[i];
    require(station.utilization >= 0.0 && station.utilization <= 1.0 + kRounding,
            fmt::format("{}: utilization {}", network[i].name, station.utilization));
    require(station.residence_s >= network[i].demand_s * (1.0 - kRounding),
            network[i].name + ": faster than without waiting");
    customers_found += station.queue_mean;
  }
  require(std::abs(customers_found - customers) <= kRounding * customers, "customers are lost");
}

}  // namespace

MvaResult solve_mva(const Network& network, int customers) {
  check_arguments(network, customers);
  if (std::isinf(customers / total_demand_s(network)))
    throw SimulationError("a step takes no time: compute, transfers, updates and latencies are all 0");
  MvaResult result = solve(network, static_cast<std::size_t>(customers));
  check_solution(network, customers, result);
  for (MvaStation& station : result.stations) station.utilization = std::min(station.utilization, 1.0);  // rounding
  return result;
}

}  // namespace stagger
