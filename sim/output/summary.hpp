// One screen for people, 80 columns wide.
#pragma once

#include <string>
#include <vector>

#include "sim/config/scenario.hpp"
#include "sim/result/run_result.hpp"

namespace stagger {

/// Of a run, or of a prediction alone.
std::string summary(const RunResult& result, const Scenario& scenario);

/// The heading and one line of `stagger check`; with the stations, a row for each station under the line.
std::string check_heading(bool with_stations = false);
std::string check_line(const RunResult& result, bool with_stations = false);

/// The line after the last: how far simulation and prediction rank the scenarios alike. Empty for fewer than two.
std::string ranking_line(const std::vector<double>& simulated, const std::vector<double>& predicted);

}  // namespace stagger
