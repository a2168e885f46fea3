// What is printed and written: a screen for people, result.json and the CSV files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "sim/base/input_error.hpp"
#include "sim/output/bar_chart.hpp"
#include "sim/output/csv.hpp"
#include "sim/output/json.hpp"
#include "sim/output/summary.hpp"
#include "tests/data/temporary_folder.hpp"

namespace stagger {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;  // the order of host groups matters
using Lines = std::vector<std::string>;

Scenario scenario_with(const std::vector<std::string>& sets = {}) {
  const TemporaryFolder folder;
  Scenario scenario = read_scenario(folder.write("s.yaml", R"(
platform:
  hosts:
    worker: {count: 2, nic: 10 Gbps, price: $0.90/h}
    server: {count: 1, nic: {bandwidth: 10 Gbps, latency: 30 us}}
model: {name: small, bytes: 100 MB}
job:
  workers: {on: worker}
  servers: {on: server, update: {rate: 4 GBps}}
  batch: 32
  compute: {mean: 300 ms, distribution: gamma, cv: 0.2}
run: {seed: 5, updates: 100}
)"),
                                    sets);
  scenario.name = "s.yaml";
  return scenario;
}

/// A result with something in every field.
RunResult result() {
  SimulatedResult simulated;
  simulated.time_s = 100.5;
  simulated.updates = 20'000.0;
  simulated.warmup_updates = 10.0;
  simulated.warmup_s = 1.5;
  simulated.updates_per_s = {199.0, 198.0, 200.0, 0.95, 0.5};
  simulated.examples_per_s = {6368.0, 6336.0, 6400.0, 0.95, 16.0};
  simulated.staleness = {0.75, 0.01, 0.6875, 1, 2, 2, 2, {0.5, 0.25, 0.25}};
  simulated.workers = {{"worker-0.0", 10'000.0, 99.5, 0.75, 0.5, 0.25, 0.125, 0.125}};
  simulated.servers = {{"server-0", "server-0", 20'000.0, 2e12, 2e12, 0.25, 0.5}};
  simulated.links = {{"server-0", "up", 2e12, 0.75}};
  simulated.stations = {{"compute", "delay", 0.3, 0.5, 1.0, 0.3}};
  simulated.warnings = {"the run is short"};
  PredictedResult predicted;
  predicted.method = "exact MVA";
  predicted.updates_per_s = 201.0;
  predicted.examples_per_s = 6432.0;
  predicted.bounds = {150.0, 250.0};
  predicted.capacity_upper_updates_per_s = 300.0;
  predicted.knee_workers = 5.5;
  predicted.staleness = {"by renewals", 1.0, 0.5, {0.25, 0.5, 0.25}, {{"w-0.0", 2, 1.0, 0.5, {0.25, 0.5, 0.25}}}};
  predicted.stations = {{"compute", "delay", 0.3, 0.5, 1.0, 0.3}};
  predicted.sensitivities = {{"compute speed", 0.1, 0.038}, {"update speed", 0.1, 0.002}, {"1/latency", 0.1, 0.0}};
  RunResult run;
  run.scenario = "s.yaml";
  run.seed = 5;
  run.engine = "simgrid";
  run.versions = {"0.1.0", "3.32"};
  run.simulated = simulated;
  run.predicted = predicted;
  run.check = CheckResult{0.01, 0.25, std::nullopt, false, Verdict::disagree, {"the throughput differs"}};
  run.bottlenecks = {{"server-0 send link", 0.75, 0.25}, {"worker-0.0 compute", 0.5, std::nullopt}};
  run.cost = CostResult{1.8, 0.08};
  return run;
}

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Code points of a UTF-8 text: every byte but the continuations.
long columns_of(const std::string& line) {
  return std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

void expect_width(const std::string& text, long most) {
  const Lines lines = lines_of(text);
  const auto widest = std::ranges::max_element(lines, {}, columns_of);
  EXPECT_LE(columns_of(*widest), most) << *widest;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// ---- the chart

TEST(PmfChart, DrawsABarForEachValue) {
  EXPECT_EQ(pmf_chart({0.25, 0.5, 0.25}, 10, 32),
            "          0  25.0 % #####\n"
            "          1  50.0 % ##########\n"
            "          2  25.0 % #####\n");
}

TEST(PmfChart, JoinsNeighboursWhenThereAreTooManyValues) {
  EXPECT_EQ(pmf_chart({0.1, 0.2, 0.3, 0.2, 0.2}, 3, 32),
            "        0-1  30.0 % ######\n"
            "        2-3  50.0 % ##########\n"
            "          4  20.0 % ####\n");
}

TEST(PmfChart, NamesWhatIsTooRareToDraw) {
  EXPECT_EQ(pmf_chart({0.0, 0.0005, 0.999, 0.0, 0.0005}, 10, 32),
            "          2  99.9 % ##########\n"
            "      other  0.10 % (largest: 4)\n");
}

// Before and after, each summed once; value by value they would be 10^12 additions, and the test would time out.
TEST(PmfChart, PassesOverAMillionRareValues) {
  std::vector<double> pmf(2'000'001, 1e-10);
  pmf[1'000'000] = 0.9998;
  EXPECT_EQ(pmf_chart(pmf, 10, 32),
            "    1000000 100.0 % ##########\n"
            "      other  0.02 % (largest: 2000000)\n");
}

TEST(PmfChart, HasAtMostSoManyRowsAndColumnsAndLosesNothing) {
  std::mt19937 random(1);
  for (const std::size_t size : {1U, 2U, 9U, 10U, 11U, 100U, 1234U}) {
    std::vector<double> pmf(size);
    double total = 0.0;
    for (double& p : pmf) total += p = std::pow(std::uniform_real_distribution<>()(random), 4);
    for (double& p : pmf) p /= total;
    const std::string chart = pmf_chart(pmf, 10, 80);
    expect_width(chart, 80);
    const Lines lines = lines_of(chart);
    EXPECT_LE(lines.size(), 11U);
    double shown = 0.0;
    for (const std::string& line : lines) shown += std::stod(line.substr(11));
    EXPECT_NEAR(shown, 100.0, 0.05 * static_cast<double>(lines.size()));
  }
}

// ---- result.json

/// The keys of the contract; [] stands for each item of a list.
const Lines kContract{"schema",
                      "scenario",
                      "seed",
                      "engine",
                      "versions.stagger",
                      "versions.simgrid",
                      "effective.platform",
                      "effective.model",
                      "effective.job",
                      "effective.run",
                      "simulated.time_s",
                      "simulated.updates",
                      "simulated.warmup_updates",
                      "simulated.updates_per_s.mean",
                      "simulated.updates_per_s.ci_low",
                      "simulated.updates_per_s.ci_high",
                      "simulated.updates_per_s.confidence",
                      "simulated.examples_per_s.mean",
                      "simulated.examples_per_s.ci_low",
                      "simulated.examples_per_s.ci_high",
                      "simulated.examples_per_s.confidence",
                      "simulated.staleness.mean",
                      "simulated.staleness.variance",
                      "simulated.staleness.p50",
                      "simulated.staleness.p90",
                      "simulated.staleness.p99",
                      "simulated.staleness.max",
                      "simulated.staleness.pmf[]",
                      "simulated.workers[].name",
                      "simulated.workers[].updates",
                      "simulated.workers[].updates_per_s",
                      "simulated.workers[].staleness_mean",
                      "simulated.workers[].compute_share",
                      "simulated.workers[].pull_share",
                      "simulated.workers[].push_share",
                      "simulated.workers[].wait_share",
                      "simulated.servers[].name",
                      "simulated.servers[].updates",
                      "simulated.servers[].bytes_in",
                      "simulated.servers[].bytes_out",
                      "simulated.servers[].update_utilization",
                      "simulated.servers[].queue_mean",
                      "simulated.links[].name",
                      "simulated.links[].direction",
                      "simulated.links[].bytes",
                      "simulated.links[].utilization",
                      "simulated.stations[].name",
                      "simulated.stations[].utilization",
                      "simulated.stations[].queue_mean",
                      "simulated.stations[].residence_s",
                      "predicted.method",
                      "predicted.updates_per_s",
                      "predicted.examples_per_s",
                      "predicted.bounds.lower_updates_per_s",
                      "predicted.bounds.upper_updates_per_s",
                      "predicted.knee_workers",
                      "predicted.staleness.method",
                      "predicted.staleness.mean",
                      "predicted.staleness.variance",
                      "predicted.staleness.pmf[]",
                      "predicted.staleness.kinds[].first_worker",
                      "predicted.staleness.kinds[].pmf[]",
                      "predicted.sensitivities[].resource",
                      "predicted.sensitivities[].more",
                      "predicted.sensitivities[].gain",
                      "predicted.stations[].name",
                      "predicted.stations[].kind",
                      "predicted.stations[].demand_s",
                      "predicted.stations[].utilization",
                      "predicted.stations[].queue_mean",
                      "predicted.stations[].residence_s",
                      "check.throughput_relative_error",
                      "check.staleness_mean_error",
                      "check.staleness_total_variation",
                      "check.within_confidence",
                      "check.verdict",
                      "check.reasons[]",
                      "bottlenecks[].resource",
                      "bottlenecks[].utilization",
                      "bottlenecks[].next_slack"};

/// The value at a path of the contract.
Json at(const Json& json, const std::string& path) {
  const std::size_t dot = path.find('.');
  std::string key = path.substr(0, dot);
  const bool is_list = key.ends_with("[]");
  if (is_list) key.resize(key.size() - 2);
  const Json value = is_list ? json.at(key).at(0) : json.at(key);
  return dot == std::string::npos ? value : at(value, path.substr(dot + 1));
}

TEST(Json, HasEveryKeyOfTheContract) {
  const Json json = Json::parse(to_json(result(), scenario_with()));
  for (const std::string& path : kContract) EXPECT_NO_THROW((void)at(json, path)) << path;
}

TEST(Json, HasTheValuesOfTheResult) {
  const Json json = Json::parse(to_json(result(), scenario_with()));
  EXPECT_EQ(at(json, "schema"), "stagger.result/1");
  EXPECT_EQ(at(json, "seed"), 5);
  EXPECT_EQ(at(json, "simulated.updates_per_s.ci_high"), 200.0);
  EXPECT_EQ(at(json, "simulated.staleness.p90"), 2);
  EXPECT_EQ(json["simulated"]["staleness"]["pmf"], Json({0.5, 0.25, 0.25}));
  EXPECT_EQ(at(json, "simulated.workers[].push_share"), 0.125);
  EXPECT_EQ(at(json, "simulated.links[].utilization"), 0.75);
  EXPECT_EQ(at(json, "predicted.bounds.upper_updates_per_s"), 250.0);
  EXPECT_EQ(at(json, "predicted.staleness.variance"), 0.5);
  EXPECT_EQ(at(json, "check.verdict"), "disagree");
  EXPECT_EQ(at(json, "bottlenecks[].next_slack"), 0.25);
  EXPECT_EQ(json["incomplete"], false);
}

TEST(Json, AMeanWithoutADistributionHasNoVariance) {
  RunResult run = result();
  run.predicted.staleness = {"only the mean", 1.0, std::nullopt, {}, {}};
  run.check->staleness_total_variation.reset();
  EXPECT_EQ(at(Json::parse(to_json(run, scenario_with())), "predicted.staleness.variance"), nullptr);
  EXPECT_TRUE(contains(summary(run, scenario_with()), "\n  model: only the mean\n"));
}

TEST(Json, WritesWholeNumbersAsSuch) {
  const std::string text = to_json(result(), scenario_with());
  EXPECT_TRUE(contains(text, "\"updates\": 20000,")) << text;
  EXPECT_TRUE(contains(text, "\"bytes\": 2000000000000,"));
  EXPECT_TRUE(contains(text, "\"updates_per_s\": 99.5,"));
}

TEST(Json, APredictionAloneHasNothingSimulated) {
  RunResult prediction = result();
  prediction.simulated.reset();
  prediction.check.reset();
  prediction.bottlenecks.clear();
  const Json json = Json::parse(to_json(prediction, scenario_with()));
  EXPECT_TRUE(json.contains("predicted"));
  for (const char* key : {"simulated", "check", "bottlenecks"}) EXPECT_FALSE(json.contains(key)) << key;
}

TEST(Json, RefusesNumbersThatAreNone) {
  for (const double number : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    RunResult run = result();
    run.simulated->staleness.variance = number;
    EXPECT_THROW((void)to_json(run, scenario_with()), SimulationError);
    run = result();
    run.predicted.updates_per_s = number;
    EXPECT_THROW((void)to_json(run, scenario_with()), SimulationError);
    run = result();
    run.simulated->staleness.pmf[1] = number;
    EXPECT_THROW((void)to_json(run, scenario_with()), SimulationError);
  }
}

TEST(Json, TheEffectiveScenarioCanBeReadAgain) {
  const TemporaryFolder folder;
  for (const Lines& sets :
       std::vector<Lines>{{"run.seed=9007199254740992"},
                          {"run={time: 1 h}"},
                          {"run.warmup=3", "job.compute.cv=0.1"},
                          {"job.workers=[{on: worker, count: 1}, {on: worker, count: 1, batch: 7}]"},
                          {"job.compute={distribution: empirical, values: [1 s, 2 s, 6 s]}"},
                          {"platform.name=\"two\\nlines, \\\"quoted\\\", \u00b5\""},
                          {"platform.name=\"null\""},
                          {"platform.name=1.50"},  // texts that look like numbers
                          {"platform.hosts={1.10: {count: 1}, server: {count: 1}}", "job.workers.on=1.10"}}) {
    const Scenario scenario = scenario_with(sets);
    const Json json = Json::parse(to_json(result(), scenario));
    const fs::path file = folder.write("again.yaml", json.at("effective").dump());
    try {
      EXPECT_EQ(to_yaml(effective_tree(read_scenario(file).spec)), to_yaml(effective_tree(scenario.spec)));
    } catch (const InputError& error) {
      ADD_FAILURE() << sets[0] << ": " << error.what();
    }
  }
}

TEST(Json, AFileNameThatIsNoUtf8IsNoFailure) {
  RunResult run = result();
  run.scenario = "caf\xe9.yaml";
  EXPECT_NO_THROW((void)to_json(run, scenario_with()));
}

// ---- CSV

TEST(Csv, HasALineForEachUpdate) {
  const Scenario scenario = scenario_with();
  RunLog log;
  log.updates = {{0.5, 0.5, 1.5, 0, 1, 1, 0, true}, {1.25, 1.5, 2.75, 0, 0, 3, 2, false}};
  std::ostringstream out;
  write_updates_csv(out, log, scenario.layout, 1.5);
  EXPECT_EQ(out.str(),
            "server,worker,step,arrived_s,started_s,ended_s,staleness,new_version,measured\n"
            "server-0,worker-1.0,1,0.5,0.5,1.5,0,1,0\n"
            "server-0,worker-0.0,3,1.25,1.5,2.75,2,0,1\n");
}

TEST(Csv, HasALineForEachStep) {
  const Scenario scenario = scenario_with();
  RunLog log;
  log.steps = {{0.0, 1.5, 0.25, 1.0, 0.125, 0.125, 1, 1}, {1.5, 3.0, 0.25, 1.0, 0.25, 0.0, 1, 2}};
  std::ostringstream out;
  write_steps_csv(out, log, scenario.layout, 1.5);
  EXPECT_EQ(out.str(),
            "worker,step,began_s,ended_s,pull_s,compute_s,push_s,wait_s,measured\n"
            "worker-1.0,1,0,1.5,0.25,1,0.125,0.125,0\n"
            "worker-1.0,2,1.5,3,0.25,1,0.25,0,1\n");
}

TEST(Csv, NumbersReadBackExactly) {
  const Scenario scenario = scenario_with();
  RunLog log;
  log.steps = {{0.1, 1.0 / 3.0, 0.0, 0.0, 0.0, 0.0, 0, 1}};
  std::ostringstream out;
  write_steps_csv(out, log, scenario.layout, 0.0);
  const std::string line = lines_of(out.str()).at(1);
  EXPECT_EQ(std::stod(line.substr(line.find(',', 12) + 1)), 0.1);
  EXPECT_TRUE(contains(line, fmt::format(",{},", 1.0 / 3.0))) << line;
}

// ---- the summary

TEST(Summary, ShowsTheAnswersOfARun) {
  const std::string text = summary(result(), scenario_with());
  for (const char* part :
       {"s.yaml: 2 workers, 1 server, small of 100 MB, asp, separate exchange\n", "20000 updates", "seed 5",
        "updates/s         199 +- 1              201           150 to 250\n", "examples/s        6368 +- 32",
        "median 1", "model: median 1, 90 % at most 2, 99 % at most 2, standard deviation 0.707", "server-0 send link",
        "75.0 % busy", "Knee N* = 5.5 workers", "10 % more compute speed gives +3.8 %, update speed +0.2 %.\n",
        "Cost $1.8/h, $0.08 per million examples\n", "Verdict: disagree", "the throughput differs",
        "warning: the run is short"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(Summary, SaysThatARunWasInterrupted) {
  RunResult run = result();
  EXPECT_FALSE(contains(summary(run, scenario_with()), "INCOMPLETE"));
  run.incomplete = true;
  EXPECT_TRUE(contains(summary(run, scenario_with()), "INCOMPLETE"));
}

TEST(Summary, OfAPredictionSaysWhatTheModelLeavesOut) {
  RunResult prediction = result();
  prediction.simulated.reset();
  prediction.check.reset();
  prediction.predicted.not_covered = {"the workers differ"};
  const std::string text = summary(prediction, scenario_with());
  EXPECT_TRUE(contains(text, "not covered: the workers differ")) << text;
  EXPECT_TRUE(contains(text, "exact MVA"));
  EXPECT_TRUE(contains(text, "  median 1, 90 % at most 2, 99 % at most 2, standard deviation 0.707\n  (by renewals)\n"))
      << text;
  EXPECT_FALSE(contains(text, "simulated"));
}

TEST(Summary, ListsAreIndented) {
  EXPECT_TRUE(contains(summary(result(), scenario_with()), "\n  - the throughput differs\n"));
}

TEST(Summary, FitsEightyColumnsWhateverIsInIt) {
  const std::string sentence =
      "a long sentence of many words that goes on and on, as reasons and warnings often do, "
      "until the reader has forgotten how it began";
  const std::string name(120, 'x');
  RunResult words = result();
  words.check->reasons = {sentence, sentence};
  words.simulated->warnings = {sentence};
  RunResult names = result();
  names.scenario = "a/very/long/path/" + name + ".yaml";
  names.bottlenecks[0].resource = name + "-0 send link";
  names.simulated->stations[0].name = names.predicted.stations[0].name = name;
  RunResult accents = result();
  accents.check->reasons = {
      "Le d\u00e9bit pr\u00e9dit diff\u00e8re \u2013 m\u00eame tr\u00e8s nettement \u2013 de celui "
      "qui a \u00e9t\u00e9 simul\u00e9 et mesur\u00e9"};
  RunResult numbers = result();
  numbers.seed = 9007199254740992U;
  numbers.simulated->time_s = 123456.789e9;
  numbers.simulated->updates = numbers.simulated->warmup_updates = 123456789012.0;
  numbers.simulated->updates_per_s = {1.23456789e-7, 1.2e-7, 1.3e-7, 0.9999, 1e-9};
  numbers.simulated->examples_per_s = {1.23456789e15, 1.2e15, 1.3e15, 0.9999, 1e9};
  numbers.simulated->staleness.pmf.assign(15'000, 1.0 / 15'000);
  numbers.simulated->staleness.max = 14'999;
  numbers.predicted.bounds = {1.23456789e-17, 1.23456789e17};
  numbers.predicted.knee_workers = 123456789.0;
  numbers.check->throughput_relative_error = 123456.789;
  numbers.cost = CostResult{123456789.0, 1.23456e-9};
  numbers.simulated->stations[0].queue_mean = numbers.simulated->stations[0].utilization = 1.23456e-12;
  numbers.predicted.stations[0].queue_mean = 1.23456e-5;
  for (const RunResult& run : {result(), words, names, accents, numbers}) {
    for (const char* set : {"job.sync=asp", "job.sync=bsp"}) {
      Scenario scenario = scenario_with({set});
      expect_width(summary(run, scenario), 80);
      scenario.spec.model.name = name;
      expect_width(summary(run, scenario), 80);
    }
    expect_width(check_heading(true) + check_line(run, true), 80);
  }
  EXPECT_EQ(columns_of("\u00e9\u00b5\u2013x"), 4);
}

TEST(CheckLine, ShowsErrorAndVerdict) {
  EXPECT_EQ(check_heading() + check_line(result()),
            "scenario                           simulated/s predicted/s    error  verdict\n"
            "s.yaml                                199 +- 1         201   +1.00%  disagree\n");
}

TEST(CheckLine, IsFollowedByTheStations) {
  // 0.55 / 0.5 - 1 = 10 %, 0.9 / 1.2 - 1 = -25 %; a station that nobody was at has no relative error.
  RunResult run = result();
  run.simulated->stations = {{"compute", "delay", 0.3, 0.5, 1.2, 0.3}, {"latency", "delay", 0.1, 0.0, 0.0, 0.0}};
  run.predicted.stations = {{"compute", "delay", 0.3, 0.55, 0.9, 0.3}, {"latency", "delay", 0.1, 0.0, 0.25, 0.0}};
  EXPECT_EQ(check_heading(true) + check_line(run, true),
            check_heading() + "  station                    busy predicted    error  workers predicted    error\n" +
                check_line(run) +
                "  compute                  50.00%    55.00%  +10.00%      1.2       0.9  -25.00%\n"
                "  latency                   0.00%     0.00%                 0      0.25         \n");
}

TEST(RankingLine, ComparesTheOrderOfTheScenarios) {
  // Of three pairs, one is in the other order: (2 - 1) / 3.
  EXPECT_EQ(ranking_line({1.0, 2.0, 3.0}, {1.0, 3.0, 2.0}),
            "Kendall's tau-b of the two rankings of 3 scenarios: 0.333\n");
  EXPECT_EQ(ranking_line({1.0, 1.0}, {1.0, 3.0}),
            "Kendall's tau-b of the two rankings of 2 scenarios: none, all are equal\n");
  EXPECT_EQ(ranking_line({1.0}, {1.0}), "");
}

TEST(CheckLine, ShortensALongNameAtItsFront) {
  RunResult run = result();
  run.scenario = "somewhere/in/a/folder/far/away/";
  for (int i = 0; i < 16; ++i) run.scenario += "\u00e9";  // two bytes each
  run.scenario += "-the-end.yaml";
  const std::string line = check_line(run);
  EXPECT_TRUE(contains(line, "\u2026")) << line;
  EXPECT_TRUE(contains(line, "-the-end.yaml ")) << line;
  EXPECT_EQ(columns_of(line), columns_of(check_line(result()))) << line;
  EXPECT_NO_THROW((void)Json(line).dump()) << "a character was cut in two";
}

}  // namespace
}  // namespace stagger
