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

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// The first byte of code point number `n` of UTF-8 text.
std::size_t byte_of(const std::string& text, std::size_t n) {
  std::size_t at = 0;
  while (at < text.size() && (n > 0 || !starts_code_point(text[at])))
    if (starts_code_point(text[at++])) --n;
  while (at < text.size() && !starts_code_point(text[at])) ++at;
  return at;
}

/// The part of a long line around the caret, so that the message stays readable. `caret` counts bytes, the screen code
/// points.
std::string excerpt_with_caret(std::string line, std::size_t caret) {
  std::ranges::replace(line, '\t', ' ');
  caret = std::min(caret, line.size() + 1);
  const auto before = caret > 0 ? std::ranges::count_if(line.substr(0, caret - 1), starts_code_point) : 0;
  const auto column = static_cast<std::size_t>(before) + 1;
  const std::size_t first = column > kWidth - 4 ? column - kWidth / 2 : 0;
  const std::size_t from = byte_of(line, first);
  line = line.substr(from, byte_of(line, first + kWidth) - from);
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
