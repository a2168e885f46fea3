#include "sim/config/columns.hpp"

#include <algorithm>
#include <sstream>

#include "sim/config/csv.hpp"

namespace stagger {

std::vector<double> read_column(ReadContext& context, Mark mark, const std::string& file, const std::string& column,
                                double unit) {
  std::vector<double> values;
  std::istringstream lines(context.sources.read_named(mark, file, "the name of a CSV file, relative to this one"));
  std::string line;
  std::optional<std::size_t> index;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    const auto parsed = parse_csv_line(line);
    if (const auto* error = std::get_if<UnitError>(&parsed)) {
      context.problem(mark, fmt::format("{}:{}: {}", file, number, error->what), error->expected);
      return {};
    }
    const auto& cells = std::get<std::vector<CsvCell>>(parsed);
    if (!index) {
      index = static_cast<std::size_t>(std::ranges::find(cells, column, &CsvCell::text) - cells.begin());
      if (*index == cells.size()) {
        std::vector<std::string> names;
        names.reserve(cells.size());
        for (const CsvCell& cell : cells) names.push_back(cell.text);
        context.problem(mark, fmt::format("'{}' has no column '{}'", file, column), "one of " + join_words(names));
        return {};
      }
      continue;
    }
    const auto value = *index < cells.size() ? parse_ratio(cells[*index].text)
                                             : Parsed<double>(UnitError{"the line is too short", ""});
    if (const auto* error = std::get_if<UnitError>(&value)) {
      context.problem(mark, fmt::format("{}:{}: {}", file, number, error->what), "a number");
      return {};
    }
    values.push_back(std::get<double>(value) * unit);
  }
  return values;
}

}  // namespace stagger
