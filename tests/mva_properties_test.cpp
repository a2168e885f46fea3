// What must hold for any closed network with one class: on random ones, with up to six stations of all kinds, demands
// over six decades and up to 200 customers, some with 20,000.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "analysis/bounds.hpp"
#include "analysis/mva.hpp"

namespace stagger {
namespace {

constexpr double kDelay = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-11;  // relative

struct Closed {
  Network network;
  int customers = 0;
};

/// Queues, delays, several servers and shared links, these with a parallelism up to a few more than the customers;
/// every other network has nearly equal saturated demands, where everything is busy at once.
class RandomNetworks {
 public:
  explicit RandomNetworks(unsigned seed) : engine_(seed) {}

  double uniform() { return static_cast<double>(engine_() % 100'000) / 100'000.0; }

  Closed operator()() {
    Closed closed;
    const bool balanced = uniform() < 0.5;
    closed.customers = 1 + static_cast<int>(uniform() < 0.02 ? 20'000 * uniform() : std::pow(200.0, uniform()));
    for (int k = static_cast<int>(6.0 * uniform()); k >= 0; --k) {
      const double kind = uniform();
      const double several = 1.0 + std::pow(1.1 * closed.customers + 1.0, uniform());
      const double c = kind < 0.2 ? kDelay : kind < 0.5 ? 1.0 : kind < 0.75 ? std::floor(several) : several;
      const double demand_s = balanced ? std::min<double>(c, closed.customers) * (1.0 + 1e-3 * uniform())
                                       : std::pow(10.0, 3.0 - 6.0 * uniform());
      closed.network.push_back({"station " + std::to_string(k), demand_s, c});
    }
    return closed;
  }

 private:
  std::minstd_rand engine_;
};

double throughput(const Network& network, int customers) { return solve_mva(network, customers).throughput_per_s; }

template <class Claim>
void for_networks(unsigned seed, int count, Claim claim) {
  RandomNetworks random(seed);
  for (int trial = 0; trial < count && !testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE("network " + std::to_string(trial));
    claim(random(), random);
  }
}

TEST(MvaProperties, TheLawsHold) {
  for_networks(21, 2'000, [](const Closed& closed, RandomNetworks&) {
    const auto& [network, n] = closed;
    const MvaResult mva = solve_mva(network, n);
    double customers = 0.0;
    double cycle_s = 0.0;
    for (std::size_t k = 0; k < network.size(); ++k) {
      const MvaStation& station = mva.stations[k];
      EXPECT_NEAR(station.queue_mean, mva.throughput_per_s * station.residence_s, kRounding * n);  // Little
      EXPECT_GE(station.residence_s, network[k].demand_s * (1.0 - kRounding));
      EXPECT_GE(station.utilization, 0.0);
      EXPECT_LE(station.utilization, 1.0);
      const double capacity = network[k].kind() == StationKind::delay ? n : network[k].parallelism;
      EXPECT_NEAR(station.utilization, mva.throughput_per_s * network[k].demand_s / capacity, kRounding);
      // Busy servers are no more than those present, and no fewer than if they were alone or all there at once.
      EXPECT_LE(station.utilization * capacity, station.queue_mean * (1.0 + kRounding));
      EXPECT_GE(station.utilization * capacity, station.queue_mean * std::min(1.0, capacity / n) * (1.0 - kRounding));
      customers += station.queue_mean;
      cycle_s += station.residence_s;
    }
    EXPECT_NEAR(customers, n, kRounding * n);
    EXPECT_NEAR(n / cycle_s, mva.throughput_per_s, kRounding * mva.throughput_per_s);
  });
}

TEST(MvaProperties, OneCustomerMoreIsNeverSlowerAndHelpsLessEachTime) {
  for_networks(22, 2'000, [](const Closed& closed, RandomNetworks&) {
    const auto& [network, n] = closed;
    const MvaResult mva = solve_mva(network, n);
    const double x = mva.throughput_per_s;
    const double more = throughput(network, n + 1);
    EXPECT_NEAR(mva.fewer_per_s, n > 1 ? throughput(network, n - 1) : 0.0, kRounding * x);
    EXPECT_GE(x, mva.fewer_per_s * (1.0 - kRounding));
    EXPECT_GE(more, x * (1.0 - kRounding));
    // Concave: the stations' rates are (Shanthikumar & Yao, "Second-order properties of the throughput of a closed
    // queueing network", Math. Oper. Res. 13, 1988).
    EXPECT_LE(more - x, x - mva.fewer_per_s + kRounding * x);
  });
}

TEST(MvaProperties, MoreDemandIsNeverFasterAndMoreParallelismNeverSlower) {
  for_networks(23, 1'000, [](const Closed& closed, RandomNetworks& random) {
    const auto& [network, n] = closed;
    const double x = throughput(network, n);
    for (std::size_t k = 0; k < network.size(); ++k) {
      const double factor = 1.0 + std::pow(10.0, 1.0 - 4.0 * random.uniform());
      Network changed = network;
      changed[k].demand_s *= factor;
      EXPECT_LE(throughput(changed, n), x * (1.0 + kRounding)) << network[k].name << " slower by " << factor;
      changed = network;
      changed[k].parallelism *= factor;
      EXPECT_GE(throughput(changed, n), x * (1.0 - kRounding)) << network[k].name << " wider by " << factor;
    }
  });
}

TEST(MvaProperties, NoBoundIsCrossed) {
  for_networks(24, 2'000, [](const Closed& closed, RandomNetworks&) {
    const double x = throughput(closed.network, closed.customers);
    for (const auto& bounds_of : {asymptotic_bounds, balanced_job_bounds, geometric_bounds, tightest_bounds}) {
      const ThroughputBounds bounds = bounds_of(closed.network, closed.customers);
      EXPECT_LE(bounds.lower_per_s, x * (1.0 + kRounding));
      EXPECT_GE(bounds.upper_per_s, x * (1.0 - kRounding));
    }
  });
}

void expect_same(const MvaResult& a, const MvaResult& b, double time_unit, int customers) {
  EXPECT_NEAR(b.throughput_per_s * time_unit, a.throughput_per_s, kRounding * a.throughput_per_s);
  EXPECT_NEAR(b.fewer_per_s * time_unit, a.fewer_per_s, kRounding * a.throughput_per_s);
  for (std::size_t k = 0; k < a.stations.size(); ++k)
    EXPECT_NEAR(b.stations[k].queue_mean, a.stations[k].queue_mean, kRounding * customers) << k;
}

TEST(MvaProperties, TheUnitOfTimeDoesNotMatter) {
  for_networks(25, 1'000, [](const Closed& closed, RandomNetworks&) {
    const MvaResult mva = solve_mva(closed.network, closed.customers);
    for (const double unit : {1e-9, 1e9}) {
      Network other = closed.network;
      for (Station& station : other) station.demand_s *= unit;
      expect_same(mva, solve_mva(other, closed.customers), unit, closed.customers);
    }
  });
}

TEST(MvaProperties, TheOrderOfStationsDoesNotMatter) {
  for_networks(26, 1'000, [](const Closed& closed, RandomNetworks&) {
    Network turned = closed.network;
    std::ranges::reverse(turned);
    MvaResult mva = solve_mva(turned, closed.customers);
    std::ranges::reverse(mva.stations);
    expect_same(solve_mva(closed.network, closed.customers), mva, 1.0, closed.customers);
  });
}

}  // namespace
}  // namespace stagger
