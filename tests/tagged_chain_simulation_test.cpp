// The exact distributions of the tagged worker's chain beside simulated ones, kind by kind.
#include "tests/staleness_shares.hpp"

namespace stagger {
namespace {

struct Case {
  const char* load;
  double offered;  ///< of the server's capacity, if each worker computed for 1 s
  int threads;
  std::vector<std::pair<int, double>> kinds;  ///< workers, mean compute time in s
};

int workers_of(const Case& its) {
  int workers = 0;
  for (const auto& kind : its.kinds) workers += kind.first;
  return workers;
}

std::string text_of(const Case& its) {
  return fmt::format("{}_{}_threads_{}_workers_{}_kinds", its.load, its.threads, workers_of(its), its.kinds.size());
}

void PrintTo(const Case& its, std::ostream* out) { *out << text_of(its); }

std::string yaml(const Case& its) {
  std::string workers;
  for (const auto& [count, compute_s] : its.kinds)
    workers += fmt::format("    - {{on: w, count: {}, compute: {{mean: {} s, distribution: exponential}}}}\n", count,
                           compute_s);
  return fmt::format(R"(
platform: {{hosts: {{w: {{}}, s: {{}}}}}}
model: {{bytes: 0 B}}
job:
  workers:
{}  servers: {{on: s, count: 1, threads: {}, update: {{fixed: {} s, distribution: exponential}}}}
  exchange: fused
run: {{engine: fluid, updates: 100000}}
)",
                     workers, its.threads, its.offered * its.threads / workers_of(its));
}

class TaggedChain : public testing::TestWithParam<Case> {};

TEST_P(TaggedChain, IsSimulated) {
  const Case& its = GetParam();
  const Simulated run = simulate_yaml(yaml(its), {}, true);
  ASSERT_EQ(run.error, "");
  const Json& predicted = run.result["predicted"]["staleness"];
  ASSERT_TRUE(predicted["method"].get<std::string>().starts_with("exact: Markov chain of ")) << predicted["method"];
  int first = 0;
  for (std::size_t kind = 0; kind < its.kinds.size(); ++kind) {
    SCOPED_TRACE(fmt::format("kind {}", kind));
    const int end = first + its.kinds[kind].first;
    const Json& exact = its.kinds.size() == 1 ? predicted : predicted["kinds"][kind];
    expect_staleness_within_6_errors(staleness_after_warmup(run, first, end), exact["pmf"]);
    first = end;
  }
}

std::vector<Case> cases() {
  std::vector<Case> cases;
  for (const auto& [load, offered] : {std::pair{"idle", 0.2}, {"knee", 0.8}, {"saturated", 3.2}}) {
    for (const int workers : {8, 16})
      for (const int threads : {2, 4}) cases.push_back({load, offered, threads, {{workers, 1.0}}});
    for (const int threads : {1, 2}) cases.push_back({load, offered, threads, {{4, 1.0}, {4, 3.0}}});
    cases.push_back({load, offered, 3, {{3, 0.5}, {4, 1.0}, {2, 4.0}}});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, TaggedChain, testing::ValuesIn(cases()),
                         [](const auto& its) { return text_of(its.param); });

}  // namespace
}  // namespace stagger
