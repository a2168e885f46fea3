// Comma-separated values, as spreadsheets write them.
#pragma once

#include <string>
#include <vector>

#include "sim/base/units.hpp"

namespace stagger {

struct CsvCell {
  std::string text;
  int column = 1;  ///< in the line, in bytes, from 1
};

/// The cells of one line, at least one; quotes hold a comma, a backslash escapes.
Parsed<std::vector<CsvCell>> parse_csv_line(const std::string& line);

}  // namespace stagger
