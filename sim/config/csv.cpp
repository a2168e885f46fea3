#include "sim/config/csv.hpp"

#include <boost/tokenizer.hpp>

namespace stagger {

Parsed<std::vector<CsvCell>> parse_csv_line(const std::string& line) try {
  const boost::tokenizer<boost::escaped_list_separator<char>> tokens(line);
  std::vector<CsvCell> cells;
  int column = 1;
  for (auto token = tokens.begin(); token != tokens.end(); ++token) {
    cells.push_back({*token, column});
    column = static_cast<int>(token.base() - line.begin()) + 1;  // where the next one starts
  }
  return cells;
} catch (const boost::escaped_list_error& error) {
  return UnitError{error.what(), "comma-separated values"};
}

}  // namespace stagger
