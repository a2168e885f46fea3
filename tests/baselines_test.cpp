// The baselines that a model has to beat, and the comparison of all of them with measured throughputs.
#include "analysis/baselines.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/base/input_error.hpp"
#include "sim/output/json.hpp"
#include "sim/output/measured_table.hpp"
#include "sim/study/compare_measured.hpp"
#include "sim/study/run.hpp"
#include "tests/data/temporary_folder.hpp"

namespace stagger {
namespace {

using Points = std::vector<ScalingPoint>;
using Json = nlohmann::json;

// ---- the methods

TEST(LinearScaling, IsInProportion) { EXPECT_DOUBLE_EQ(linear_scaling({2.0, 3.0}, 8.0), 12.0); }

TEST(Interpolation, IsOnTheLineBetweenTheNeighbours) {
  // A third of the way from 2 workers (3/s) to 5 (6/s): 3 + 1/3 * 3.
  const Points points{{1.0, 2.0}, {2.0, 3.0}, {5.0, 6.0}, {9.0, 7.0}};
  EXPECT_DOUBLE_EQ(interpolate(points, 3.0).value(), 4.0);
  EXPECT_DOUBLE_EQ(interpolate(points, 5.0).value(), 6.0);
}

TEST(Interpolation, HasNoValueOutsideThePoints) {
  const Points points{{2.0, 3.0}, {5.0, 6.0}};
  EXPECT_EQ(interpolate(points, 1.0), std::nullopt);
  EXPECT_EQ(interpolate(points, 6.0), std::nullopt);
  EXPECT_EQ(interpolate({}, 1.0), std::nullopt);
}

TEST(Ernest, FitIsTheNonNegativeLeastSquaresOfScipy) {
  // scipy.optimize.nnls of the columns 1, 1/n, log n, n and 1 / per_s, SciPy 1.10.1; one or two of the bounds bind.
  struct Case {
    Points points;
    std::array<double, 4> theta;
  };
  for (const auto& [points, theta] :
       {Case{{{1, 0.95}, {2, 1.7}, {4, 3.1}, {8, 4.6}, {16, 5.2}, {24, 4.9}},
             {0.06902552431195844, 0.9862664405925564, 0.0, 0.0038379879634612263}},
        Case{{{1, 1}, {2, 1.9}, {4, 3.5}, {8, 6.2}, {16, 9.8}, {24, 11.5}},
             {0.04465561306907707, 0.9569258863771227, 0.0, 8.513466031982573e-06}},
        Case{{{1, 2}, {2, 3.5}, {3, 4.4}, {5, 4.1}, {8, 2.2}}, {0.0, 0.428768842259816, 0.0, 0.04335221721779865}},
        Case{{{1, 1}, {2, 1.5}, {4, 1.9}, {6, 2.1}, {10, 2.2}},
             {0.2768909860660001, 0.7223914163178335, 0.04574838878746984, 0.0}}})
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(fit_ernest(points)[i], theta[i], 1e-12) << i;
}

TEST(Ernest, FindsTheTermsThatMadeThePoints) {
  // 1/X = 0.1 + 0.9/n + 0.05 log n + 0.002 n, without noise.
  const std::array<double, 4> theta{0.1, 0.9, 0.05, 0.002};
  const auto per_s = [&](double n) { return 1.0 / (0.1 + 0.9 / n + 0.05 * std::log(n) + 0.002 * n); };
  Points points;
  for (const double n : {1.0, 2.0, 4.0, 8.0, 16.0}) points.push_back({n, per_s(n)});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(fit_ernest(points)[i], theta[i], 1e-10) << i;
  EXPECT_NEAR(ernest(points, 64.0).value(), per_s(64.0), 1e-8);
}

TEST(Ernest, OfTwoPointsIsAmdahlsLaw) {
  // 1/X: 1 and 0.6 = theta_0 + theta_1 / 2, so theta_1 = 0.8 and theta_0 = 0.2; at 8 workers 0.2 + 0.1 = 0.3 s.
  const Points points{{1.0, 1.0}, {2.0, 1.0 / 0.6}};
  const std::array<double, 4> theta = fit_ernest(points);
  EXPECT_NEAR(theta[0], 0.2, 1e-12);
  EXPECT_NEAR(theta[1], 0.8, 1e-12);
  EXPECT_NEAR(ernest(points, 8.0).value(), 1.0 / 0.3, 1e-9);
  EXPECT_EQ(ernest(Points{{1.0, 1.0}}, 8.0), std::nullopt);
}

// ---- reading

std::string first_line_of(const InputError& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

/// The first line of what is wrong with a file of these contents, without its folder; "": nothing.
std::string wrong_with(const std::string& text) {
  const TemporaryFolder folder;
  try {
    (void)read_measured(folder.write("m.csv", text));
    return "";
  } catch (const InputError& error) {
    const std::string line = first_line_of(error);
    return line.substr(line.rfind("m.csv"));
  }
}

TEST(MeasuredFile, IsReadInAnyOrderAndWithOtherColumns) {
  const TemporaryFolder folder;
  const MeasuredCurve curve = read_measured(
      folder.write("m.csv", "\xEF\xBB\xBFrun,examples_per_s, workers\r\n\"a, b\",12.5,8\r\n\r\nc, 2e0 , 1\r\n"));
  EXPECT_TRUE(curve.of_examples);
  ASSERT_EQ(curve.points.size(), 2U);
  EXPECT_EQ(curve.points[0].workers, 1);
  EXPECT_EQ(curve.points[0].per_s, 2.0);
  EXPECT_EQ(curve.points[1].workers, 8);
  EXPECT_EQ(curve.points[1].per_s, 12.5);
}

TEST(MeasuredFile, MistakesAreFoundWhereTheyAre) {
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"", "m.csv:1:1: there is no header line"},
           {"\n\n", "m.csv:2:1: there is no header line"},
           {"workers,updates_per_s\n", "m.csv:1:1: there is no measured point"},
           {"workers,per_s\n1,2\n", "m.csv:1:1: there is no column with what was measured"},
           {"updates_per_s\n2\n", "m.csv:1:1: there is no column 'workers'"},
           {"workers,updates_per_s,examples_per_s\n1,2,3\n", "m.csv:1:1: both updates_per_s and examples_per_s"},
           {"workers,updates_per_s,workers\n1,2,3\n", "m.csv:1:23: a second column 'workers'"},
           {"workers,updates_per_s\n1,2\n2\n", "m.csv:3:1: the line is too short"},
           {"workers,updates_per_s\n1.5,2\n", "m.csv:2:1: '1.5' is not a count"},
           {"workers,updates_per_s\n0,2\n", "m.csv:2:1: '0' is out of range for 'workers'"},
           {"workers,updates_per_s\n-3,2\n", "m.csv:2:1: '-3' is out of range for 'workers'"},
           {"workers,updates_per_s\n1,fast\n", "m.csv:2:3: 'fast' is not a number without dimension"},
           {"workers,updates_per_s\n\"1\",0\n", "m.csv:2:5: '0' is out of range for 'updates_per_s'"},
           {"workers,updates_per_s\n1,-2\n", "m.csv:2:3: '-2' is out of range for 'updates_per_s'"},
           {"workers,updates_per_s\n1,inf\n", "m.csv:2:3: 'inf' is not a number without dimension"},
           {"workers,updates_per_s\n1,15 %\n", "m.csv:2:3: '15 %' is a share"},
           {"workers,updates_per_s\n4,2\n\n4,3\n", "m.csv:4:1: line 2 has 4 workers too"},
           {"workers,updates_per_s\n1,\\q2\n", "m.csv:2:1: "},
           {"workers,updates_per_s\n1,\x1B[2J\n", "m.csv:2:3: "}})
    EXPECT_TRUE(wrong_with(text).starts_with(says)) << text << "\n" << wrong_with(text);
  std::string many = "workers,updates_per_s\n";
  for (int i = 1; i <= 1001; ++i) many += fmt::format("{},1\n", i);
  EXPECT_TRUE(wrong_with(many).ends_with(": 1001 points")) << wrong_with(many);
}

TEST(MeasuredFile, AllMistakesAreShownAtOnce) {
  const TemporaryFolder folder;
  try {
    (void)read_measured(folder.write("m.csv", "workers,updates_per_s\nx,1\n2,y\n3,0\n"));
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().size(), 3U) << error.what();
  }
}

// ---- more workers

/// A second of computing, and a free network: N workers make exactly N updates a second.
const std::string kFree =
    "platform: {hosts: {w: {count: 10}, s: {}}}\n"
    "model: {bytes: 0 B}\n"
    "job:\n"
    "  workers: {on: w, count: 2}\n"
    "  servers: {on: s, count: 1}\n"
    "  batch: 32\n"
    "  compute: {mean: 1 s, distribution: exponential}\n";

Scenario free_scenario(const std::string& text = kFree) { return read_scenario_text("free.yaml", text, {}); }

TEST(WithWorkers, IsTheScenarioThatSetMakes) {
  const Scenario changed = with_workers(free_scenario(), 7);
  const Scenario set = read_scenario_text("free.yaml", kFree, {}, {"job.workers.count=7"});
  EXPECT_EQ(to_yaml(effective_tree(changed.spec)), to_yaml(effective_tree(set.spec)));
  EXPECT_EQ(changed.layout.workers.size(), 7U);
  EXPECT_EQ(changed.layout.workers.back().name, set.layout.workers.back().name);
}

TEST(WithWorkers, WhatCannotBeIsRefused) {
  std::string groups = kFree;
  groups.replace(groups.find("{on: w, count: 2}"), 17, "[{on: w, count: 2}, {on: w, count: 1}]");
  for (const auto& [text, workers, says] :
       {std::tuple{kFree, 11, "free.yaml with 11 workers: 11 workers do not fit on the 10 hosts of 'w'"},
        std::tuple{groups, 4, "free.yaml: job.workers has 2 groups"}}) {
    try {
      (void)with_workers(free_scenario(text), workers);
      ADD_FAILURE() << says;
    } catch (const InputError& error) {
      EXPECT_TRUE(first_line_of(error).starts_with(says)) << error.what();
    }
  }
}

// ---- the comparison

// The model says N. Linear from the first point: N too. Interpolated at 2: 1 + (3 - 1)/3 = 5/3. Regression at 4 from
// 1/X = 1 and 5/9: theta_1 = 8/9 and theta_0 = 1/9, 1/9 + 2/9 = 1/3.
MeasuredComparison by_hand() { return compare_measured(free_scenario(), {false, {{1, 1.0}, {2, 1.8}, {4, 3.0}}}); }

TEST(CompareMeasured, GivesEachMethodOnlyWhatItMayKnow) {
  const MeasuredComparison comparison = by_hand();
  EXPECT_EQ(comparison.quantity, "updates_per_s");
  const std::vector<std::vector<std::optional<double>>> expected{{1.0, 2.0, 4.0},
                                                                 {std::nullopt, 2.0, 4.0},
                                                                 {std::nullopt, 5.0 / 3.0, std::nullopt},
                                                                 {std::nullopt, std::nullopt, 3.0}};
  for (std::size_t m = 0; m < 4; ++m)
    for (std::size_t i = 0; i < 3; ++i) {
      const std::optional<double>& said = comparison.methods[m].per_s[i];
      ASSERT_EQ(said.has_value(), expected[m][i].has_value()) << m << " " << i;
      EXPECT_NEAR(said.value_or(0.0), expected[m][i].value_or(0.0), 1e-9) << m << " " << i;
    }
}

TEST(CompareMeasured, JudgesEachMethodBesideTheModelOnTheSamePoints) {
  // Errors of N: 0, 1/9, 1/3. Interpolation: (5/3) / 1.8 - 1 = -2/27.
  const MeasuredComparison comparison = by_hand();
  const auto& [model, linear, interpolation, regression] =
      std::tie(comparison.methods[0], comparison.methods[1], comparison.methods[2], comparison.methods[3]);
  EXPECT_NEAR(model.mean_error.value(), 4.0 / 27.0, 1e-9);
  EXPECT_NEAR(linear.mean_error.value(), 2.0 / 9.0, 1e-9);
  EXPECT_NEAR(interpolation.mean_error.value(), 2.0 / 27.0, 1e-9);
  EXPECT_NEAR(regression.mean_error.value(), 0.0, 1e-9);
  EXPECT_NEAR(model.model_mean_error.value(), 4.0 / 27.0, 1e-9);
  EXPECT_NEAR(linear.model_mean_error.value(), 2.0 / 9.0, 1e-9);
  EXPECT_NEAR(interpolation.model_mean_error.value(), 1.0 / 9.0, 1e-9);
  EXPECT_NEAR(regression.model_mean_error.value(), 1.0 / 3.0, 1e-9);
  EXPECT_EQ(model.kendall_tau, 1.0);
  EXPECT_EQ(regression.kendall_tau, std::nullopt) << "one point has no order";
}

TEST(CompareMeasured, OfExamplesCountsTheBatch) {
  const MeasuredComparison comparison = compare_measured(free_scenario(), {true, {{3, 90.0}}});
  EXPECT_EQ(comparison.quantity, "examples_per_s");
  EXPECT_NEAR(comparison.methods[0].per_s[0].value(), 3 * 32.0, 1e-9);
  EXPECT_EQ(comparison.methods[1].mean_error, std::nullopt);
}

TEST(CompareMeasured, IsATableAndPartOfTheJson) {
  const std::string table = measured_table(by_hand());
  EXPECT_EQ(table.substr(0, table.find("\nMVA: ")),
            "Updates/s, measured and by four methods, with their errors\n\n"
            " workers  measured            MVA         linear  interpolation     regression\n"
            "       1         1       1  +0.0%\n"
            "       2       1.8       2 +11.1%       2 +11.1%   1.667  -7.4%\n"
            "       4         3       4 +33.3%       4 +33.3%                      3  +0.0%\n"
            "mean |error|                14.8%          22.2%           7.4%           0.0%\n"
            "MVA, same points            14.8%          22.2%          11.1%          33.3%\n"
            "Kendall's tau               1.000          1.000\n");
  RunResult result = predict_scenario(free_scenario());
  result.predicted.measured = by_hand();
  const Json measured = Json::parse(to_json(result, free_scenario()))["predicted"]["measured"];
  EXPECT_EQ(measured["quantity"], "updates_per_s");
  EXPECT_EQ(measured["points"][1]["workers"], 2);
  EXPECT_EQ(measured["points"][1]["measured_per_s"], 1.8);
  EXPECT_NEAR(measured["points"][1]["interpolation_per_s"], 5.0 / 3.0, 1e-9);
  EXPECT_TRUE(measured["points"][0]["regression_per_s"].is_null());
  EXPECT_EQ(measured["methods"][1]["method"], "linear_scaling");
  EXPECT_NEAR(measured["methods"][1]["mean_absolute_error"], 2.0 / 9.0, 1e-9);
  EXPECT_NEAR(measured["methods"][2]["mva_mean_absolute_error"], 1.0 / 9.0, 1e-9);
  EXPECT_TRUE(measured["methods"][2]["kendall_tau"].is_null());
}

TEST(MeasuredTable, FitsEightyColumnsWhateverIsInIt) {
  MeasuredComparison comparison{"examples_per_s", {1'000'000}, {1.23456e-9}, {}};
  comparison.methods.assign(4, {"mva", {1.23456e15}, 1e24, 1e24, -1.0});
  MeasuredComparison small = comparison;
  small.measured_per_s = {9'999'998.9};
  small.methods.assign(4, {"mva", {1.23456e-30}, 1.0, 0.99949, -1.0});
  for (const std::string& text : {measured_table(comparison), measured_table(small)}) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

// Real jobs (scenarios/measured/); their parameters were known before. The bounds leave room for nothing but rounding.
TEST(Testbed, IsPredictedCloserThanByAnyBaseline) {
  const std::filesystem::path folder = STAGGER_SOURCE_DIR "/scenarios";
  for (const auto& [scenario, data, mean_error] :
       {std::tuple{"testbed-200mbps.yaml", "testbed-200mbps.csv", 0.027},
        std::tuple{"testbed-8-workers.yaml", "testbed-100mbps.csv", 0.013}}) {
    const MeasuredComparison comparison =
        compare_measured(read_scenario(folder / scenario), read_measured(folder / "measured" / data));
    EXPECT_LE(comparison.methods[0].mean_error.value(), mean_error) << scenario;
    for (const MethodResult& baseline : {comparison.methods[1], comparison.methods[2], comparison.methods[3]})
      EXPECT_LT(baseline.model_mean_error.value(), baseline.mean_error.value()) << scenario << " " << baseline.method;
  }
}

}  // namespace
}  // namespace stagger
