// Reads the tables of this folder: a header line, then comma-separated values without quotes.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace stagger {

/// One row: the text of each column by its name.
struct CsvRow {
  std::map<std::string, std::string> text;
  double number(const std::string& column) const { return std::stod(text.at(column)); }
};

inline std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

/// The rows of tests/data/`file`. Throws std::runtime_error when there are none.
inline std::vector<CsvRow> read_csv(const std::string& file) {
  std::ifstream in(std::filesystem::path(STAGGER_SOURCE_DIR) / "tests/data" / file);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> header = split_csv(line);
  std::vector<CsvRow> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split_csv(line);
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) row.text[header[i]] = cells.at(i);
  }
  if (rows.empty()) throw std::runtime_error("no rows in " + file);
  return rows;
}

}  // namespace stagger
