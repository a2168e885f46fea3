// Between the tree and plain structs. Each struct has one table, `fields(visitor, struct)`, that names its keys; the
// same table drives reading, printing and JSON, so that no field is forgotten in one of them.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/config/tree.hpp"

namespace stagger {

/// The values that a number may have; `expected` finishes the sentence "expected …".
struct Range {
  double low;
  bool low_included;
  double high;
  const char* expected;
  bool holds(double value) const { return value <= high && (low_included ? value >= low : value > low); }
};
inline constexpr Range kAnything{-kInfinity, true, kInfinity, "any value"};
inline constexpr Range kPositive{0, false, kInfinity, "a value above 0"};
inline constexpr Range kNotNegative{0, true, kInfinity, "0 or more"};
inline constexpr Range kFraction{1e-6, true, 1, "a number from 0.000001 to 1"};
inline constexpr Range kCount{1, true, 1'000'000, "a whole number from 1 to 1000000"};
inline constexpr Range kClocks{0, true, 1'000'000, "a whole number of steps from 0 to 1000000"};
inline constexpr Range kLongCount{1, true, 1e8, "a whole number from 1 to 100000000"};
inline constexpr Range kSeed{0, true, 9007199254740992.0, "a whole number from 0 to 2^53"};

/// What a quantity can be in this world; a simulation of more would end in numbers without meaning. Whether it may also
/// be 0 or unlimited is up to each field.
constexpr Range physical(Seconds) { return {1e-9, true, 1e9, "a duration from 1 ns to 1e9 s"}; }
constexpr Range physical(Bytes) { return {0, true, 9007199254740992.0, "a size of at most 2^53 B, about 9000 TB"}; }
constexpr Range physical(BytesPerSecond) { return {0.125, true, 1e15, "a bandwidth from 1 bps to 1e15 Bps"}; }
constexpr Range physical(Flops) { return {1, true, 1e18, "a number of operations from 1 to 1e18 FLOP"}; }
constexpr Range physical(FlopsPerSecond) { return {1, true, 1e18, "a speed from 1 to 1e18 FLOPS"}; }
constexpr Range physical(Price) { return {0, true, 1e6, "a price from $0/h to $1000000/h"}; }

/// Each key with the mappings ("job.compute") that may have it.
using KeyPlaces = std::set<std::pair<std::string, std::string>>;

/// What reading collects: all problems, and where each value was written ("job.workers.count").
struct ReadContext {
  Sources& sources;
  std::vector<InputProblem> problems{};
  std::map<std::string, Mark> origins{};
  const KeyPlaces* places = nullptr;  ///< to say where a misplaced key belongs
  KeyPlaces* learns = nullptr;        ///< collects the keys that are known; problems are of no interest then

  /// Throws InputError, with all problems, when there are too many to go on.
  void problem(Mark mark, std::string_view what, std::string_view expected = "");
  /// At the place of `path`, or of the nearest enclosing value that was written.
  void problem_at(const std::string& path, std::string_view what, std::string_view expected = "");
};

/// "a.b", or "b" at the top.
std::string join_path(const std::string& path, std::string_view key);
/// The word of `choices` with the smallest edit distance to `word`, if it is close enough to be meant; else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& choices);
std::string join_words(const std::vector<std::string>& words);
/// "a list", "a mapping", "the word 'x'", "nothing".
std::string describe(const Tree& tree);

/// Reports a value that is out of the field's range, or that no such quantity can have; `key` is what the message
/// calls it. Anything but a number is fine.
void check_number(ReadContext& context, const Tree& tree, const char* key, double number, Range range);
template <class T>
void check_range(ReadContext& context, const Tree& tree, const char* key, const T& value, Range range) {
  if constexpr (requires { value.has_value(); }) {
    check_range(context, tree, key, *value, range);
  } else if constexpr (requires { physical(value); }) {
    const bool special = value.si == 0 || value.si == kInfinity;
    check_number(context, tree, key, value.si, !range.holds(value.si) || special ? range : physical(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    check_number(context, tree, key, static_cast<double>(value), range);
  }
}

template <class T>
struct Codec;  // static void read(ReadContext&, const Tree&, const std::string& path, T&); static Tree write(const T&)

/// Visits the fields of a struct while reading a mapping.
class MappingReader {
 public:
  MappingReader(ReadContext& context, const Tree& tree, std::string path);

  /// False (and a problem was reported) when the tree is no mapping.
  bool is_mapping() const { return tree_.kind == Tree::Kind::mapping; }
  bool has(std::string_view key) const { return tree_.find(key) != nullptr; }

  /// Leaves `out` as it is where the key is missing.
  template <class T>
  void optional(const char* key, T& out, Range range = kAnything) {
    known_.emplace_back(key);
    if (const Tree* value = tree_.find(key)) read_member(key, *value, out, range);
  }
  template <class T>
  void required(const char* key, T& out, Range range = kAnything) {
    optional(key, out, range);
    if (is_mapping() && !has(key)) missing(key);
  }
  /// Accepts the key without reading it.
  void ignored(const char* key) { known_.emplace_back(key); }
  /// Reports the keys that no field asked for.
  void finish();

  ReadContext& context() { return context_; }
  const std::string& path() const { return path_; }
  Mark mark() const { return tree_.mark; }

 private:
  template <class T>
  void read_member(const char* key, const Tree& value, T& out, Range range);
  void missing(const char* key);
  /// Where a key that is unknown here belongs, as the end of a sentence; empty: nowhere.
  std::string right_place(const std::string& key) const;

  ReadContext& context_;
  const Tree& tree_;
  std::string path_;
  std::vector<std::string> known_;
};

/// Visits the fields of a struct while writing a mapping; an empty optional is left out.
class MappingWriter {
 public:
  Tree tree{.kind = Tree::Kind::mapping};

  template <class T>
  void optional(const char* key, const T& value, Range = kAnything) {
    add(key, Codec<T>::write(value));
  }
  template <class T>
  void optional(const char* key, const std::optional<T>& value, Range = kAnything) {
    if (value) add(key, Codec<T>::write(*value));
  }
  template <class T>
  void required(const char* key, const T& value, Range = kAnything) {
    optional(key, value);
  }
  void add(const char* key, Tree value) { tree.add(key, {}, std::move(value)); }
};

template <class S, class T>
concept Like = std::same_as<std::remove_const_t<S>, T>;

Tree scalar(std::string text);
/// The text of a scalar; otherwise reports what was expected.
std::optional<std::string> scalar_text(ReadContext& context, const Tree& tree, const std::string& expected);

template <>
struct Codec<std::string> {
  static void read(ReadContext& context, const Tree& tree, const std::string&, std::string& out) {
    if (auto text = scalar_text(context, tree, "a word")) out = *text;
  }
  static Tree write(const std::string& value) { return scalar(value); }
};

/// Scalars that a parse function of units.hpp reads.
template <class T, auto parse>
struct ParsedCodec {
  static void read(ReadContext& context, const Tree& tree, const std::string&, T& out) {
    const auto text = scalar_text(context, tree, std::get<UnitError>(parse("")).expected);
    if (!text) return;
    auto parsed = parse(*text);
    if (auto* error = std::get_if<UnitError>(&parsed))
      context.problem(tree.mark, error->what, error->expected);
    else
      out = static_cast<T>(*std::get_if<0>(&parsed));
  }
  static Tree write(const T& value) {
    if constexpr (std::is_arithmetic_v<T>)
      return scalar(fmt::format("{}", value));
    else
      return scalar(to_text(value));
  }
};
template <>
struct Codec<Seconds> : ParsedCodec<Seconds, parse_seconds> {};
template <>
struct Codec<Bytes> : ParsedCodec<Bytes, parse_bytes> {};
template <>
struct Codec<BytesPerSecond> : ParsedCodec<BytesPerSecond, parse_bandwidth> {};
template <>
struct Codec<Flops> : ParsedCodec<Flops, parse_flops> {};
template <>
struct Codec<FlopsPerSecond> : ParsedCodec<FlopsPerSecond, parse_speed> {};
template <>
struct Codec<Price> : ParsedCodec<Price, parse_price> {};
template <>
struct Codec<double> : ParsedCodec<double, parse_ratio> {};
template <>
struct Codec<long long> : ParsedCodec<long long, parse_count> {};
template <>
struct Codec<std::uint64_t> : ParsedCodec<std::uint64_t, parse_count> {};

template <class E>
struct NamedValue {
  const char* name;
  E value;
};
template <class E>
NamedValue(const char*, E) -> NamedValue<E>;

/// Enums, by the table that `names(E{})` gives.
template <class E>
requires std::is_enum_v<E>
struct Codec<E> {
  static void read(ReadContext& context, const Tree& tree, const std::string&, E& out) {
    std::vector<std::string> words;
    for (const auto& row : names(E{})) words.emplace_back(row.name);
    const std::string expected = (words.size() > 1 ? "one of " : "") + join_words(words);
    const auto text = scalar_text(context, tree, expected);
    if (!text) return;
    for (const auto& row : names(E{}))
      if (*text == row.name) {
        out = row.value;
        return;
      }
    const std::string close = nearest(*text, words);
    context.problem(
        tree.mark,
        fmt::format("'{}' is not available here", *text) + (close.empty() ? "" : "; did you mean '" + close + "'?"),
        expected);
  }
  static Tree write(E value) { return scalar(name_of(value)); }
  static std::string name_of(E value) {
    for (const auto& row : names(E{}))
      if (row.value == value) return row.name;
    return "?";
  }
};

template <class T>
struct Codec<std::optional<T>> {
  static void read(ReadContext& context, const Tree& tree, const std::string& path, std::optional<T>& out) {
    Codec<T>::read(context, tree, path, out.emplace());
  }
};

template <class T>
struct Codec<std::vector<T>> {
  static void read(ReadContext& context, const Tree& tree, const std::string& path, std::vector<T>& out) {
    if (tree.kind != Tree::Kind::sequence) return context.problem(tree.mark, "found " + describe(tree), "a list");
    for (std::size_t i = 0; i < tree.items.size(); ++i)
      Codec<T>::read(context, tree.items[i], join_path(path, std::to_string(i)), out.emplace_back());
  }
  static Tree write(const std::vector<T>& values) {
    Tree list{.kind = Tree::Kind::sequence};
    for (const T& value : values) list.items.push_back(Codec<T>::write(value));
    return list;
  }
};

/// Structs, by their table of fields.
template <class T>
struct Codec {
  static void read(ReadContext& context, const Tree& tree, const std::string& path, T& out) {
    MappingReader reader(context, tree, path);
    if (!reader.is_mapping()) return;
    fields(reader, out);
    reader.finish();
  }
  static Tree write(const T& value) {
    MappingWriter writer;
    fields(writer, value);
    return std::move(writer.tree);
  }
};

template <class T>
void MappingReader::read_member(const char* key, const Tree& value, T& out, Range range) {
  const std::string path = join_path(path_, key);
  context_.origins[path] = value.mark;
  const std::size_t before = context_.problems.size();
  Codec<T>::read(context_, value, path, out);
  if (context_.problems.size() == before) check_range(context_, value, key, out, range);
}

}  // namespace stagger
