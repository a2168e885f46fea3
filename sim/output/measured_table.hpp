// The table of `stagger predict --measured`, 80 columns wide.
#pragma once

#include <string>

#include "sim/result/run_result.hpp"

namespace stagger {

std::string measured_table(const MeasuredComparison& comparison);

}  // namespace stagger
