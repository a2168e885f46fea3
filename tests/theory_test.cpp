// Simulations against exact theory, within 6 standard errors of the simulation.
#include "tests/data/read_csv.hpp"
#include "tests/staleness_shares.hpp"

namespace stagger {

// How CTest lists a parameter.
void PrintTo(const CsvRow& row, std::ostream* out) { *out << row.text.at("workers") << " workers"; }

namespace {

/// A worker each on a host of its own without NIC limit, and one server whose links of 1 GBps take `up_s` and `down_s`
/// for a lone transfer (both equal, or 0: unlimited).
struct Star {
  int workers = 8;
  std::string compute = "{mean: 1 s, distribution: exponential}";
  double up_s = 0.0;
  double down_s = 0.0;
  double update_s = 0.0;
  std::string update_distribution = "exponential";
  double latency_s = 0.0;
  std::string exchange = "fused";
  std::string run = "{updates: 40000}";
};

std::string yaml(const Star& star) {
  const auto limit = [](double transfer_s) { return transfer_s > 0.0 ? "1 GBps" : "unlimited"; };
  return fmt::format(R"(
platform:
  hosts:
    w: {{nic: {{bandwidth: unlimited, latency: {} s}}}}
    s: {{nic: {{down: {}, up: {}}}}}
model: {{bytes: {} B}}
job:
  workers: {{on: w, count: {}}}
  servers: {{on: s, count: 1, update: {{fixed: {} s, distribution: {}}}}}
  compute: {}
  exchange: {}
run: {}
)",
                     star.latency_s, limit(star.up_s), limit(star.down_s),
                     std::llround(std::max(star.up_s, star.down_s) * 1e9), star.workers, star.update_s,
                     star.update_distribution, star.compute, star.exchange, star.run);
}

std::vector<CsvRow> rows_with_at_most(const std::string& file, double workers) {
  std::vector<CsvRow> rows = read_csv(file);
  std::erase_if(rows, [&](const CsvRow& row) { return row.number("workers") > workers; });
  return rows;
}

std::string row_name(const CsvRow& row, const std::vector<const char*>& columns) {
  std::string name;
  for (const char* column : columns) name += (name.empty() ? "" : "_") + row.text.at(column);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

void expect_exact_mva(const CsvRow& row, const std::string& run_spec) {
  const Star star{.workers = static_cast<int>(row.number("workers")),
                  .compute = fmt::format("{{mean: {} s, distribution: exponential}}", row.number("compute_s")),
                  .up_s = row.number("up_s"),
                  .down_s = row.number("down_s"),
                  .update_s = row.number("update_s"),
                  .latency_s = row.number("latency_s"),
                  .exchange = row.text.at("exchange"),
                  .run = run_spec};
  const Simulated run = simulate_yaml(yaml(star));
  ASSERT_EQ(run.error, "");
  const double updates_per_s = row.number("updates_per_s");
  const double staleness = row.number("mean_staleness");
  expect_within_6_errors(run.updates_per_s(), updates_per_s, run.updates_per_s_error());
  expect_within_6_errors(run.staleness(), staleness, run.staleness_error());
  EXPECT_NEAR(run.result["predicted"]["updates_per_s"], updates_per_s, 1e-9 * updates_per_s);
  EXPECT_NEAR(run.result["predicted"]["staleness"]["mean"], staleness, 1e-9 * std::max(1.0, staleness));
  EXPECT_TRUE(run.result["predicted"]["not_covered"].empty());
  EXPECT_TRUE(run.result["simulated"]["warnings"].empty()) << run.result["simulated"]["warnings"];
}

std::string mva_row_name(const testing::TestParamInfo<CsvRow>& row) {
  return row_name(row.param, {"exchange", "workers", "up_s", "update_s", "down_s", "latency_s"});
}

class ExactMva : public testing::TestWithParam<CsvRow> {};
TEST_P(ExactMva, IsSimulatedAndPredicted) { expect_exact_mva(GetParam(), "{precision: {relative: 1 %}}"); }
INSTANTIATE_TEST_SUITE_P(Table, ExactMva, testing::ValuesIn(rows_with_at_most("mva_single_class.csv", 64)),
                         mva_row_name);

class PreciseMva : public testing::TestWithParam<CsvRow> {};
TEST_P(PreciseMva, IsSimulatedByTheFluidEngine) {
  expect_exact_mva(GetParam(), "{engine: fluid, precision: {relative: 0.2 %}}");
}
INSTANTIATE_TEST_SUITE_P(Nightly, PreciseMva, testing::ValuesIn(read_csv("mva_single_class.csv")), mva_row_name);

void expect_exact_staleness(const CsvRow& row, const std::string& run_spec) {
  const Star star{
      .workers = static_cast<int>(row.number("workers")), .update_s = row.number("update_s"), .run = run_spec};
  const Simulated run = simulate_yaml(yaml(star), {}, true);
  ASSERT_EQ(run.error, "");
  std::vector<double> exact;
  for (int k = 0; k < 40; ++k) exact.push_back(row.number(fmt::format("p{}", k)));
  expect_staleness_within_6_errors(staleness_after_warmup(run, 0, star.workers), exact);
}

std::string fifo_row_name(const testing::TestParamInfo<CsvRow>& row) {
  return row_name(row.param, {"workers", "update_s"});
}

class StalenessOfAFifoServer : public testing::TestWithParam<CsvRow> {};
TEST_P(StalenessOfAFifoServer, HasTheExactDistribution) { expect_exact_staleness(GetParam(), "{updates: 40000}"); }
INSTANTIATE_TEST_SUITE_P(Table, StalenessOfAFifoServer, testing::ValuesIn(read_csv("staleness_fifo_server.csv")),
                         fifo_row_name);

class PreciseStaleness : public testing::TestWithParam<CsvRow> {};
TEST_P(PreciseStaleness, HasTheExactDistributionOnTheFluidEngine) {
  expect_exact_staleness(GetParam(), "{engine: fluid, updates: 500000}");
}
INSTANTIATE_TEST_SUITE_P(Nightly, PreciseStaleness, testing::ValuesIn(read_csv("staleness_fifo_server.csv")),
                         fifo_row_name);

// Workers that compute at three speeds, with three distributions, share one server's links: product form, so that the
// multi-class network is exact, and with it each kind's staleness X / X_i - 1.
TEST(DifferentWorkers, AreExactlyAMulticlassNetwork) {
  const Simulated run = simulate_yaml(R"(
platform: {hosts: {w: {}, s: {nic: 1 GBps}}}
model: {bytes: 80 MB}
job:
  workers:
    - {on: w, count: 3, compute: {mean: 0.5 s, distribution: gamma, cv: 0.4}}
    - {on: w, count: 4, compute: {mean: 1 s, distribution: lognormal, cv: 0.7}}
    - {on: w, count: 3, compute: {mean: 2 s, distribution: exponential}}
  servers: {on: s, count: 1}
  exchange: fused
run: {engine: fluid, updates: 400000}
)");
  ASSERT_EQ(run.error, "");
  EXPECT_EQ(run.result["predicted"]["method"], "exact multi-class MVA");
  EXPECT_EQ(run.result["check"]["verdict"], "agree");
  expect_within_6_errors(run.updates_per_s(), run.result["predicted"]["updates_per_s"], run.updates_per_s_error());
  const Json& kinds = run.result["predicted"]["staleness"]["kinds"];
  ASSERT_EQ(kinds.size(), 3U);
  for (const auto& [kind, worker] : {std::pair{0, 0}, {1, 3}, {2, 7}}) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    const double predicted = kinds[at(kind)]["mean"];
    EXPECT_NEAR(run.result["simulated"]["workers"][at(worker)]["staleness_mean"], predicted, 0.01 * predicted);
  }
}

class Compute : public testing::TestWithParam<const char*> {};

// Processor sharing is insensitive (Baskett, Chandy, Muntz & Palacios 1975): N = 8, compute 1 s, one upload of 0.2 s a
// step give 4.64976 updates/s by MVA, whatever the distribution of the compute time.
TEST_P(Compute, DistributionDoesNotMatterWithEqualSharing) {
  const Simulated run = simulate_yaml(yaml({.compute = GetParam(), .up_s = 0.2, .exchange = "separate"}));
  ASSERT_EQ(run.error, "");
  expect_within_6_errors(run.updates_per_s(), 4.649760739, run.updates_per_s_error());
}

std::string compute_name(const testing::TestParamInfo<const char*>& row) {
  const std::string text = std::string(row.param) + ",";
  const std::size_t from = text.find("distribution: ") + 14;
  return text.substr(from, text.find_first_of(",}", from) - from);
}

INSTANTIATE_TEST_SUITE_P(Insensitivity, Compute,
                         testing::Values("{mean: 1 s, distribution: exponential}",
                                         "{mean: 1 s, distribution: gamma, cv: 0.5}",
                                         "{mean: 1 s, distribution: uniform, cv: 0.5}"),
                         compute_name);

struct FusedCase {
  const char* name;
  const char* workers;
};
void PrintTo(const FusedCase& each, std::ostream* out) { *out << each.workers; }

class FusedStaleness : public testing::TestWithParam<FusedCase> {};

// Fused exchange, any network and any distributions: worker i's mean staleness is X/X_i - 1, and the mean over all
// updates is N - 1, because each update of another worker between two updates of worker i is counted once.
TEST_P(FusedStaleness, FollowsFromTheRatesAlone) {
  const Simulated run = simulate_yaml(fmt::format(R"(
platform: {{hosts: {{w: {{nic: 1 GBps}}, s: {{nic: 2 GBps}}}}}}
model: {{bytes: 100 MB}}
job:
  workers: {}
  servers: {{on: s, count: 1, update: {{fixed: 10 ms}}}}
  exchange: fused
run: {{updates: 200000}}
)",
                                                  GetParam().workers));
  ASSERT_EQ(run.error, "");
  const Json& workers = run.result["simulated"]["workers"];
  const auto n = static_cast<double>(workers.size());
  EXPECT_NEAR(run.staleness(), n - 1.0, 0.005 * (n - 1.0));
  for (const Json& worker : workers) {
    const double exact = run.updates_per_s() / worker["updates_per_s"].get<double>() - 1.0;
    EXPECT_NEAR(worker["staleness_mean"], exact, 0.005 * exact + 1e-9) << worker["name"];
  }
}

INSTANTIATE_TEST_SUITE_P(
    AnyDistribution, FusedStaleness,
    testing::Values(FusedCase{"deterministic", "{on: w, count: 6, compute: {mean: 1 s}}"},
                    FusedCase{"lognormal", "{on: w, count: 6, compute: {mean: 1 s, distribution: lognormal, cv: 0.5}}"},
                    FusedCase{"heavy_tailed",
                              "{on: w, count: 6, compute: {mean: 1 s, distribution: lognormal, cv: 5}}"},
                    FusedCase{"heterogeneous",
                              "[{on: w, count: 3, compute: {mean: 1 s, distribution: gamma, cv: 0.3}}, "
                              "{on: w, count: 2, compute: {mean: 0.3 s, distribution: exponential}}, "
                              "{on: w, count: 1, compute: {mean: 5 s}}]"}),
    [](const auto& row) { return row.param.name; });

// A round of N exponential(1) steps lasts E[max] = H_N; H_8 = 2.717857 (Dutta et al. 2018, K-sync with K = P = 8).
TEST(Bsp, RoundOfExponentialStepsLastsTheExpectedMaximum) {
  const Simulated run = simulate_yaml(yaml({.run = "{updates: 20000}"}), {"job.sync=bsp"});
  ASSERT_EQ(run.error, "");
  expect_within_6_errors(run.updates_per_s(), 1.0 / 2.717857143, run.updates_per_s_error());
  EXPECT_EQ(run.staleness(), 0.0);
  EXPECT_EQ(run.result["check"]["verdict"], "not_covered");
}

// A first-come server with constant service is faster than MVA says (4.650): N = 8, compute 1 s, service 0.2 s
// give 4.85 updates/s for exponential compute and 4.94 for a cv of 0.5 (an independent discrete-event program, to two
// decimals).
TEST(FirstComeServer, WithConstantServiceBeatsMvaAndIsNotCovered) {
  const Star star{.update_s = 0.2, .update_distribution = "deterministic"};
  const Simulated exponential = simulate_yaml(yaml(star));
  const Simulated gamma = simulate_yaml(yaml(star), {"job.compute={mean: 1 s, distribution: gamma, cv: 0.5}"});
  ASSERT_EQ(exponential.error + gamma.error, "");
  expect_within_6_errors(exponential.updates_per_s(), 4.85, exponential.updates_per_s_error(), 0.005);
  expect_within_6_errors(gamma.updates_per_s(), 4.94, gamma.updates_per_s_error(), 0.005);
  EXPECT_EQ(exponential.result["check"]["verdict"], "not_covered");
}

// In lv08 with idle links (15 % busy), the factors are all that matters: 13.01 latencies and 0.97 of the bandwidth. By
// hand for one worker: 2 s + 4 * 13.01 * 50 us + 2 * 25 MB / (0.97 * 125 MB/s) = 2.414973 s a step.
TEST(Lv08, HasTheSameFactorsInSimulationAndPrediction) {
  const char* const scenario = R"(
platform:
  network: {model: lv08}
  hosts: {w: {nic: {bandwidth: 1 Gbps, latency: 25 us}}, s: {nic: {bandwidth: 1 Gbps, latency: 25 us}}}
model: {bytes: 25 MB}
job:
  workers: {on: w, count: 1}
  servers: {on: s, count: 1}
  compute: {mean: 2 s}
run: {updates: 100}
)";
  const Simulated one = simulate_yaml(scenario);
  ASSERT_EQ(one.error, "");
  EXPECT_NEAR(one.updates_per_s(), 1.0 / 2.4149731, 1e-6);
  EXPECT_NEAR(one.result["predicted"]["updates_per_s"], 1.0 / 2.4149731, 1e-6);
  const Simulated eight = simulate_yaml(
      scenario, {"job.workers.count=8", "run.updates=20000", "job.compute={mean: 10 s, distribution: gamma, cv: 0.3}"});
  ASSERT_EQ(eight.error, "");
  EXPECT_EQ(eight.result["check"]["verdict"], "agree");
}

// P equal shards on P equal dedicated servers are one processor-sharing station of rate min(n * worker NIC, P * server
// NIC): load-dependent MVA is exact (here the knee of the rate is at n = 2.4).
TEST(EqualShards, AreOneLoadDependentStation) {
  const Simulated run = simulate_yaml(R"(
platform: {hosts: {w: {nic: 1 Gbps}, s: {nic: 1.2 Gbps}}}
model: {bytes: 100 MB}
job:
  workers: {on: w, count: 6}
  servers: {on: s, count: 2}
  compute: {mean: 1 s, distribution: gamma, cv: 0.5}
  exchange: separate
run: {updates: 40000}
)");
  ASSERT_EQ(run.error, "");
  EXPECT_TRUE(run.result["predicted"]["not_covered"].empty());
  expect_within_6_errors(run.updates_per_s(), run.result["predicted"]["updates_per_s"], run.updates_per_s_error());
  const Json& measured = run.result["simulated"]["stations"];
  const Json& predicted = run.result["predicted"]["stations"];
  ASSERT_EQ(measured.size(), predicted.size());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    EXPECT_EQ(measured[i]["name"], predicted[i]["name"]);
    EXPECT_NEAR(measured[i]["queue_mean"], predicted[i]["queue_mean"], 0.02 * 6.0);
    EXPECT_NEAR(measured[i]["residence_s"], predicted[i]["residence_s"],
                0.05 * predicted[i]["residence_s"].get<double>());
    EXPECT_NEAR(measured[i]["utilization"], predicted[i]["utilization"], 0.02);
  }
}

}  // namespace
}  // namespace stagger
