// Whole questions about one scenario: predict it; or simulate, predict and cross-check it.
#pragma once

#include "sim/result/run_result.hpp"
#include "sim/study/simulate.hpp"

namespace stagger {

/// The analytical model alone.
RunResult predict_scenario(const Scenario& scenario);

struct RunOutcome {
  RunResult result;
  RunLog log;  ///< what was simulated, warm-up included
};

/// Throws SimulationError: what simulate() throws, too few updates to measure, or a result that is physically
/// impossible.
RunOutcome run_scenario(const Scenario& scenario, const RunHooks& hooks = {});

}  // namespace stagger
