// One screen for people, 80 columns wide.
#pragma once

#include <string>

#include "sim/config/scenario.hpp"
#include "sim/result/run_result.hpp"

namespace stagger {

/// Of a run, or of a prediction alone.
std::string summary(const RunResult& result, const Scenario& scenario);

/// The heading and one line of `stagger check`.
std::string check_heading();
std::string check_line(const RunResult& result);

}  // namespace stagger
