// Queueing networks: exact MVA and bounds, against hand calculations, closed forms, GNU Octave and product forms.
#include "analysis/mva.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>

#include "analysis/bounds.hpp"
#include "sim/base/input_error.hpp"
#include "tests/data/read_csv.hpp"

namespace stagger {
namespace {

constexpr double kDelay = std::numeric_limits<double>::infinity();

double throughput(const Network& network, int customers) { return solve_mva(network, customers).throughput_per_s; }

/// The product form itself, P(n_1, …, n_K) ~ prod_k f_k(n_k) with f_k(n) = prod_{j<=n} D_k / min(j, c_k), summed by
/// convolution (Buzen 1973) in extended precision: independent of any mean value analysis.
struct ProductForm {
  using Sums = std::vector<long double>;  // [n]

  static Sums weights(const Station& station, std::size_t customers) {
    Sums f(customers + 1, 1.0L);
    for (std::size_t n = 1; n <= customers; ++n)
      f[n] = f[n - 1] * station.demand_s / std::min<long double>(static_cast<long double>(n), station.parallelism);
    return f;
  }
  static Sums convolve(const Sums& a, const Sums& b) {
    Sums sums(a.size(), 0.0L);
    for (std::size_t n = 0; n < a.size(); ++n)
      for (std::size_t j = 0; j <= n; ++j) sums[n] += a[j] * b[n - j];
    return sums;
  }
  /// The sums of all stations but one; `except` = their number: of all.
  static Sums constants(const Network& network, std::size_t customers, std::size_t except) {
    Sums g(customers + 1, 0.0L);
    g[0] = 1.0L;
    for (std::size_t k = 0; k < network.size(); ++k)
      if (k != except) g = convolve(g, weights(network[k], customers));
    return g;
  }
};

/// Compares throughputs for all populations, and queues at the largest, with the product form.
void expect_product_form(const Network& network, int customers, double tolerance) {
  const auto last = static_cast<std::size_t>(customers);
  const MvaResult mva = solve_mva(network, customers);
  const auto g = ProductForm::constants(network, last, network.size());
  for (std::size_t n = 1; n <= last; ++n) {
    const auto exact = static_cast<double>(g[n - 1] / g[n]);
    ASSERT_NEAR(throughput(network, static_cast<int>(n)), exact, tolerance * exact) << n << " customers";
  }
  for (std::size_t k = 0; k < network.size(); ++k) {
    const auto others = ProductForm::constants(network, last, k);
    const auto own = ProductForm::weights(network[k], last);
    long double queue = 0.0L;
    for (std::size_t j = 1; j <= last; ++j) queue += static_cast<long double>(j) * own[j] * others[last - j] / g[last];
    EXPECT_NEAR(mva.stations[k].queue_mean, static_cast<double>(queue), tolerance * customers) << network[k].name;
  }
}

TEST(Mva, FollowsTheRecursionByHand) {
  // Z = 1, D = 1/2. n = 1: R = 1/2, X = 1/(1 + 1/2) = 2/3, Q = 1/3.
  // n = 2: R = 1/2 (1 + 1/3) = 2/3, X = 2/(1 + 2/3) = 6/5, Q = 4/5, U = 3/5; the other 6/5 customers think.
  const MvaResult mva = solve_mva({{"think", 1.0, kDelay}, {"queue", 0.5, 1.0}}, 2);
  EXPECT_DOUBLE_EQ(mva.fewer_per_s, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(mva.throughput_per_s, 6.0 / 5.0);
  EXPECT_DOUBLE_EQ(mva.stations[1].residence_s, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(mva.stations[1].queue_mean, 4.0 / 5.0);
  EXPECT_DOUBLE_EQ(mva.stations[1].utilization, 3.0 / 5.0);
  EXPECT_DOUBLE_EQ(mva.stations[0].queue_mean, 6.0 / 5.0);
  EXPECT_DOUBLE_EQ(mva.stations[0].utilization, 3.0 / 5.0);  // the share of the customers that think
}

TEST(Mva, TwoThreadsAreTheMachineRepairModel) {
  // Three machines that run for 1 s and are repaired in 1 s by two repairers: birth rates 3, 2, 1, death rates 1, 2, 2,
  // so p = (1, 3, 3, 3/2) / (17/2); X = (3*1 + 3*2 + 3/2*2) / (17/2) = 24/17; Q = (3 + 6 + 9/2) / (17/2) = 27/17.
  const MvaResult mva = solve_mva({{"run", 1.0, kDelay}, {"repair", 1.0, 2.0}}, 3);
  EXPECT_DOUBLE_EQ(mva.throughput_per_s, 24.0 / 17.0);
  EXPECT_DOUBLE_EQ(mva.stations[1].queue_mean, 27.0 / 17.0);
  EXPECT_DOUBLE_EQ(mva.stations[1].utilization, 12.0 / 17.0);  // of both repairers
}

TEST(Mva, AFractionalParallelismByHand) {
  // Two customers, Z = 1, D = 1, c = 3/2: birth rates 2, 1, death rates 1, 3/2, so p = (1, 2, 4/3) / (13/3);
  // X = (2*1 + 4/3*3/2) / (13/3) = 12/13; Q = (2 + 8/3) / (13/3) = 14/13.
  const MvaResult mva = solve_mva({{"think", 1.0, kDelay}, {"link", 1.0, 1.5}}, 2);
  EXPECT_DOUBLE_EQ(mva.throughput_per_s, 12.0 / 13.0);
  EXPECT_DOUBLE_EQ(mva.stations[1].queue_mean, 14.0 / 13.0);
  EXPECT_DOUBLE_EQ(mva.stations[1].utilization, 8.0 / 13.0);
}

TEST(Mva, AgreesWithTheProductForm) {
  const Station think{"think", 1.0, kDelay};
  expect_product_form({think, {"a", 0.1, 1.0}, {"b", 0.08, 1.0}}, 40, 1e-12);
  expect_product_form({think, {"a", 0.4, 2.7}}, 40, 1e-12);
  expect_product_form({think, {"a", 0.4, 2.7}, {"b", 0.02, 1.0}}, 40, 1e-12);
  expect_product_form({think, {"a", 0.4, 2.7}, {"b", 0.7, 4.0}}, 40, 1e-12);
  expect_product_form({think, {"a", 0.4, 2.7}, {"b", 0.7, 4.0}, {"c", 1.5, 9.99}}, 40, 1e-12);
  expect_product_form({{"a", 0.4, 2.7}, {"b", 0.7, 4.0}}, 40, 1e-12);  // no think time
  expect_product_form({{"a", 0.4, 2.7}}, 40, 1e-12);                   // alone: every customer is always there
}

TEST(Mva, StaysExactBeyondSaturation) {
  // Where p(0|n) = 1 - sum p(j|n) loses all its digits.
  expect_product_form({{"think", 1.0, kDelay}, {"update", 0.4, 8.0}}, 200, 1e-12);
  expect_product_form({{"think", 1.0, kDelay}, {"update", 0.4, 8.0}, {"link", 0.1, 2.3}}, 200, 1e-12);
}

TEST(Mva, StaysExactWithTenThousandCustomers) {
  // One load-dependent station and a delay: P(j) ~ Z^(N-j)/(N-j)! prod_{i<=j} D/min(i,c), summed in logarithms. With D
  // = 9 and c = 9500 most customers are at the station and none waits; P(0|n) falls to 1e-1600 on the way. c = 8000
  // saturates.
  constexpr int kCustomers = 10'000;
  for (const double c : {9500.0, 8000.5}) {
    std::vector<double> logs;
    double log_weight = -std::lgamma(kCustomers + 1.0);
    for (int j = 0; j <= kCustomers; ++j) {
      if (j > 0) log_weight += std::log(9.0 / std::min<double>(j, c) * (kCustomers - j + 1));
      logs.push_back(log_weight);
    }
    const double largest = *std::ranges::max_element(logs);
    double sum = 0.0;
    double busy = 0.0;
    for (int j = 0; j <= kCustomers; ++j) {
      const double weight = std::exp(logs[static_cast<std::size_t>(j)] - largest);
      sum += weight;
      busy += weight * std::min<double>(j, c);
    }
    const double exact = busy / sum / 9.0;
    EXPECT_NEAR(throughput({{"think", 1.0, kDelay}, {"link", 9.0, c}}, kCustomers), exact, 1e-9 * exact) << c;
  }
}

TEST(Mva, StaysExactWithAHundredThousandCustomers) {
  // tests/data/product_form.py: near the knees of three stations, two of them equal and saturated, without think time,
  // and a station that nearly all fit into. 1e-11 is what a hundred thousand terms may lose.
  for (const CsvRow& row : read_csv("product_form.csv")) {
    const int n = std::stoi(row.text.at("N"));
    Network network;
    std::istringstream demands(row.text.at("demands_s"));
    std::istringstream parallelisms(row.text.at("parallelism"));
    for (std::string demand, parallelism; demands >> demand && parallelisms >> parallelism;)
      network.push_back({"station", std::stod(demand), std::stod(parallelism)});
    const MvaResult mva = solve_mva(network, n);
    const auto near = [&](double value, const char* column) {
      EXPECT_NEAR(value, row.number(column), 1e-11 * row.number(column))
          << column << " of " << row.text.at("demands_s");
    };
    near(mva.throughput_per_s, "throughput_per_s");
    near(mva.fewer_per_s, "fewer_per_s");
    near(mva.stations.back().queue_mean, "last_queue_mean");
  }
}

// A thousand workers with a queue and two stations of several servers, in less than 5 ms of CPU time.
TEST(Mva, TakesMillisecondsForAThousandCustomers) {
#if defined(__SANITIZE_ADDRESS__)
  constexpr double kMost_s = 0.2;
#else
  constexpr double kMost_s = 0.005;
#endif
  for (const double c : {1.0, 2.5, 20.0, 500.0}) {
    constexpr int kRuns = 20;
    const std::clock_t began = std::clock();
    for (int i = 0; i < kRuns; ++i)
      throughput({{"think", 1.0, kDelay}, {"push", 0.01, c}, {"update", 0.008, 1.0}, {"pull", 0.01, c}}, 1000);
    const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC / kRuns;
    EXPECT_LT(seconds, kMost_s) << c;
  }
}

TEST(Mva, TakesASecondForAHundredThousandCustomersAtMost) {
  // Where most fits into the several servers: the sums are longest.
  const std::clock_t began = std::clock();
  throughput({{"push", 0.5, 40'000.5}, {"update", 0.75, 61'234.0}, {"pull", 0.5, 45'678.25}}, 100'000);
  const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(seconds, 1.5);
#endif
  RecordProperty("milliseconds", static_cast<int>(1e3 * seconds));
}

TEST(Mva, OneStationAloneHasThemAll) {
  // A queue X = 1/D, a delay X = N/D, m servers X = min(N, m)/D; Q = N.
  for (const int n : {1, 2, 3, 7, 100, 20'000})
    for (const double c : {1.0, 2.0, 2.5, 99.0, kDelay}) {
      const MvaResult mva = solve_mva({{"only", 0.25, c}}, n);
      const double x = std::min<double>(n, c) / 0.25;
      EXPECT_NEAR(mva.throughput_per_s, x, 1e-12 * x) << n << ", " << c;
      EXPECT_NEAR(mva.fewer_per_s, std::min(n - 1.0, c) / 0.25, 1e-12 * x) << n << ", " << c;
      EXPECT_NEAR(mva.stations[0].queue_mean, n, 1e-12 * n) << n << ", " << c;
    }
}

TEST(Mva, ALoneCustomerNeverWaits) {
  const MvaResult mva = solve_mva({{"think", 1.0, kDelay}, {"a", 0.5, 1.0}, {"b", 0.25, 1.5}, {"c", 0.25, 8.0}}, 1);
  EXPECT_DOUBLE_EQ(mva.throughput_per_s, 1.0 / 2.0);
  EXPECT_EQ(mva.fewer_per_s, 0.0);
  EXPECT_DOUBLE_EQ(mva.stations[1].utilization, 0.25);
  EXPECT_DOUBLE_EQ(mva.stations[2].residence_s, 0.25);
  EXPECT_DOUBLE_EQ(mva.stations[3].queue_mean, 0.125);
}

TEST(Mva, TheSmallBesideTheLargeKeepsItsDigits) {
  // The slow station is busy always, but for 1e-15: it lets c/D pass, and nobody waits elsewhere, Q = X D.
  for (const double c : {1.0, 2.5}) {
    const MvaResult mva =
        solve_mva({{"think", 1e-12, kDelay}, {"fast", 1e-12, 1.0}, {"several", 1e-12, 3.5}, {"slow", 1e3, c}}, 50);
    const double x = c / 1e3;
    EXPECT_NEAR(mva.throughput_per_s, x, 1e-13 * x);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(mva.stations[i].queue_mean, x * 1e-12, 1e-12 * x * 1e-12) << i;
    EXPECT_NEAR(mva.stations[3].queue_mean, 50.0, 1e-11);
  }
}

TEST(Mva, ThereAreNumbersForAnyTime) {
  // Z = 0, D = 1, 1: X = N / (N + 1), in any unit.
  for (const double unit : {1e-300, 1e-30, 1e30, 1e300}) {
    const MvaResult mva = solve_mva({{"a", unit, 1.0}, {"b", unit, 1.0}}, 3);
    EXPECT_NEAR(mva.throughput_per_s * unit, 0.75, 1e-15);
    EXPECT_NEAR(throughput({{"a", unit, 2.0}, {"b", unit, 2.0}}, 2) * unit, 1.0, 1e-15);
  }
  EXPECT_THROW(solve_mva({{"a", 1e-320, 2.0}, {"b", 1e-320, 2.0}}, 5), SimulationError);  // no number for X
  EXPECT_NEAR(throughput({{"think", 1.0, kDelay}, {"a", 1e-320, 2.0}, {"b", 1e-320, 1.0}}, 5), 5.0, 1e-15);
}

TEST(Mva, OnlyDelaysNeverWait) {
  EXPECT_DOUBLE_EQ(throughput({{"think", 2.0, kDelay}, {"latency", 0.5, kDelay}}, 7), 7.0 / 2.5);
}

TEST(Mva, EnoughThreadsForAllAreADelay) {
  const Network threads = {{"think", 1.0, kDelay}, {"queue", 0.3, 1.0}, {"update", 0.5, 6.0}};
  const Network delay = {{"think", 1.0, kDelay}, {"queue", 0.3, 1.0}, {"update", 0.5, kDelay}};
  EXPECT_DOUBLE_EQ(throughput(threads, 6), throughput(delay, 6));
  EXPECT_LT(throughput(threads, 7), throughput(delay, 7));
}

TEST(Mva, AStationWithoutDemandChangesNothing) {
  const Network plain = {{"think", 1.0, kDelay}, {"queue", 0.3, 1.0}, {"update", 0.5, 2.5}};
  Network padded = plain;
  padded.insert(padded.begin() + 1, {{"free", 0.0, 1.0}, {"free too", 0.0, 3.5}, {"no wait", 0.0, kDelay}});
  EXPECT_DOUBLE_EQ(throughput(padded, 20), throughput(plain, 20));
  EXPECT_EQ(solve_mva(padded, 20).stations[2].queue_mean, 0.0);
  EXPECT_DOUBLE_EQ(throughput({{"update", 0.5, 2.5}, {"free", 0.0, 1.0}}, 20), 5.0);
}

TEST(Mva, AnotherUnitOfTimeChangesNothing) {
  const Network seconds = {{"think", 1.0, kDelay}, {"queue", 0.3, 1.0}, {"update", 0.5, 2.5}};
  Network ticks = seconds;
  for (Station& station : ticks) station.demand_s *= 1024.0;
  EXPECT_EQ(throughput(ticks, 50) * 1024.0, throughput(seconds, 50));
}

TEST(Mva, ACycleWithoutTimeIsAnError) {
  EXPECT_THROW(solve_mva({{"think", 0.0, kDelay}, {"queue", 0.0, 1.0}}, 3), SimulationError);
  EXPECT_THROW(solve_mva({}, 3), SimulationError);
}

TEST(Mva, RefusesWhatIsNoNetwork) {
  EXPECT_THROW(solve_mva({{"queue", -1.0, 1.0}}, 3), std::logic_error);
  EXPECT_THROW(solve_mva({{"queue", 1.0, 0.5}}, 3), std::logic_error);
  EXPECT_THROW(solve_mva({{"queue", kDelay, 1.0}}, 3), std::logic_error);
  EXPECT_THROW(solve_mva({{"queue", 1.0, 1.0}}, 0), std::logic_error);
}

const Network kOctave = {{"think", 0.5, kDelay}, {"download", 0.08, 1.0}, {"update", 0.02, 1.0}, {"upload", 0.08, 1.0}};

TEST(Mva, AgreesWithOctave) {
  for (const CsvRow& row : read_csv("mva_with_bounds_octave.csv")) {
    const int n = std::stoi(row.text.at("N"));
    const MvaResult mva = solve_mva(kOctave, n);
    const double x = mva.throughput_per_s;
    EXPECT_NEAR(x, row.number("X_mva"), 1e-9 * x) << n;
    EXPECT_NEAR(n / x - 0.5, row.number("R_mva"), 1e-9) << n;
    EXPECT_NEAR(mva.stations[1].queue_mean, row.number("Q_dl"), 1e-9) << n;
    EXPECT_NEAR(mva.stations[2].queue_mean, row.number("Q_cpu"), 1e-9) << n;
    EXPECT_NEAR(mva.stations[3].queue_mean, row.number("Q_ul"), 1e-9) << n;
  }
}

TEST(Bounds, AgreeWithOctave) {
  for (const CsvRow& row : read_csv("mva_with_bounds_octave.csv")) {
    const int n = std::stoi(row.text.at("N"));
    const ThroughputBounds asymptotic = asymptotic_bounds(kOctave, n);
    const ThroughputBounds balanced = balanced_job_bounds(kOctave, n);
    EXPECT_NEAR(asymptotic.lower_per_s, row.number("X_lo_aba"), 1e-9 * asymptotic.lower_per_s) << n;
    EXPECT_NEAR(asymptotic.upper_per_s, row.number("X_up_aba"), 1e-9 * asymptotic.upper_per_s) << n;
    EXPECT_NEAR(balanced.lower_per_s, row.number("X_lo_bsb"), 1e-9 * balanced.lower_per_s) << n;
    EXPECT_NEAR(balanced.upper_per_s, row.number("X_up_bsb"), 1e-9 * balanced.upper_per_s) << n;
  }
}

TEST(Bounds, GeometricOnesAgreeWithOctave) {
  // qncsgb of the queueing package 1.2.7, GNU Octave 7.3: [X_l X_u] = qncsgb(N, D, ones(1, 3), ones(1, 3), Z)
  struct Row {
    int customers;
    double think_s;
    double equal_lower_per_s, equal_upper_per_s;      // D = [0.08 0.02 0.08]
    double unequal_lower_per_s, unequal_upper_per_s;  // D = [0.4 0.3 0.05]
  };
  for (const Row& row : {Row{1, 0, 5.55555555555556, 5.55555555555556, 1.33333333333333, 1.33333333333333},
                         Row{1, 0.5, 1.47058823529412, 1.62613645756624, 0.8, 0.941968850428377},
                         Row{2, 0, 7.83132530120482, 8.10810810810811, 1.80392156862745, 1.93939393939394},
                         Row{2, 0.5, 2.85147425889472, 3.17784833960035, 1.3452752560345, 1.59315777645034},
                         Row{5, 0, 10.2337612444966, 10.4149715215622, 2.25205901147705, 2.38670994132283},
                         Row{5, 2, 2.26430215995653, 2.35881962412665, 1.49878496082429, 1.81666987707455},
                         Row{10, 0.5, 9.54691751442984, 10.3534414562318, 2.34330726787793, 2.48402779628429},
                         Row{50, 0.5, 12.1759368919706, 12.2215367794991, 2.49050706206332, 2.49999997095786},
                         Row{200, 2, 12.4175701070259, 12.4290345011594, 2.49845236715816, 2.5}}) {
    const auto bounds = [&row](double a, double b, double c) {
      return geometric_bounds({{"think", row.think_s, kDelay}, {"a", a, 1.0}, {"b", b, 1.0}, {"c", c, 1.0}},
                              row.customers);
    };
    const ThroughputBounds equal = bounds(0.08, 0.02, 0.08);
    EXPECT_NEAR(equal.lower_per_s, row.equal_lower_per_s, 1e-9 * equal.lower_per_s) << row.customers;
    EXPECT_NEAR(equal.upper_per_s, row.equal_upper_per_s, 1e-9 * equal.upper_per_s) << row.customers;
    const ThroughputBounds unequal = bounds(0.4, 0.3, 0.05);
    EXPECT_NEAR(unequal.lower_per_s, row.unequal_lower_per_s, 1e-9 * unequal.lower_per_s) << row.customers;
    EXPECT_NEAR(unequal.upper_per_s, row.unequal_upper_per_s, 1e-9 * unequal.upper_per_s) << row.customers;
  }
}

TEST(Bounds, GeometricOnesEncloseTheExactThroughput) {
  std::minstd_rand engine(2);
  const auto uniform = [&engine] { return static_cast<double>(engine() % 10'000) / 10'000.0; };
  int tighter = 0;
  for (int trial = 0; trial < 5'000; ++trial) {
    const int n = 1 + static_cast<int>(200.0 * uniform());
    const int queues = 1 + static_cast<int>(6.0 * uniform());
    Network network;
    for (int k = 0; k < queues; ++k) {
      // Over three decades, or nearly equal.
      const double demand_s = trial % 2 == 0 ? std::pow(10.0, -3.0 * uniform()) : 1.0 + 1e-9 * uniform();
      network.push_back({"queue", demand_s, 1.0});
    }
    // None; any; or where the asymptotes cross and the bounds' roots are closest to each other.
    const double think_s = trial % 3 == 0 ? 0.0 : trial % 3 == 1 ? 2.0 * n * uniform() : n * network[0].demand_s;
    network.push_back({"think", think_s, kDelay});
    for (int customers = 1; customers <= n; ++customers) {
      const double x = throughput(network, customers);
      const ThroughputBounds bounds = geometric_bounds(network, customers);
      ASSERT_LE(bounds.lower_per_s, x * (1.0 + 1e-12)) << trial << ", " << customers << " customers";
      ASSERT_GE(bounds.upper_per_s, x * (1.0 - 1e-12)) << trial << ", " << customers << " customers";
    }
    const ThroughputBounds geometric = geometric_bounds(network, n);
    const ThroughputBounds balanced = balanced_job_bounds(network, n);
    if (geometric.lower_per_s > balanced.lower_per_s && geometric.upper_per_s < balanced.upper_per_s) ++tighter;
  }
  EXPECT_GT(tighter, 1'000);
}

TEST(Bounds, EncloseTheExactThroughput) {
  std::minstd_rand engine(1);
  const auto uniform = [&engine] { return static_cast<double>(engine() % 10'000) / 10'000.0; };
  for (int trial = 0; trial < 2'000; ++trial) {
    Network network = {{"think", 2.0 * uniform(), kDelay}};
    for (const char* name : {"a", "b", "c"}) {
      const double kind = uniform();
      network.push_back({name, uniform(), kind < 0.5 ? 1.0 : 1.0 + 10.0 * uniform()});
    }
    const int n = 1 + static_cast<int>(40.0 * uniform());
    const double x = throughput(network, n);
    const ThroughputBounds asymptotic = asymptotic_bounds(network, n);
    const ThroughputBounds tightest = tightest_bounds(network, n);
    ASSERT_LE(tightest.lower_per_s, x * (1.0 + 1e-12)) << trial;
    ASSERT_GE(tightest.upper_per_s, x * (1.0 - 1e-12)) << trial;
    const ThroughputBounds geometric = geometric_bounds(network, n);
    ASSERT_LE(geometric.lower_per_s, tightest.lower_per_s) << trial;
    ASSERT_GE(geometric.upper_per_s, tightest.upper_per_s) << trial;
    ASSERT_LE(asymptotic.lower_per_s, tightest.lower_per_s) << trial;
    ASSERT_GE(asymptotic.upper_per_s, tightest.upper_per_s) << trial;
  }
}

TEST(Bounds, AloneThereIsOnlyOneThroughput) {
  const Network network = {{"think", 1.0, kDelay}, {"queue", 0.3, 1.0}, {"update", 0.5, 2.5}};
  const ThroughputBounds bounds = tightest_bounds(network, 1);
  EXPECT_DOUBLE_EQ(bounds.lower_per_s, 1.0 / 1.8);
  EXPECT_DOUBLE_EQ(bounds.upper_per_s, 1.0 / 1.8);
}

TEST(Bounds, LoadDependentStationsByHand) {
  // Z = 1, D = 4 with c = 2.5, N = 10: lower 10 / (1 + 4 * 10/2.5) = 10/17, upper min(10/5, 2.5/4) = 0.625.
  const ThroughputBounds bounds = asymptotic_bounds({{"think", 1.0, kDelay}, {"link", 4.0, 2.5}}, 10);
  EXPECT_DOUBLE_EQ(bounds.lower_per_s, 10.0 / 17.0);
  EXPECT_DOUBLE_EQ(bounds.upper_per_s, 0.625);
}

TEST(Bounds, WithoutQueuesTheyAreExact) {
  const ThroughputBounds bounds = tightest_bounds({{"think", 2.0, kDelay}}, 10);
  EXPECT_DOUBLE_EQ(bounds.lower_per_s, 5.0);
  EXPECT_DOUBLE_EQ(bounds.upper_per_s, 5.0);
}

TEST(Bounds, TheKneeIsWhereTheAsymptotesCross) {
  EXPECT_DOUBLE_EQ(knee_customers(kOctave), 0.68 / 0.08);
  EXPECT_DOUBLE_EQ(knee_customers({{"think", 1.0, kDelay}, {"link", 4.0, 2.5}}), 5.0 / 1.6);
  EXPECT_EQ(knee_customers({{"think", 1.0, kDelay}}), kDelay);
}

}  // namespace
}  // namespace stagger
