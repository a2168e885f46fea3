// Numbers from a column of a CSV file.
#pragma once

#include <string>
#include <vector>

#include "sim/config/codec.hpp"

namespace stagger {

/// The column of a CSV file with a header line, times `unit`. `mark`: where the file is named, relative to that place;
/// reports to `context`, and returns nothing, when there is no such column or a value in it is no number.
std::vector<double> read_column(ReadContext& context, Mark mark, const std::string& file, const std::string& column,
                                double unit);

}  // namespace stagger
