// result.json: schema stagger.result/1.
#pragma once

#include <string>

#include "sim/config/scenario.hpp"
#include "sim/result/run_result.hpp"

namespace stagger {

/// The result with the effective scenario in it, which can be fed back as a scenario file. Quantities are SI with the
/// unit in the key; within `effective` they are texts with units, as in the files. The same run gives the same bytes.
/// Throws SimulationError for a number that is NaN or infinite.
std::string to_json(const RunResult& result, const Scenario& scenario);

/// An effective configuration.
std::string to_json(const Tree& effective);

}  // namespace stagger
