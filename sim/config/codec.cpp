#include "sim/config/codec.hpp"

#include <algorithm>
#include <numeric>

namespace stagger {
namespace {

/// Levenshtein distance in O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

}  // namespace

void ReadContext::problem(Mark mark, std::string what, std::string expected) {
  problems.push_back(sources.problem(mark, std::move(what), std::move(expected)));
}

void ReadContext::problem_at(const std::string& path, std::string what, std::string expected) {
  for (std::string at = path;; at.resize(at.find_last_of('.') == std::string::npos ? 0 : at.find_last_of('.'))) {
    if (const auto found = origins.find(at); found != origins.end())
      return problem(found->second, std::move(what), std::move(expected));
    if (at.empty()) break;
  }
  problems.push_back({path, std::move(what), "", 0, std::move(expected)});
}

std::string join_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string nearest(std::string_view word, const std::vector<std::string>& choices) {
  std::string best;
  std::size_t best_distance = word.size() / 2 + 1;
  for (const std::string& choice : choices)
    if (const auto distance = edit_distance(word, choice); distance < best_distance) {
      best_distance = distance;
      best = choice;
    }
  return best;
}

std::string join_words(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::string describe(const Tree& tree) {
  switch (tree.kind) {
    case Tree::Kind::null:
      return "nothing";
    case Tree::Kind::scalar:
      return "'" + tree.text + "'";
    case Tree::Kind::sequence:
      return "a list";
    case Tree::Kind::mapping:
      return "a mapping";
  }
  return "?";
}

Tree scalar(std::string text) {
  Tree tree{.kind = Tree::Kind::scalar};
  tree.text = std::move(text);
  return tree;
}

std::optional<std::string> scalar_text(ReadContext& context, const Tree& tree, const std::string& expected) {
  if (tree.kind == Tree::Kind::scalar) return tree.text;
  context.problem(tree.mark, "found " + describe(tree), expected);
  return std::nullopt;
}

MappingReader::MappingReader(ReadContext& context, const Tree& tree, std::string path)
    : context_(context), tree_(tree), path_(std::move(path)) {
  if (!is_mapping())
    context_.problem(tree.mark, fmt::format("found {}{}", describe(tree), path_.empty() ? "" : " as '" + path_ + "'"),
                     "a mapping of keys to values");
}

void MappingReader::missing(const char* key) {
  context_.problem(tree_.mark,
                   fmt::format("the key '{}' is missing{}", key, path_.empty() ? "" : " in '" + path_ + "'"));
}

void MappingReader::check(const char* key, const Tree& value, double number, Range range) {
  if (!range.holds(number))
    context_.problem(value.mark, fmt::format("{} is out of range for '{}'", describe(value), key), range.expected);
}

void MappingReader::finish() {
  for (const Tree& member : tree_.items) {
    if (std::ranges::find(known_, member.key) != known_.end()) continue;
    const std::string close = nearest(member.key, known_);
    context_.problem(member.key_mark,
                     fmt::format("unknown key '{}'{}{}", member.key, path_.empty() ? "" : " in '" + path_ + "'",
                                 close.empty() ? "" : "; did you mean '" + close + "'?"),
                     "one of " + join_words(known_));
  }
}

}  // namespace stagger
