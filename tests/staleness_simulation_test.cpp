// The predicted distribution of staleness beside the simulated one, over workers, compute times and loads.
#include "tests/simulation.hpp"

namespace stagger {
namespace {

/// One server, transfers of `transfer_s` alone each way, 1 s of computing.
struct Case {
  int workers;
  double cv;
  const char* load;
  double transfer_s;
  std::string distribution = "gamma";
  std::string exchange = "separate";
  double latency_s = 0.0;
};

void PrintTo(const Case& its, std::ostream* out) {
  *out << its.workers << " workers, " << its.distribution << " cv " << its.cv << ", " << its.load << ", "
       << its.exchange;
}

std::vector<Case> grid() {
  std::vector<Case> cases;
  for (const int workers : {4, 8, 32, 128})
    for (const double cv : {0.05, 0.1, 0.2, 0.5, 1.0})
      for (const auto& [load, times] : {std::pair{"idle", 1e-3}, {"half", 0.65}, {"knee", 2.0}, {"saturated", 8.0}})
        cases.push_back({workers, cv, load, times / workers});
  for (const char* distribution : {"lognormal", "weibull", "uniform"})
    for (const double cv : {0.1, 0.5}) cases.push_back({16, cv, "half", 0.65 / 16, distribution});
  for (const char* exchange : {"separate", "fused"})
    for (const double cv : {0.1, 0.5}) cases.push_back({16, cv, "half", 0.65 / 16, "gamma", exchange, 0.02});
  return cases;
}

std::string name(const testing::TestParamInfo<Case>& info) {
  const Case& its = info.param;
  std::string text =
      fmt::format("{}_{}_cv{}_{}_{}_{}", info.index, its.workers, its.cv, its.load, its.distribution, its.exchange);
  std::ranges::replace(text, '.', '_');
  return text;
}

class PredictedPmf : public testing::TestWithParam<Case> {};

TEST_P(PredictedPmf, IsCloseToTheSimulatedOne) {
  const Case& its = GetParam();
  const auto run = simulate_yaml(fmt::format(R"(
platform: {{hosts: {{w: {{}}, s: {{nic: {{bandwidth: {} GBps, latency: {} s}}}}}}}}
model: {{bytes: 1 GB}}
job:
  workers: {{on: w, count: {}}}
  servers: {{on: s, count: 1}}
  exchange: {}
  compute: {{mean: 1 s, distribution: {}, cv: {}}}
run: {{engine: fluid, updates: 400000}})",
                                             1.0 / its.transfer_s, its.latency_s, its.workers, its.exchange,
                                             its.distribution, its.cv));
  ASSERT_EQ(run.error, "");
  const Json& predicted = run.result["predicted"]["staleness"];
  const Json& simulated = run.result["simulated"]["staleness"];
  EXPECT_LE(run.result["check"]["staleness_total_variation"], 0.05);
  EXPECT_NEAR(predicted["variance"], simulated["variance"], 0.12 * simulated["variance"].get<double>());
  const auto pmf = predicted["pmf"].get<std::vector<double>>();
  EXPECT_NEAR(std::accumulate(pmf.begin(), pmf.end(), 0.0), 1.0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Grid, PredictedPmf, testing::ValuesIn(grid()), name);

}  // namespace
}  // namespace stagger
