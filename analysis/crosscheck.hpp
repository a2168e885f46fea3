// Compares the prediction with the simulation: two answers to one question, found in different ways.
#pragma once

#include "sim/result/run_result.hpp"

namespace stagger {

/// Differences below this are not worth a word; the margin of the equivalence test.
inline constexpr double kEquivalenceMargin = 0.02;

/// Errors as in CheckResult, and a verdict:
///   not_covered  the job breaks assumptions of the model: its reasons are predicted.not_covered
///   agree        equivalence (two one-sided tests; Schuirmann 1987): predicted / ci_low - 1 and predicted / ci_high -
///   1 lie
///                within the margin, and so does the difference of mean staleness +- 1.96 standard errors, relative to
///                the predicted mean or to 1 where that is less
///   disagree     otherwise. The reasons tell a real difference (the whole interval lies outside the margin) from an
///   interval
///                too wide to decide, where a longer run would.
CheckResult crosscheck(const PredictedResult& predicted, const SimulatedResult& simulated);

/// Throws SimulationError when a result cannot be: a number that is NaN or infinite (the predicted capacity and knee
/// may be infinite), a utilization above 1 + 1e-9, or a throughput that exceeds capacity_upper_updates_per_s by more
/// than 6 standard errors and what the workers had under way when the measurement began (one gradient each).
void check_physics(const PredictedResult& predicted, const SimulatedResult& simulated);

}  // namespace stagger
