#include "sim/base/input_error.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/utf8.hpp"

namespace stagger {
namespace {

constexpr std::size_t kWidth = 76;  // an excerpt and its indentation fit 80 columns

std::string all(const std::vector<InputProblem>& problems) {
  std::string text;
  for (const InputProblem& problem : problems) text += to_text(problem);
  return text;
}

/// The part of a long line around the caret, so that the message stays readable. `caret` counts bytes, the screen code
/// points.
std::string excerpt_with_caret(std::string line, std::size_t caret) {
  std::ranges::replace(line, '\t', ' ');
  caret = std::min(caret, line.size() + 1);
  const std::size_t column = count_code_points(std::string_view(line).substr(0, caret > 0 ? caret - 1 : 0)) + 1;
  const std::size_t first = column > kWidth - 4 ? column - kWidth / 2 : 0;
  const std::size_t from = byte_of_code_point(line, first);
  line = line.substr(from, byte_of_code_point(line, first + kWidth) - from);
  std::string text = fmt::format("    {}\n", line);
  if (caret > 0) text += fmt::format("    {:>{}}\n", '^', column - first);
  return text;
}

}  // namespace

std::string to_text(const InputProblem& problem) {
  std::string text = fmt::format("{}: {}\n", problem.where, problem.what);
  if (!problem.excerpt.empty()) text += excerpt_with_caret(problem.excerpt, static_cast<std::size_t>(problem.caret));
  if (!problem.expected.empty()) text += fmt::format("    expected: {}\n", problem.expected);
  return text;
}

InputError::InputError(std::vector<InputProblem> problems)
    : std::runtime_error(all(problems)), problems_(std::move(problems)) {}

}  // namespace stagger
