// The table of errors of first_come.hpp: predicted against simulated throughput of workers that only compute and wait
// for a first-come server's updates. Prints it.
#include <cstdio>

#include "analysis/first_come.hpp"
#include "tests/simulation.hpp"

namespace stagger {
namespace {

std::string gamma(double cv) {
  return cv == 0.0 ? "distribution: deterministic" : fmt::format("distribution: gamma, cv: {}", cv);
}

double simulated_per_s(int workers, double update_s, double compute_cv, double update_cv) {
  const Simulated run = simulate_yaml(fmt::format(R"(
platform: {{hosts: {{w: {{}}, s: {{}}}}}}
model: {{bytes: 0 B}}
job:
  workers: {{on: w, count: {}}}
  servers: {{on: s, count: 1, update: {{fixed: {} s, {}}}}}
  compute: {{mean: 1 s, {}}}
run: {{engine: fluid, updates: 150000}})",
                                                  workers, update_s, gamma(update_cv), gamma(compute_cv)));
  EXPECT_EQ(run.error, "");
  return run.updates_per_s();
}

/// The errors in percent of a row for each cv of compute, at one load N / N*.
void expect_small_errors(int workers, double load, const std::vector<double>& update_cvs,
                         const std::vector<double>& compute_cvs) {
  const double update_s = std::round(1e6 * load / (workers - load)) / 1e6;
  for (const double update_cv : update_cvs) {
    std::printf("N %2d, N/N* %4.2f, update cv %4.2f:", workers, load, update_cv);
    for (const double compute_cv : compute_cvs) {
      const Distribution service =
          update_cv == 0.0 ? Distribution{} : Distribution{DistributionKind::gamma, update_cv, {}};
      const double predicted = first_come_per_s({workers, 1.0, compute_cv, update_s, service});
      const double error = predicted / simulated_per_s(workers, update_s, compute_cv, update_cv) - 1.0;
      std::printf("  %+5.2f %%", 100.0 * error);
      EXPECT_LE(std::abs(error), 0.015) << "N " << workers << ", load " << load << ", cv " << compute_cv << ", "
                                        << update_cv;
    }
    std::printf("\n");
  }
}

void expect_small_errors(const std::vector<int>& workers, const std::vector<double>& loads,
                         const std::vector<double>& update_cvs, const std::vector<double>& compute_cvs) {
  std::printf("compute cv:                    ");
  for (const double cv : compute_cvs) std::printf("  %7.2f", cv);
  std::printf("\n");
  for (const int n : workers)
    for (const double load : loads)
      if (load < n) expect_small_errors(n, load, update_cvs, compute_cvs);
}

TEST(FirstComeGrid, ErrsAtMostOneAndAHalfPercent) {
  expect_small_errors({3, 5, 10, 40}, {0.6, 1.0, 1.3}, {0.0, 0.5}, {0.05, 0.3, 1.0});
}

TEST(NightlyFirstComeGrid, ErrsAtMostOneAndAHalfPercent) {
  expect_small_errors({3, 4, 8, 24, 96}, {0.5, 0.8, 1.0, 1.25, 2.0}, {0.0, 0.25, 0.5, 0.75, 1.5},
                      {0.05, 0.1, 0.3, 0.7, 1.0, 2.0});
}

}  // namespace
}  // namespace stagger
