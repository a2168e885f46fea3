// A small horizontal bar chart in plain text.
#pragma once

#include <string>
#include <vector>

namespace stagger {

/// One bar per value of a probability mass function or, where there are more than `rows` values, per group of
/// neighbouring values; values rarer than 0.1 % at both ends are left out of the chart and named in a last line. Lines
/// are at most `width` columns.
std::string pmf_chart(const std::vector<double>& pmf, int rows, int width);

}  // namespace stagger
