#include "sim/config/measured.hpp"

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <map>
#include <sstream>

#include "sim/config/codec.hpp"
#include "sim/config/csv.hpp"

namespace stagger {
namespace {

constexpr std::size_t kMostPoints = 1000;
constexpr const char* kExpected = "the columns workers, and updates_per_s or examples_per_s";

class MeasuredReader {
 public:
  MeasuredReader(Sources& sources, int source) : context_{sources}, source_(source) {}

  MeasuredCurve read() {
    context_.sources.check_text(source_);
    std::istringstream lines(context_.sources.text(source_));
    std::string line;
    bool has_header = false;
    while (std::getline(lines, line)) {
      ++line_;
      if (line.empty()) continue;
      const auto parsed = parse_csv_line(line);
      const auto* cells = std::get_if<std::vector<CsvCell>>(&parsed);
      if (cells == nullptr)
        problem(1, std::get<UnitError>(parsed).what, std::get<UnitError>(parsed).expected);
      else if (has_header)
        read_point(*cells);
      else
        has_header = read_header(*cells);
      if (!has_header) break;
    }
    if (context_.problems.empty() && !has_header) problem(1, "there is no header line", kExpected);
    if (context_.problems.empty() && curve_.points.empty()) problem(1, "there is no measured point", "a line for each");
    if (curve_.points.size() > kMostPoints)
      problem(1, fmt::format("{} points", curve_.points.size()), fmt::format("at most {}", kMostPoints));
    if (!context_.problems.empty()) throw InputError(std::move(context_.problems));
    std::ranges::sort(curve_.points, {}, &MeasuredPoint::workers);
    return std::move(curve_);
  }

 private:
  void problem(int column, std::string_view what, std::string_view expected) {
    context_.problem({source_, std::max(line_, 1), column}, what, expected);
  }

  bool read_header(const std::vector<CsvCell>& cells) {
    std::map<std::string, std::size_t> columns;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (const std::string name = boost::trim_copy(cells[i].text); !columns.try_emplace(name, i).second)
        problem(cells[i].column, fmt::format("a second column '{}'", name), kExpected);
    const bool updates = columns.contains("updates_per_s");
    curve_.of_examples = columns.contains("examples_per_s");
    if (!columns.contains("workers"))
      problem(1, "there is no column 'workers'", kExpected);
    else if (updates == curve_.of_examples)
      problem(1, updates ? "both updates_per_s and examples_per_s" : "there is no column with what was measured",
              kExpected);
    if (!context_.problems.empty()) return false;
    workers_ = columns.at("workers");
    per_s_ = columns.at(updates ? "updates_per_s" : "examples_per_s");
    return true;
  }

  void read_point(const std::vector<CsvCell>& cells) {
    if (std::max(workers_, per_s_) >= cells.size()) return problem(1, "the line is too short", kExpected);
    const std::size_t before = context_.problems.size();
    const double workers = number<long long>(cells[workers_], "workers", parse_count, kCount);
    // No share of anything: 15 % is no rate.
    const Range rate{1e-9, true, 1e15, "a rate from 1e-9 to 1e15 a second"};
    const double per_s =
        number<double>(cells[per_s_], curve_.of_examples ? "examples_per_s" : "updates_per_s", parse_ratio, rate);
    if (cells[per_s_].text.find('%') != std::string::npos)
      problem(cells[per_s_].column, fmt::format("'{}' is a share", cells[per_s_].text), rate.expected);
    if (context_.problems.size() > before) return;
    const auto [known, is_new] = lines_.try_emplace(static_cast<long long>(workers), line_);
    if (!is_new)
      return problem(cells[workers_].column, fmt::format("line {} has {} workers too", known->second, workers),
                     "one line for each number of workers, such as the mean of several runs");
    curve_.points.push_back({static_cast<long long>(workers), per_s});
  }

  template <class T>
  double number(const CsvCell& cell, const char* column, Parsed<T> (*parse)(std::string_view), const Range& range) {
    const Parsed<T> parsed = parse(cell.text);
    if (const auto* error = std::get_if<UnitError>(&parsed)) {
      problem(cell.column, error->what, range.expected);
      return 0.0;
    }
    const auto value = static_cast<double>(std::get<T>(parsed));
    if (!range.holds(value))
      problem(cell.column, fmt::format("'{}' is out of range for '{}'", cell.text, column), range.expected);
    return value;
  }

  ReadContext context_;
  int source_;
  int line_ = 0;
  std::size_t workers_ = 0;
  std::size_t per_s_ = 0;
  std::map<long long, int> lines_;
  MeasuredCurve curve_;
};

}  // namespace

MeasuredCurve read_measured(const std::filesystem::path& file) {
  Sources sources;
  const int source = sources.add(file.string(), read_file(file, kLargestYaml), file.parent_path());
  return MeasuredReader(sources, source).read();
}

}  // namespace stagger
