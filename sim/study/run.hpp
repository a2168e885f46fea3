// Whole questions about one scenario: predict it; or simulate, predict and cross-check it.
#pragma once

#include <stdexcept>

#include "sim/result/run_result.hpp"
#include "sim/study/simulate.hpp"

namespace stagger {

/// The analytical model alone.
RunResult predict_scenario(const Scenario& scenario);

struct RunOutcome {
  RunResult result;
  RunLog log;  ///< what was simulated, warm-up included
};

/// The run was interrupted before there was anything to measure.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted before there was anything to measure") {}
};

/// Throws Interrupted. Throws SimulationError: what simulate() throws, too few updates to measure, or a result that is
/// physically impossible.
RunOutcome run_scenario(const Scenario& scenario, const RunHooks& hooks = {});

}  // namespace stagger
