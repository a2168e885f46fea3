// A world that changes: what disturbances come to for a job, how long slowed steps take, and correlated step times.
#include <cmath>

#include "sim/base/correlation.hpp"
#include "sim/config/scenario.hpp"
#include "sim/job/step_time.hpp"
#include "tests/data/temporary_folder.hpp"
#include "tests/simulation.hpp"

namespace stagger {
namespace {

RandomStream stream(std::uint32_t entity = 0) { return {1, entity, Purpose::regimes}; }

// 10 s of work from 5 s on; half speed from 10 until 16 s: 5 s of it are done at 10 s, 8 s at 16 s, all at 18 s. From 6
// s on 1 s of work takes 1 s, although the end of the work before was looked for at later times.
TEST(Slowdown, WorkTakesLongerWhileItLasts) {
  Slowdown slow({{Seconds{}, 1.0}, {Seconds{10.0}, 2.0}, {Seconds{16.0}, 1.0}}, std::nullopt, stream());
  EXPECT_DOUBLE_EQ(slow.end(Seconds{5.0}, Seconds{10.0}).si, 18.0);
  EXPECT_DOUBLE_EQ(slow.end(Seconds{6.0}, Seconds{1.0}).si, 7.0);
  EXPECT_DOUBLE_EQ(slow.end(Seconds{10.0}, Seconds{1.0}).si, 12.0);
  EXPECT_DOUBLE_EQ(slow.end(Seconds{15.0}, Seconds{2.5}).si, 18.0);
  EXPECT_DOUBLE_EQ(slow.end(Seconds{20.0}, Seconds{2.5}).si, 22.5);
}

// Healthy for 30 s and slow by 4 for 10 s in the mean: in a turn of 40 s, 32.5 s of work, a speed v of 13/16. The work
// of a turn less v times its time has the variance 30^2 (1 - v)^2 + 10^2 (1/4 - v)^2 = 63.3 s^2.
TEST(Slowdown, RegimesHaveTheirShareOfTime) {
  Slowdown slow({}, Layout::Regimes{Seconds{30.0}, Seconds{10.0}, 4.0}, stream());
  Seconds now{};
  constexpr int kSteps = 400'000;
  for (int i = 0; i < kSteps; ++i) now = slow.end(now, Seconds{1.0});
  const double turns = now.si / 40.0;
  expect_within_6_errors(kSteps / now.si, 13.0 / 16.0, std::sqrt(63.3 / turns) / 40.0);
}

// The first instants of 20,000 workers: a quarter of them is slow.
TEST(Slowdown, RegimesBeginAsInTheLongRun) {
  double slow_ones = 0.0;
  constexpr std::uint32_t kWorkers = 20'000;
  for (std::uint32_t w = 0; w < kWorkers; ++w) {
    Slowdown slow({}, Layout::Regimes{Seconds{30.0}, Seconds{10.0}, 4.0}, stream(w));
    slow_ones += slow.end({}, Seconds{1e-6}).si > 2e-6 ? 1.0 : 0.0;
  }
  expect_within_6_errors(slow_ones / kWorkers, 0.25, std::sqrt(0.25 * 0.75 / kWorkers));
}

// Lognormal times exp(s z), s^2 = ln(1 + cv^2): their correlation is (exp(r s^2) - 1) / cv^2 (Johnson, Kotz &
// Balakrishnan 1994, ch. 14). For cv 1: 0.5 for r = ln(1.5)/ln(2).
TEST(Correlation, OfTheScoresIsExactForLognormalTimes) {
  for (const double cv : {0.1, 1.0, 3.0})
    for (const double lag1 : {0.1, 0.5, 0.9})
      EXPECT_NEAR(score_correlation({DistributionKind::lognormal, cv, {}}, lag1),
                  std::log1p(lag1 * cv * cv) / std::log1p(cv * cv), 1e-4)
          << cv << " " << lag1;
}

// Uniform times: the correlation of their scores is 2 sin(pi lag1 / 6) (Pearson 1907; Kruskal 1958 sec. 5).
TEST(Correlation, OfTheScoresIsExactForUniformTimes) {
  for (const double lag1 : {0.1, 0.5, 0.9})
    EXPECT_NEAR(score_correlation({DistributionKind::uniform, 0.4, {}}, lag1), 2.0 * std::sin(M_PI * lag1 / 6.0), 1e-4);
}

/// Mean and standard error, of batches that hardly depend on each other.
std::pair<double, double> of_batches(const std::vector<double>& values) {
  constexpr std::size_t kBatches = 50;
  const std::size_t size = values.size() / kBatches;
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t b = 0; b < kBatches; ++b) {
    double batch = 0.0;
    for (std::size_t i = 0; i < size; ++i) batch += values[b * size + i] / static_cast<double>(size);
    sum += batch;
    squares += batch * batch;
  }
  const double mean = sum / kBatches;
  return {mean, std::sqrt((squares / kBatches - mean * mean) / (kBatches - 1))};
}

TEST(Correlation, DrawsHaveTheirDistributionAndTheCorrelation) {
  using enum DistributionKind;
  const std::vector<Distribution> shapes{{exponential, 1.0, {}},
                                         {gamma, 0.3, {}},
                                         {weibull, 2.0, {}},
                                         empirical_distribution({1.0, 1.0, 1.0, 2.0, 7.0}).shape};
  for (const Distribution& shape : shapes) {
    CorrelatedDraws draws(shape, score_correlation(shape, 0.6), stream());
    const double variance = shape.cv * shape.cv;
    std::vector<double> values;
    std::vector<double> squares;
    std::vector<double> products;
    double before = 0.0;
    for (std::uint32_t i = 0; i <= 200'000; ++i) {
      const double deviation = draws.next(i) - 1.0;
      if (i > 0)
        values.push_back(deviation), squares.push_back(deviation * deviation / variance),
            products.push_back(deviation * before / variance);
      before = deviation;
    }
    const auto expect = [&](const std::vector<double>& sample, double exact) {
      const auto [mean, error] = of_batches(sample);
      expect_within_6_errors(mean, exact, error);
    };
    expect(values, 0.0);
    expect(squares, 1.0);
    expect(products, 0.6);
  }
}

const char* const kJob = R"(
platform: {hosts: {w: {count: 4}, s: {count: 2, nic: 10 MBps}}}
model: {bytes: 0 B}
job:
  workers: {on: w}
  servers: {on: s}
  compute: {mean: 1 s, distribution: lognormal, cv: 0.5}
)";

Layout layout_of(const std::string& disturbances, const std::filesystem::path& folder = {}) {
  return read_scenario_text("s.yaml", std::string(kJob) + "  disturbances: [" + disturbances + "]\n", folder,
                            {"run.engine=fluid"})
      .layout;
}

TEST(Disturbances, FactorsOfWindowsMultiply) {
  const Layout layout = layout_of(
      "{slow: {workers: w, factor: 2, from: 10 s, until: 30 s}}, {slow: {workers: [w-1, w-2.0], factor: 3, from: 20 "
      "s}}");
  const auto steps = [&](std::size_t worker) {
    std::vector<std::pair<double, double>> result;
    for (const auto& step : layout.workers[worker].slowness) result.emplace_back(step.at.si, step.factor);
    return result;
  };
  using Steps = std::vector<std::pair<double, double>>;
  EXPECT_EQ(steps(0), (Steps{{0.0, 1.0}, {10.0, 2.0}, {30.0, 1.0}}));
  for (const std::size_t both : {1U, 2U})
    EXPECT_EQ(steps(both), (Steps{{0.0, 1.0}, {10.0, 2.0}, {20.0, 6.0}, {30.0, 3.0}}));
}

TEST(Disturbances, WindowsThatMeetAreOne) {
  const Layout layout = layout_of(
      "{leave: {workers: w-0, from: 5 s, until: 7 s}}, {leave: {workers: w, from: 1 s, until: 2 s}},"
      "{leave: {workers: w-0, from: 2 s, until: 3 s}}, {stall: {servers: [s-1, server-1], from: 1 s, until: 2 s}}");
  EXPECT_EQ(layout.workers[0].away,
            (std::vector<TimeWindow>{{Seconds{1.0}, Seconds{3.0}}, {Seconds{5.0}, Seconds{7.0}}}));
  EXPECT_EQ(layout.workers[1].away, (std::vector<TimeWindow>{{Seconds{1.0}, Seconds{2.0}}}));
  EXPECT_TRUE(layout.servers[0].stalls.empty());
  EXPECT_EQ(layout.servers[1].stalls, (std::vector<TimeWindow>{{Seconds{1.0}, Seconds{2.0}}}));
}

TEST(Disturbances, ALinkFollowsACsvFile) {
  const TemporaryFolder folder;
  folder.write("trace.csv", "time_s,free_mbps\n0,100\n10,50\n20,100\n");
  const Layout layout = layout_of(
      "{link: {of: s-1, direction: down, file: trace.csv, column: free_mbps, full: 100, period: 40 s}}", folder.path());
  ASSERT_EQ(layout.cluster.profiles.size(), 1U);
  const BandwidthProfile expected{Seconds{40.0}, {{{}, 1.0}, {Seconds{10.0}, 0.5}, {Seconds{20.0}, 1.0}}};
  EXPECT_EQ(layout.cluster.profiles[0], expected);
  for (std::size_t i = 0; i < layout.cluster.links.size(); ++i)
    EXPECT_EQ(layout.cluster.links[i].profile, static_cast<int>(i) == Cluster::down(5) ? 0 : -1) << i;
}

TEST(Disturbances, AreWrittenAsTheyCanBeReadAgain) {
  const std::string all =
      "{slow: {workers: w, factor: 2, until: 9 s}}, {regimes: {workers: [w-0, w-1], healthy: 9 s, slow: 1 s, factor: "
      "3}},"
      "{correlation: {workers: w, lag1: 0.5}}, {link: {of: s, direction: up, steps: [{at: 1 s, share: 0.5}]}},"
      "{leave: {workers: w-2}}, {stall: {servers: s, from: 1 s, until: 2 s}}";
  const std::string text = std::string(kJob) + "  disturbances: [" + all + "]\nrun: {engine: fluid}\n";
  const Tree once = effective_tree(read_scenario_text("s.yaml", text, {}).spec);
  const Tree again = effective_tree(read_scenario_text("s.yaml", to_yaml(once), {}).spec);
  EXPECT_EQ(to_yaml(once), to_yaml(again));
  EXPECT_EQ(once.find("job")->find("disturbances")->items.size(), 6U);
}

const char* const kStar = R"(
platform: {hosts: {w: {count: 4, nic: 10 MBps}, s: {count: 1}}}
model: {bytes: 1 MB}
job:
  workers: {on: w}
  servers: {on: s, update: {fixed: 1 ms}}
  compute: {mean: 1 s, distribution: gamma, cv: 0.3}
)";

/// The gradients of a worker that are applied in a window.
long long applied(const Simulated& run, int worker, double from_s, double until_s) {
  return std::ranges::count_if(run.updates, [&](const Json& update) {
    return update["worker"] == worker && update["ended"] >= from_s && update["ended"] < until_s;
  });
}

/// All policies, with parameters for four workers.
const std::vector<std::string> kPolicies{"asp",
                                         "bsp",
                                         "{ssp: {slack: 2}}",
                                         "{bounded_delay: {delay: 2}}",
                                         "{dssp: {low: 1, high: 4}}",
                                         "{dssp: {low: 1, high: 4, cap: true}}",
                                         "{dsp: {slack: 2, high: 8}}",
                                         "{backup_workers: {extra: 1}}",
                                         "{k_sync: {k: 3}}",
                                         "{k_batch_sync: {k: 3}}",
                                         "{k_async: {k: 3}}",
                                         "{k_batch_async: {k: 3}}",
                                         "{n_softsync: {n: 2}}"};

class Leaving : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

// Worker 0 is away from 100 until 200 s, worker 1 for good from 150 s, and all at once from 250 until 260 s. Whoever is
// here goes on: at the pace of the slowest of four, a step takes at most about 2.2 s with its 0.2 s of transfers and
// waiting, so that 40 s give at least 10 steps for each of
// them, though under some policies those of the fastest count.
TEST_P(Leaving, NobodyHoldsUpTheOthers) {
  const auto& [policy, exchange] = GetParam();
  for (const char* engine : {"fluid", "simgrid"}) {
    const Simulated run =
        simulate_yaml(std::string(kStar) +
                          "  disturbances: [{leave: {workers: w-0, from: 100 s, until: 200 s}}, {leave: {workers: w-1, "
                          "from: 150 s}},\n"
                          "    {leave: {workers: w, from: 250 s, until: 260 s}}]\nrun: {time: 400 s, warmup: 0}\n",
                      {"job.sync=" + policy, "job.exchange=" + exchange, std::string("run.engine=") + engine}, true);
    ASSERT_EQ(run.error, "");
    const double margin_s = 5.0;  // of what had been pushed, or is read first
    EXPECT_EQ(applied(run, 0, 100 + margin_s, 200), 0);
    EXPECT_EQ(applied(run, 1, 150 + margin_s, 1e9), 0);
    const auto of_all = [&](std::initializer_list<int> workers, double from_s, double until_s) {
      long long sum = 0;
      for (const int worker : workers) sum += applied(run, worker, from_s, until_s);
      return sum;
    };
    EXPECT_GE(of_all({2, 3}, 105, 145), 20) << engine;
    EXPECT_GE(of_all({2, 3}, 155, 195), 20) << engine;
    EXPECT_GE(of_all({0, 2, 3}, 205, 245), 30) << engine;
    EXPECT_EQ(of_all({0, 2, 3}, 250 + margin_s, 260), 0);
    EXPECT_GE(of_all({0, 2, 3}, 265, 305), 30) << engine;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Leaving,
                         testing::Combine(testing::ValuesIn(kPolicies), testing::Values("separate", "fused")));

// Alone, with constant times: request and reply take 0.1 s, a step 1 s, the push 0.1 s. Slowed by 3 from 10 s until 13
// s. Steps of 1.2 s begin at 0, 1.2 ... 9.6 s; the ninth computes from 9.7 s: 0.3 s until 10 s, then 0.7 s of work
// in 2.1 s.
TEST(Disturbances, ASlowWorkerTakesItsTime) {
  const Simulated run = simulate_yaml(
      R"(
platform: {hosts: {w: {count: 1, nic: 10 MBps}, s: {count: 1}}}
model: {bytes: 1 MB}
job:
  workers: {on: w}
  servers: {on: s}
  compute: {mean: 1 s}
  disturbances: [{slow: {workers: w-0, factor: 3, from: 10 s, until: 13 s}}]
run: {updates: 20, warmup: 0}
)",
      {}, true);
  ASSERT_EQ(run.error, "");
  EXPECT_NEAR(run.steps[8]["began"].get<double>(), 9.6, 1e-9);
  EXPECT_NEAR(run.steps[8]["compute"].get<double>(), 0.3 + 2.1, 1e-9);
  EXPECT_NEAR(run.steps[9]["began"].get<double>(), 12.2, 1e-9);
  // From 12.3 s: 0.7 s at a third of the speed, then 0.7667 s.
  EXPECT_NEAR(run.steps[9]["compute"].get<double>(), 0.7 + 1.0 - 0.7 / 3.0, 1e-9);
  EXPECT_NEAR(run.steps[10]["compute"].get<double>(), 1.0, 1e-9);
}

// 1 MB at 10 MBps; from 0.05 s on half of it: the first pull takes 0.05 + 0.05/0.5 s. The push goes up, at full speed.
TEST(Disturbances, ALinkChangesInOneDirection) {
  const Simulated run = simulate_yaml(
      R"(
platform: {hosts: {w: {count: 1, nic: 10 MBps}, s: {count: 1}}}
model: {bytes: 1 MB}
job:
  workers: {on: w}
  servers: {on: s}
  compute: {mean: 1 s}
  disturbances: [{link: {of: w, direction: down, steps: [{at: 0.05 s, share: 50 %}]}}]
run: {updates: 5, warmup: 0, engine: fluid}
)",
      {}, true);
  ASSERT_EQ(run.error, "");
  EXPECT_NEAR(run.steps[0]["pull"].get<double>(), 0.15, 1e-9);
  EXPECT_NEAR(run.steps[1]["pull"].get<double>(), 0.2, 1e-9);
  EXPECT_NEAR(run.steps[0]["push"].get<double>(), 0.1, 1e-9);
}

// Without a network a worker's steps in a long time are its mean speed, (30 + 10/4)/40 of one a second. Correlated
// steps keep their mean.
TEST(Disturbances, TheModelHasTheirLongRun) {
  for (const char* disturbance :
       {"{regimes: {workers: w, healthy: 30 s, slow: 10 s, factor: 4}}", "{correlation: {workers: w, lag1: 0.5}}"}) {
    const Simulated run = simulate_yaml(std::string(kJob) + "  disturbances: [" + disturbance +
                                        "]\nrun: {updates: 100000, engine: fluid}\n");
    ASSERT_EQ(run.error, "");
    const double predicted = run.result["predicted"]["updates_per_s"];
    EXPECT_NEAR(predicted, disturbance[1] == 'r' ? 4.0 * 13.0 / 16.0 : 4.0, 1e-9);
    expect_within_6_errors(run.updates_per_s(), predicted, run.updates_per_s_error());
  }
}

}  // namespace
}  // namespace stagger
