// Exact multi-class MVA: by hand, against GNU Octave, the product form and the single-class solver, and what must hold
// for any network.
#include "analysis/multiclass.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <ctime>
#include <numeric>
#include <stdexcept>

#include "analysis/multiclass_approximate.hpp"
#include "analysis/multiclass_exact.hpp"
#include "analysis/mva.hpp"
#include "sim/base/input_error.hpp"
#include "tests/multiclass_reference.hpp"

namespace stagger {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

const MulticlassStation kThink{"think", kDelay};
const MulticlassStation kQueue{"queue", 1.0};

Network class_alone(const MulticlassNetwork& network, std::size_t c) {
  Network single;
  for (std::size_t k = 0; k < network.stations.size(); ++k)
    single.push_back({network.stations[k].name, network.demands_s[c][k], network.stations[k].parallelism});
  return single;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(Multiclass, FollowsTheRecursionByHand) {
  // Z = 1 for both, D = 1 and 1/2. (1,0): Q = 1/2. (0,1): Q = (1/2) / (3/2) = 1/3.
  // (1,1): R = 1 (1 + 1/3) = 4/3 and 1/2 (1 + 1/2) = 3/4; X = 1/(1 + 4/3) = 3/7 and 1/(1 + 3/4) = 4/7.
  const MulticlassResult both = solve_multiclass({{kThink, kQueue}, {{1.0, 1.0}, {1.0, 0.5}}, {1, 1}});
  EXPECT_EQ(both.method, "multi-class MVA");
  EXPECT_TRUE(both.converged);
  EXPECT_DOUBLE_EQ(both.throughput_per_s[0], 3.0 / 7.0);
  EXPECT_DOUBLE_EQ(both.throughput_per_s[1], 4.0 / 7.0);
  EXPECT_DOUBLE_EQ(both.residence_s[0][1], 4.0 / 3.0);
  EXPECT_DOUBLE_EQ(both.residence_s[1][1], 3.0 / 4.0);
  EXPECT_DOUBLE_EQ(both.queue_mean[0][1], 4.0 / 7.0);
  EXPECT_DOUBLE_EQ(both.queue_mean[1][1], 3.0 / 7.0);
  EXPECT_DOUBLE_EQ(both.queue_mean[1][0], 4.0 / 7.0);
  EXPECT_DOUBLE_EQ(both.utilization[1], 3.0 / 7.0 + 0.5 * 4.0 / 7.0);
  EXPECT_DOUBLE_EQ(both.utilization[0], 0.5);  // the share of the two customers that think, 3/7 + 4/7 of them
}

TEST(Multiclass, TwoServersByHand) {
  // Z = 1, D = 1 and 2 at two servers, N = (2, 1). With f(n) = |n|!/prod min(j,2) * D^n/n! and thinking 1/(N-n)!, the
  // weights of (0,0) (1,0) (2,0) (0,1) (1,1) (2,1) are 1/2, 1, 1/2, 1, 2, 3/2, together 13/2; so
  // Q = (1 + 1 + 2 + 3, 1 + 2 + 3/2) / (13/2) = (14/13, 9/13), X = N - Q = (12/13, 4/13), U = (12 + 8)/13 / 2.
  const MulticlassResult both = solve_multiclass({{kThink, {"update", 2.0}}, {{1.0, 1.0}, {1.0, 2.0}}, {2, 1}});
  EXPECT_DOUBLE_EQ(both.throughput_per_s[0], 12.0 / 13.0);
  EXPECT_DOUBLE_EQ(both.throughput_per_s[1], 4.0 / 13.0);
  EXPECT_DOUBLE_EQ(both.queue_mean[0][1], 14.0 / 13.0);
  EXPECT_DOUBLE_EQ(both.queue_mean[1][1], 9.0 / 13.0);
  EXPECT_DOUBLE_EQ(both.utilization[1], 10.0 / 13.0);
}

TEST(Multiclass, OneStationIsSharedByCustomers) {
  // All are always there: each class has its share of the server, X_c D_c = N_c / N.
  const MulticlassResult alone = solve_multiclass({{kQueue}, {{0.5}, {2.0}}, {3, 7}});
  EXPECT_DOUBLE_EQ(alone.throughput_per_s[0], 0.3 / 0.5);
  EXPECT_DOUBLE_EQ(alone.throughput_per_s[1], 0.7 / 2.0);
  EXPECT_DOUBLE_EQ(alone.utilization[0], 1.0);
  EXPECT_DOUBLE_EQ(alone.queue_mean[1][0], 7.0);
}

TEST(Multiclass, OnlyDelaysNeverWait) {
  const MulticlassResult result = solve_multiclass({{kThink, {"enough", 9.0}}, {{1.0, 0.5}, {2.0, 3.0}}, {4, 5}});
  EXPECT_DOUBLE_EQ(result.throughput_per_s[0], 4.0 / 1.5);
  EXPECT_DOUBLE_EQ(result.throughput_per_s[1], 5.0 / 5.0);
  EXPECT_DOUBLE_EQ(result.utilization[1], (0.5 * 4.0 / 1.5 + 3.0) / 9.0);
}

TEST(Multiclass, AClassWithoutCustomersChangesNothing) {
  const MulticlassNetwork two{{kThink, kQueue, {"update", 3.0}}, {{1.0, 0.2, 0.9}, {2.0, 0.1, 0.5}}, {8, 5}};
  MulticlassNetwork three = two;
  three.demands_s.insert(three.demands_s.begin(), {0.0, 0.0, 0.0});  // nor does its demand matter
  three.customers.insert(three.customers.begin(), 0);
  const MulticlassResult expected = solve_multiclass(two);
  const MulticlassResult result = solve_multiclass(three);
  EXPECT_EQ(result.throughput_per_s[0], 0.0);
  EXPECT_EQ(result.residence_s[0], (std::vector{0.0, 0.0, 0.0}));
  EXPECT_EQ(result.throughput_per_s[1], expected.throughput_per_s[0]);
  EXPECT_EQ(result.queue_mean[2], expected.queue_mean[1]);
}

TEST(Multiclass, NobodyIsAnywhereWithoutCustomers) {
  for (const auto& solve : {solve_exact, solve_multiclass}) {
    const MulticlassResult result = solve({{kThink, kQueue}, {{1.0, 1.0}, {1.0, 0.5}}, {0, 0}});
    EXPECT_EQ(result.throughput_per_s, (std::vector{0.0, 0.0}));
    EXPECT_EQ(result.utilization, (std::vector{0.0, 0.0}));
  }
}

TEST(Multiclass, AStationWithoutDemandChangesNothing) {
  const MulticlassNetwork plain{{kThink, kQueue, {"update", 3.0}}, {{1.0, 0.2, 0.9}, {2.0, 0.1, 0.5}}, {8, 5}};
  MulticlassNetwork padded = plain;
  for (const double parallelism : {1.0, 2.5, kDelay}) padded.stations.push_back({"free", parallelism});
  for (std::vector<double>& demands : padded.demands_s) demands.resize(6, 0.0);
  const MulticlassResult result = solve_multiclass(padded);
  EXPECT_EQ(result.throughput_per_s, solve_multiclass(plain).throughput_per_s);
  EXPECT_EQ(result.queue_mean[0][3] + result.queue_mean[0][4] + result.queue_mean[0][5], 0.0);
}

TEST(Multiclass, RefusesWhatIsNoNetwork) {
  const auto solve = [](double demand_s, int customers, double parallelism = 1.0) {
    return solve_multiclass({{kThink, {"queue", parallelism}}, {{0.0, 1.0}, {0.0, demand_s}}, {1, customers}});
  };
  EXPECT_NO_THROW(solve(1.0, 1));
  EXPECT_THROW(solve(0.0, 1), SimulationError);  // a cycle without time
  EXPECT_NO_THROW(solve(0.0, 0));
  EXPECT_THROW(solve(-1.0, 1), std::logic_error);
  EXPECT_THROW(solve(kDelay, 1), std::logic_error);
  EXPECT_THROW(solve(std::nan(""), 1), std::logic_error);
  EXPECT_THROW(solve(1.0, -1), std::logic_error);
  EXPECT_THROW(solve(1.0, 1, 0.5), std::logic_error);
  EXPECT_THROW(solve_multiclass({{kQueue}, {{1.0}}, {1, 1}}), std::logic_error);
  EXPECT_THROW(solve_multiclass({{kQueue}, {{1.0, 1.0}}, {1}}), std::logic_error);
}

TEST(Multiclass, AgreesWithOctave) {
  int compared = 0;
  double worst = 0.0;
  for (const CsvRow& row : read_csv("networks_octave.csv")) {
    if (row.text.at("throughput_per_s") == "-") continue;
    const auto throughputs = list(row.text.at("throughput_per_s"));
    const auto queues = numbers(row.text.at("queue_mean"));
    const MulticlassNetwork network = network_of(row);
    const MulticlassResult result = solve_exact(network);
    for (std::size_t c = 0; c < throughputs.size(); ++c) {
      worst = std::max(worst, std::abs(result.throughput_per_s[c] / throughputs[c] - 1.0));
      ASSERT_NEAR(result.throughput_per_s[c], throughputs[c], 1e-8 * throughputs[c]) << row.text.at("customers");
      for (std::size_t k = 0; k < queues[c].size(); ++k) {
        if (queues[c][k] > 0.0) worst = std::max(worst, std::abs(result.queue_mean[c][k] / queues[c][k] - 1.0));
        ASSERT_NEAR(result.queue_mean[c][k], queues[c][k], 1e-8 * queues[c][k]) << row.text.at("customers");
      }
    }
    ++compared;
  }
  RecordProperty("largest_relative_error", std::to_string(worst * 1e12) + "e-12");
  EXPECT_GE(compared, 450);
}

TEST(Multiclass, AgreesWithTheProductForm) {
  // The rows without Octave's solution too: that is where its recursion cancels.
  std::size_t number = 0;
  double worst = 0.0;
  for (const CsvRow& row : read_csv("networks_octave.csv")) {
    const MulticlassNetwork network = network_of(row);
    const std::size_t station = ++number % network.stations.size();
    const MulticlassResult result = solve_exact(network);
    const auto exact = ProductForm<long double>(network).solve(station);
    for (std::size_t c = 0; c < network.customers.size(); ++c) {
      worst = std::max(worst, std::abs(result.throughput_per_s[c] / exact.throughput_per_s[c] - 1.0));
      ASSERT_NEAR(result.throughput_per_s[c], exact.throughput_per_s[c], 1e-12 * exact.throughput_per_s[c]) << number;
      ASSERT_NEAR(result.queue_mean[c][station], exact.queue_mean[c], 1e-12 * exact.queue_mean[c]) << number;
    }
  }
  RecordProperty("largest_relative_error", std::to_string(worst * 1e15) + "e-15");
}

TEST(Multiclass, TheProductFormNeedsNoMoreDigits) {
  using Long = boost::multiprecision::cpp_bin_float_100;
  RandomNetworks random(3);
  for (int trial = 0; trial < 12; ++trial) {
    const MulticlassNetwork network = random(1 + trial % 3, trial % 3 == 0 ? 100 : 6);
    const auto expected = ProductForm<Long>(network).solve(0);
    const auto exact = ProductForm<long double>(network).solve(0);
    const MulticlassResult result = solve_exact(network);
    for (std::size_t c = 0; c < network.customers.size(); ++c) {
      EXPECT_NEAR(exact.throughput_per_s[c], expected.throughput_per_s[c], 1e-15 * expected.throughput_per_s[c]);
      EXPECT_NEAR(result.throughput_per_s[c], expected.throughput_per_s[c], 1e-13 * expected.throughput_per_s[c]);
      EXPECT_NEAR(result.queue_mean[c][0], expected.queue_mean[c], 1e-13 * expected.queue_mean[c]);
    }
  }
}

TEST(Multiclass, StaysExactBeyondSaturation) {
  // Where Octave (qncsmva) finds -9.69 instead of 20, even without the link and the second class.
  const MulticlassNetwork network{
      {kThink, {"update", 8.0}, {"link", 2.3}}, {{1.0, 0.4, 0.1}, {1.0, 0.8, 0.1}}, {197, 3}};
  using Long = boost::multiprecision::cpp_bin_float_100;
  const auto expected = ProductForm<Long>(network).solve(1);
  const MulticlassResult result = solve_exact(network);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(result.throughput_per_s[c], expected.throughput_per_s[c], 1e-13 * expected.throughput_per_s[c]);
    EXPECT_NEAR(result.queue_mean[c][1], expected.queue_mean[c], 1e-13 * expected.queue_mean[c]);
  }
}

TEST(Multiclass, OneClassIsTheSingleClassSolver) {
  for (const CsvRow& row : read_csv("networks_octave.csv")) {
    const MulticlassNetwork network = network_of(row);
    if (network.customers.size() > 1) continue;
    const MulticlassResult result = solve_exact(network);
    const MvaResult single = solve_mva(class_alone(network, 0), network.customers[0]);
    const double x = single.throughput_per_s;
    ASSERT_NEAR(result.throughput_per_s[0], x, 1e-12 * x);
    for (std::size_t k = 0; k < network.stations.size(); ++k) {
      ASSERT_NEAR(result.queue_mean[0][k], single.stations[k].queue_mean, 1e-11 * network.customers[0]);
      ASSERT_NEAR(result.utilization[k], single.stations[k].utilization, 1e-12);
      ASSERT_NEAR(result.residence_s[0][k], single.stations[k].residence_s, 1e-11 * network.customers[0] / x);
    }
  }
}

TEST(Multiclass, StaysExactWithThousandsOfServers) {
  // Where the factor of the several servers is beyond the range of a double.
  const MulticlassNetwork network{{kThink, {"link", 1500.5}}, {{1.0, 3.0}}, {2500}};
  const double x = solve_mva(class_alone(network, 0), 2500).throughput_per_s;
  EXPECT_NEAR(solve_exact(network).throughput_per_s[0], x, 1e-11 * x);
}

TEST(Multiclass, EqualClassesAreOne) {
  RandomNetworks random(5);
  for (int trial = 0; trial < 200; ++trial) {
    MulticlassNetwork network = random(3, 8);
    network.demands_s[1] = network.demands_s[2] = network.demands_s[0];
    const MulticlassResult result = solve_exact(network);
    const int all = network.customers[0] + network.customers[1] + network.customers[2];
    const double x = solve_mva(class_alone(network, 0), all).throughput_per_s;
    for (std::size_t c = 0; c < 3; ++c)
      ASSERT_NEAR(result.throughput_per_s[c], x * network.customers[c] / all, 1e-12 * x) << trial;
  }
}

TEST(Multiclass, KnowsTheRatesWithOneCustomerLess) {
  RandomNetworks random(6);
  for (int trial = 0; trial < 100; ++trial) {
    MulticlassNetwork network = random(3, 8);
    if (trial % 4 == 0) network.customers[1] = 0;
    const MulticlassResult result = solve_exact(network);
    for (std::size_t c = 0; c < 3; ++c) {
      if (network.customers[c] == 0) {
        ASSERT_EQ(result.fewer_per_s[c], 0.0);
        continue;
      }
      --network.customers[c];
      const auto fewer = ProductForm<long double>(network).solve(0).throughput_per_s;
      ++network.customers[c];
      const double expected = std::accumulate(fewer.begin(), fewer.end(), 0.0);
      ASSERT_NEAR(result.fewer_per_s[c], expected, 1e-12 * expected) << trial;
    }
  }
}

TEST(Multiclass, TheOrderOfClassesAndStationsDoesNotMatter) {
  RandomNetworks random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const MulticlassNetwork network = random(3, 8);
    MulticlassNetwork turned = network;
    std::ranges::reverse(turned.stations);
    for (std::vector<double>& demands : turned.demands_s) std::ranges::reverse(demands);
    std::ranges::reverse(turned.demands_s);
    std::ranges::reverse(turned.customers);
    const MulticlassResult result = solve_exact(network);
    const MulticlassResult reversed = solve_exact(turned);
    for (std::size_t c = 0; c < 3; ++c) {
      ASSERT_NEAR(result.throughput_per_s[c], reversed.throughput_per_s[2 - c], 1e-12 * result.throughput_per_s[c]);
      ASSERT_NEAR(result.queue_mean[c].front(), reversed.queue_mean[2 - c].back(), 1e-11);
    }
  }
}

TEST(Multiclass, AnotherUnitOfTimeChangesNothing) {
  RandomNetworks random(9);
  for (int trial = 0; trial < 100; ++trial) {
    const MulticlassNetwork seconds = random(2, 10);
    MulticlassNetwork ticks = seconds;
    for (std::vector<double>& demands : ticks.demands_s)
      for (double& demand_s : demands) demand_s *= 1e6;
    for (const auto& [a, b] : {std::pair{solve_exact(seconds), solve_exact(ticks)},
                               std::pair{solve_linearizer(seconds), solve_linearizer(ticks)}})
      for (std::size_t c = 0; c < 2; ++c)
        ASSERT_NEAR(b.throughput_per_s[c] * 1e6, a.throughput_per_s[c], 1e-9 * a.throughput_per_s[c]) << trial;
  }
}

TEST(Multiclass, MoreCustomersOfOneClassAreFasterAndMoreDemandIsSlower) {
  RandomNetworks random(11);
  for (int trial = 0; trial < 200; ++trial) {
    const MulticlassNetwork network = random(1, 60);
    const double x = solve_exact(network).throughput_per_s[0];
    MulticlassNetwork more = network;
    ++more.customers[0];
    ASSERT_GE(solve_exact(more).throughput_per_s[0], x * (1.0 - 1e-13)) << trial;
    for (std::size_t k = 0; k < network.stations.size(); ++k) {
      MulticlassNetwork slower = network;
      slower.demands_s[0][k] *= 1.1;
      ASSERT_LE(solve_exact(slower).throughput_per_s[0], x * (1.0 + 1e-13)) << trial;
      slower.demands_s[0][k] *= 20.0;
      ASSERT_LT(solve_exact(slower).throughput_per_s[0], x) << trial;
    }
  }
}

TEST(Multiclass, StaysWithinTheBounds) {
  // N_c / sum_k D_kc max(1, N/c_k) <= X_c <= min(N_c / sum_k D_kc, min_k c_k / D_kc): bounds.hpp, all customers in the
  // way of each.
  RandomNetworks random(13);
  for (int trial = 0; trial < 500; ++trial) {
    const MulticlassNetwork network = random(1 + trial % 3, 12);
    double everybody = 0.0;
    for (const int customers : network.customers) everybody += customers;
    const MulticlassResult result = solve_exact(network);
    for (std::size_t c = 0; c < network.customers.size(); ++c) {
      double alone_s = 0.0;
      double crowded_s = 0.0;
      for (std::size_t k = 0; k < network.stations.size(); ++k) {
        alone_s += network.demands_s[c][k];
        crowded_s += network.demands_s[c][k] * std::max(1.0, everybody / network.stations[k].parallelism);
      }
      ASSERT_GE(result.throughput_per_s[c] * crowded_s, network.customers[c] * (1.0 - 1e-12)) << trial;
      ASSERT_LE(result.throughput_per_s[c] * alone_s, network.customers[c] * (1.0 + 1e-12)) << trial;
      for (std::size_t k = 0; k < network.stations.size(); ++k)
        ASSERT_LE(result.throughput_per_s[c] * network.demands_s[c][k],
                  network.stations[k].parallelism * (1.0 + 1e-12));
    }
  }
}

TEST(Multiclass, FiftyCustomersInEachOfThreeClassesTakeLessThanASecond) {
  const MulticlassNetwork network{
      {kThink, kQueue, {"server", 8.0}, {"link", 1.0}, {"update", 4.0}, {"disk", 1.0}},
      {{1.0, 0.01, 0.08, 0.02, 0.05, 0.01}, {2.0, 0.01, 0.05, 0.01, 0.02, 0.01}, {0.5, 0.02, 0.10, 0.01, 0.01, 0.02}},
      {50, 50, 50}};
  EXPECT_EQ(state_count(network), 51.0 * 51.0 * 51.0);
  const double start = cpu_seconds();
  EXPECT_EQ(solve_multiclass(network).method, "multi-class MVA");
  const double taken_s = cpu_seconds() - start;
  RecordProperty("milliseconds", static_cast<int>(1e3 * taken_s));
  if (!kSanitized) {
    EXPECT_LT(taken_s, 1.0);
  }
}

TEST(Multiclass, TheLargestExactSolutionsTakeAboutASecond) {
  const MulticlassNetwork states{{kThink, kQueue}, {{1.0, 0.1}, {2.0, 0.2}}, {999, 998}};
  const MulticlassNetwork servers{{kThink, {"link", 9000.0}}, {{1.0, 9.0}}, {10'000}};
  for (const MulticlassNetwork& network : {states, servers}) {
    ASSERT_TRUE(exact_is_quick(network));
    if (kSanitized) continue;
    const double start = cpu_seconds();
    EXPECT_EQ(solve_multiclass(network).method, "multi-class MVA");
    EXPECT_LT(cpu_seconds() - start, 2.0);
  }
}

TEST(Multiclass, TooManyPopulationsAreApproximatedAndSaid) {
  MulticlassNetwork network{{kThink, kQueue}, {}, {}};
  for (int c = 0; c < 6; ++c) {
    network.demands_s.push_back({1.0 + c, 0.01});
    network.customers.push_back(10);
  }
  EXPECT_EQ(state_count(network), std::pow(11.0, 6.0));
  EXPECT_FALSE(exact_is_quick(network));
  EXPECT_THROW(solve_exact(network), SimulationError);
  const MulticlassResult result = solve_multiclass(network);
  EXPECT_EQ(result.method, "Linearizer");
  EXPECT_TRUE(result.converged);
  EXPECT_GT(result.iterations, 0);
}

TEST(Multiclass, ThousandsOfClassesAreNoTroubleEither) {
  MulticlassNetwork network{{kThink, kQueue, {"update", 4.0}}, {}, {}};
  for (int c = 0; c < 3000; ++c) {
    network.demands_s.push_back({1.0 + c, 0.01, 0.1});
    network.customers.push_back(1);
  }
  EXPECT_THROW(solve_linearizer(network), SimulationError);
  const MulticlassResult result = solve_multiclass(network);
  EXPECT_EQ(result.method, "Bard-Schweitzer");
  EXPECT_TRUE(result.converged);
}

}  // namespace
}  // namespace stagger
