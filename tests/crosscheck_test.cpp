// The verdict on a prediction, and results that cannot be.
#include "analysis/crosscheck.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sim/base/input_error.hpp"

namespace stagger {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// 100 updates per second with mean staleness 10, both ways.
PredictedResult prediction() {
  PredictedResult predicted;
  predicted.updates_per_s = 100.0;
  predicted.examples_per_s = 6400.0;
  predicted.bounds = {50.0, 110.0};
  predicted.capacity_upper_updates_per_s = 120.0;
  predicted.knee_workers = 20.0;
  predicted.staleness.mean = 10.0;
  predicted.stations = {{"compute", "delay", 1.0, 0.5, 5.0, 1.0}};
  return predicted;
}

SimulatedResult simulation(double mean = 100.0, double half_width = 0.5) {
  SimulatedResult simulated;
  simulated.time_s = 200.0;
  simulated.updates = 20'000.0;
  simulated.updates_per_s = {mean, mean - half_width, mean + half_width, 0.95, half_width / 1.96};
  simulated.examples_per_s = {6400.0, 6300.0, 6500.0, 0.95, 50.0};
  simulated.staleness.mean = 10.0;
  simulated.staleness.standard_error = 0.01;
  simulated.workers = {{"worker-0.0", 20'000.0, 100.0, 10.0, 1.0, 0.0, 0.0, 0.0}};
  simulated.servers = {{"server-0", "server-0", 20'000.0, 1e9, 1e9, 0.4, 0.1}};
  simulated.links = {{"server-0", "down", 1e9, 0.8}};
  simulated.stations = {{"compute", "delay", 1.0, 0.5, 5.0, 1.0}};
  return simulated;
}

std::string first_reason(const PredictedResult& predicted, const SimulatedResult& simulated) {
  const CheckResult check = crosscheck(predicted, simulated);
  EXPECT_EQ(check.verdict, Verdict::disagree);
  return check.reasons.empty() ? "" : check.reasons.front();
}

TEST(Crosscheck, AgreesWithinTheMargin) {
  const CheckResult check = crosscheck(prediction(), simulation(101.0));
  EXPECT_EQ(check.verdict, Verdict::agree);
  EXPECT_TRUE(check.reasons.empty());
  EXPECT_DOUBLE_EQ(check.throughput_relative_error, 100.0 / 101.0 - 1.0);
  EXPECT_DOUBLE_EQ(check.staleness_mean_error, 0.0);
  EXPECT_FALSE(check.staleness_total_variation.has_value());
}

TEST(Crosscheck, APreciseSimulationMayAgreeOutsideItsInterval) {
  const CheckResult check = crosscheck(prediction(), simulation(101.0));
  EXPECT_FALSE(check.within_confidence);
  EXPECT_EQ(check.verdict, Verdict::agree);
  EXPECT_TRUE(crosscheck(prediction(), simulation(100.4)).within_confidence);
}

TEST(Crosscheck, DisagreesWhenTheWholeIntervalIsOutsideTheMargin) {
  EXPECT_EQ(first_reason(prediction(), simulation(104.0)),
            "the predicted throughput differs from the simulated by -3.8 %, more than 2 %");
  EXPECT_EQ(first_reason(prediction(), simulation(96.0)),
            "the predicted throughput differs from the simulated by +4.2 %, more than 2 %");
}

TEST(Crosscheck, AWideIntervalIsNoAgreement) {
  EXPECT_EQ(
      first_reason(prediction(), simulation(100.0, 4.0)),
      "the interval of the simulated throughput is too wide to decide (the error is -3.8 % to +4.2 %): run longer");
  EXPECT_NE(first_reason(prediction(), simulation(103.0, 3.0)).find("run longer"), std::string::npos);
  EXPECT_NE(first_reason(prediction(), simulation(102.0, 0.5)).find("run longer"), std::string::npos);
  EXPECT_NE(first_reason(prediction(), simulation(100.0, 200.0)).find("run longer"), std::string::npos);
}

TEST(Crosscheck, ComparesMeanStaleness) {
  SimulatedResult simulated = simulation();
  simulated.staleness.mean = 10.1;
  EXPECT_EQ(crosscheck(prediction(), simulated).verdict, Verdict::agree);
  EXPECT_DOUBLE_EQ(crosscheck(prediction(), simulated).staleness_mean_error, 10.0 - 10.1);
  simulated.staleness.mean = 11.0;
  EXPECT_EQ(first_reason(prediction(), simulated),
            "the predicted mean staleness differs from the simulated by -10 %, more than 2 %");
  simulated.staleness.mean = 10.0;
  simulated.staleness.standard_error = 0.2;
  EXPECT_NE(first_reason(prediction(), simulated).find("mean staleness is too wide"), std::string::npos);
}

TEST(Crosscheck, SmallStalenessIsComparedWithOne) {
  PredictedResult predicted = prediction();
  SimulatedResult simulated = simulation();
  predicted.staleness.mean = 0.0;
  simulated.staleness = {};
  EXPECT_EQ(crosscheck(predicted, simulated).verdict, Verdict::agree);
  simulated.staleness.mean = 0.019;
  EXPECT_EQ(crosscheck(predicted, simulated).verdict, Verdict::agree);
  simulated.staleness.mean = 0.021;
  EXPECT_EQ(crosscheck(predicted, simulated).verdict, Verdict::disagree);
}

TEST(Crosscheck, WhatIsNotCoveredIsNotJudged) {
  PredictedResult predicted = prediction();
  predicted.not_covered = {"the workers' batches differ"};
  for (const double mean : {100.0, 150.0}) {
    const CheckResult check = crosscheck(predicted, simulation(mean));
    EXPECT_EQ(check.verdict, Verdict::not_covered);
    EXPECT_EQ(check.reasons, predicted.not_covered);
    EXPECT_DOUBLE_EQ(check.throughput_relative_error, 100.0 / mean - 1.0);
  }
}

TEST(Crosscheck, ComparesDistributionsOfStaleness) {
  PredictedResult predicted = prediction();
  SimulatedResult simulated = simulation();
  predicted.staleness.pmf = {0.5, 0.5};
  simulated.staleness.pmf = {0.4, 0.3, 0.3};
  EXPECT_DOUBLE_EQ(crosscheck(predicted, simulated).staleness_total_variation.value(), 0.3);
}

TEST(Physics, PossibleResultsPass) {
  PredictedResult predicted = prediction();
  EXPECT_NO_THROW(check_physics(predicted, simulation()));
  predicted.capacity_upper_updates_per_s = kInf;
  predicted.knee_workers = kInf;
  EXPECT_NO_THROW(check_physics(predicted, simulation()));
}

TEST(Physics, NumbersAreFinite) {
  for (const double bad : {kNan, kInf, -kInf}) {
    std::vector<PredictedResult> predictions(4, prediction());
    predictions[0].updates_per_s = bad;
    predictions[1].staleness.mean = bad;
    predictions[2].bounds.upper_updates_per_s = bad;
    predictions[3].stations[0].queue_mean = bad;
    for (const auto& predicted : predictions) EXPECT_THROW(check_physics(predicted, simulation()), SimulationError);

    std::vector<SimulatedResult> simulations(5, simulation());
    simulations[0].updates_per_s.mean = bad;
    simulations[1].updates_per_s.ci_high = bad;
    simulations[2].staleness.variance = bad;
    simulations[3].workers[0].staleness_mean = bad;
    simulations[4].links[0].utilization = bad;
    for (const auto& simulated : simulations) EXPECT_THROW(check_physics(prediction(), simulated), SimulationError);
  }
  PredictedResult predicted = prediction();
  predicted.knee_workers = kNan;
  EXPECT_THROW(check_physics(predicted, simulation()), SimulationError);
}

TEST(Physics, NothingIsBusierThanAllTheTime) {
  std::vector<SimulatedResult> simulations(3, simulation());
  simulations[0].links[0].utilization = 1.0 + 1e-8;
  simulations[1].servers[0].update_utilization = 1.0 + 1e-8;
  simulations[2].stations[0].utilization = 1.0 + 1e-8;
  for (const auto& simulated : simulations) EXPECT_THROW(check_physics(prediction(), simulated), SimulationError);
  SimulatedResult rounded = simulation();
  rounded.links[0].utilization = 1.0 + 1e-12;
  EXPECT_NO_THROW(check_physics(prediction(), rounded));
}

TEST(Physics, ThroughputStaysBelowTheCapacity) {
  PredictedResult predicted = prediction();
  SimulatedResult simulated = simulation(100.0, 0.0);
  predicted.capacity_upper_updates_per_s = 99.0;
  EXPECT_THROW(check_physics(predicted, simulated), SimulationError);
  simulated.updates_per_s.standard_error = 0.2;  // six of them reach the capacity
  EXPECT_NO_THROW(check_physics(predicted, simulated));
}

TEST(Physics, GradientsUnderWayAtTheStartMayCountInFull) {
  PredictedResult predicted = prediction();
  SimulatedResult simulated = simulation(100.0, 0.0);
  simulated.updates = 1'000.0;  // one worker: up to 1 in 1,000 more than was carried meanwhile
  predicted.capacity_upper_updates_per_s = 99.91;
  EXPECT_NO_THROW(check_physics(predicted, simulated));
  predicted.capacity_upper_updates_per_s = 99.89;
  EXPECT_THROW(check_physics(predicted, simulated), SimulationError);
}

}  // namespace
}  // namespace stagger
