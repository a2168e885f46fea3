// What the analytical model says about measured throughputs, beside what people use instead of it.
#pragma once

#include "sim/config/measured.hpp"
#include "sim/config/scenario.hpp"
#include "sim/result/run_result.hpp"

namespace stagger {

/// For each point: the scenario's prediction with as many workers, and the baselines of analysis/baselines.hpp, each
/// from the other points that one would have: linear scaling from the smallest point, interpolation from all others,
/// regression from those with fewer workers. Throws InputError when the scenario cannot have so many workers.
MeasuredComparison compare_measured(const Scenario& scenario, const MeasuredCurve& curve);

}  // namespace stagger
