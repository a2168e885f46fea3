#include "sim/config/codec.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

namespace stagger {
namespace {

/// How many letters must be changed, added, left out or swapped with the next one (optimal string alignment: Boytsov
/// 2011, "Indexing methods for approximate dictionary searching"), in O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_before;
  std::vector<std::size_t> before;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_before = std::exchange(before, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row.back();
}

/// "job.workers.0.compute" as job, workers, compute: the items of a list are alike.
std::vector<std::string> words_of(const std::string& path) {
  std::vector<std::string> words;
  std::istringstream in(path);
  for (std::string word; std::getline(in, word, '.');)
    if (words.empty() || words.back() == "hosts" || word.find_first_not_of("0123456789") != std::string::npos)
      words.push_back(word);
  return words;
}

/// GROUP stands for every name.
bool same_mapping(const std::string& here, const std::string& there) { return here == there || there == "GROUP"; }

}  // namespace

void ReadContext::problem(Mark mark, std::string_view what, std::string_view expected) {
  if (learns == nullptr) add_problem(problems, sources.problem(mark, what, expected));
}

void ReadContext::problem_at(const std::string& path, std::string_view what, std::string_view expected) {
  for (std::string at = path;; at.resize(at.find_last_of('.') == std::string::npos ? 0 : at.find_last_of('.'))) {
    if (const auto found = origins.find(at); found != origins.end()) return problem(found->second, what, expected);
    if (at.empty()) break;
  }
  if (learns == nullptr) add_problem(problems, {path, shown(what), "", 0, shown(expected)});
}

std::string join_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string nearest(std::string_view word, const std::vector<std::string>& choices) {
  std::string best;
  std::size_t best_distance = word.size() / 2 + 1;
  for (const std::string& choice : choices) {
    if (word.size() > 2 * choice.size() + 2) continue;  // too far, and perhaps a megabyte
    if (const auto distance = edit_distance(word, choice); distance < best_distance) {
      best_distance = distance;
      best = choice;
    }
  }
  return best;
}

std::string join_words(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::string describe(const Tree& tree) {
  switch (tree.kind) {
    case Tree::Kind::null:
      return "nothing";
    case Tree::Kind::scalar:
      return "'" + shown(tree.text) + "'";
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

std::string MappingReader::right_place(const std::string& key) const {
  if (context_.places == nullptr) return "";
  const std::vector<std::string> here = words_of(path_);
  std::vector<std::string> best;
  std::pair<long, std::size_t> best_rank;  // of the mappings nearest to this one, the outermost
  for (auto place = context_.places->lower_bound({key, ""}); place != context_.places->end() && place->first == key;
       ++place) {
    std::vector<std::string> there = words_of(place->second);
    const auto [here_end, there_end] = std::ranges::mismatch(here, there, same_mapping);
    if (here_end == here.end() && there_end == there.end()) return "; it does not go with the other keys here";
    const std::pair rank{here.begin() - here_end, there.size()};
    std::copy(here.begin(), here_end, there.begin());  // a group's name for GROUP
    if (best.empty() || rank < best_rank) best.clear(), best_rank = rank;
    if (rank == best_rank) best.push_back(there.empty() ? "at the top" : fmt::format("in '{}'", fmt::join(there, ".")));
  }
  return best.empty() ? "" : fmt::format("; it belongs {}", fmt::join(best, " or "));
}

void MappingReader::finish() {
  if (context_.learns != nullptr)
    for (const std::string& key : known_) context_.learns->emplace(key, path_);
  for (const Tree& member : tree_.items) {
    if (std::ranges::find(known_, member.key) != known_.end()) continue;
    const std::string close = nearest(member.key, known_);
    std::string hint = right_place(member.key);
    if (!close.empty() && (hint.empty() || edit_distance(member.key, close) == 1))
      hint = fmt::format("; did you mean '{}'?", close);
    context_.problem(
        member.key_mark,
        fmt::format("unknown key '{}'{}{}", shown(member.key), path_.empty() ? "" : " in '" + path_ + "'", hint),
        "one of " + join_words(known_));
  }
}

void check_number(ReadContext& context, const Tree& tree, const char* key, double number, Range range) {
  if (!range.holds(number))
    context.problem(tree.mark, fmt::format("{} is out of range for '{}'", describe(tree), key), range.expected);
}

}  // namespace stagger
