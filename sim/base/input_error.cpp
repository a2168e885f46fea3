#include "sim/base/input_error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stagger {
namespace {

constexpr std::size_t kWidth = 76;  // an excerpt and its indentation fit 80 columns

std::string all(const std::vector<InputProblem>& problems) {
  std::string text;
  for (const InputProblem& problem : problems) text += to_text(problem);
  return text;
}

/// The part of a long line around the caret, so that the message stays readable.
std::string excerpt_with_caret(std::string line, std::size_t caret) {
  std::ranges::replace(line, '\t', ' ');
  const std::size_t first = caret > kWidth - 4 ? caret - kWidth / 2 : 0;
  line = line.substr(std::min(first, line.size()), kWidth);
  std::string text = fmt::format("    {}\n", line);
  if (caret > 0) text += fmt::format("    {:>{}}\n", '^', caret - first);
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
