// Do the 95 % confidence intervals hold the exact value in 95 % of the runs? 2,000 seeds each of a job with a known
// answer.
//
// N workers, exponential compute of 1 s, one transfer of D seconds a step over the server's link: exact throughput by
// mean value analysis (Reiser & Lavenberg 1980), computed here by its recursion. Successive updates are correlated, the
// more the busier the link.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/simulation.hpp"

namespace stagger {
namespace {

/// One delay of 1 s and one processor-sharing station of demand D.
double exact_throughput(int workers, double demand_s) {
  double queue = 0.0;
  double x = 0.0;
  for (int n = 1; n <= workers; ++n) {
    const double residence_s = demand_s * (1.0 + queue);
    x = n / (1.0 + residence_s);
    queue = x * residence_s;
  }
  return x;
}

struct CoverageCase {
  const char* name;
  int workers;
  double demand_s;
  const char* compute;
  const char* run;
};
void PrintTo(const CoverageCase& each, std::ostream* out) { *out << each.name; }

class Coverage : public testing::TestWithParam<CoverageCase> {};

TEST_P(Coverage, OfTheExactThroughputIsWhatTheIntervalSays) {
  const auto& [name, workers, demand_s, compute, run] = GetParam();
  const double exact = exact_throughput(workers, demand_s);
  const auto file = std::filesystem::temp_directory_path() / fmt::format("stagger-coverage-{}.yaml", ::getpid());
  std::ofstream(file) << fmt::format(R"(
platform: {{hosts: {{w: {{}}, s: {{nic: {{down: 1 GBps, up: unlimited}}}}}}}}
model: {{bytes: {} B}}
job:
  workers: {{on: w, count: {}}}
  servers: {{on: s, count: 1}}
  compute: {{mean: 1 s, {}}}
run: {}
)",
                                     std::llround(demand_s * 1e9), workers, compute, run);
  Scenario scenario = read_scenario(file, {"run.engine=fluid"});
  std::filesystem::remove(file);
  constexpr int kSeeds = 2000;
  int covered = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    scenario.spec.run.seed = static_cast<std::uint64_t>(seed);
    const Interval interval = run_scenario(scenario).result.simulated->updates_per_s;
    covered += interval.ci_low <= exact && exact <= interval.ci_high ? 1 : 0;
  }
  const double share = static_cast<double>(covered) / kSeeds;
  RecordProperty("coverage", fmt::format("{:.4f}", share));
  std::printf("coverage %s: %.2f %%\n", name, 100.0 * share);
  EXPECT_GE(share, 0.92);
  EXPECT_LE(share, 0.975);
}

constexpr const char* kExponential = "distribution: exponential";
constexpr const char* kGamma = "distribution: gamma, cv: 0.5";
constexpr const char* kFixed = "{updates: 5000}";
constexpr const char* kPrecise = "{precision: {relative: 2 %}}";

// Utilisation of the link with 8 workers: D = 0.02: 16 %, 0.08: 57 %, 0.25: 99 %.
INSTANTIATE_TEST_SUITE_P(Nightly, Coverage,
                         testing::Values(CoverageCase{"idle_fixed", 8, 0.02, kExponential, kFixed},
                                         CoverageCase{"half_busy_fixed", 8, 0.08, kExponential, kFixed},
                                         CoverageCase{"saturated_fixed", 8, 0.25, kExponential, kFixed},
                                         CoverageCase{"idle_precise", 8, 0.02, kExponential, kPrecise},
                                         CoverageCase{"half_busy_precise", 8, 0.08, kExponential, kPrecise},
                                         CoverageCase{"saturated_precise", 8, 0.25, kExponential, kPrecise},
                                         CoverageCase{"half_busy_gamma_fixed", 8, 0.08, kGamma, kFixed},
                                         CoverageCase{"knee_gamma_fixed", 8, 0.15, kGamma, kFixed}),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace stagger
