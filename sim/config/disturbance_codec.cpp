// How disturbances are written.
#include <algorithm>

#include "sim/config/columns.hpp"
#include "sim/config/disturbances.hpp"
#include "sim/config/fields.hpp"

namespace stagger {
namespace {

constexpr std::array kKinds{"slow", "regimes", "correlation", "link", "leave", "stall"};  // in the order of Disturbance
constexpr std::size_t kMostDisturbances = 1000;

template <std::size_t... I>
Disturbance of_kind(std::size_t kind, std::index_sequence<I...>) {
  Disturbance made;
  ((kind == I ? static_cast<void>(made.emplace<I>()) : static_cast<void>(0)), ...);
  return made;
}

/// The steps of a profile from two columns of a CSV file.
void read_profile(MappingReader& reader, LinkSpec& out) {
  std::string file;
  std::string time = "time_s";
  std::string column;
  double full = 1.0;
  reader.required("file", file);
  reader.optional("time", time);
  reader.required("column", column);
  reader.optional("full", full, kPositive);
  ReadContext& context = reader.context();
  if (!context.problems.empty()) return;
  const Mark mark = context.origins[join_path(reader.path(), "file")];
  const std::vector<double> times = read_column(context, mark, file, time, 1.0);
  const std::vector<double> values = read_column(context, mark, file, column, 1.0 / full);
  for (std::size_t i = 0; i < std::min(times.size(), values.size()); ++i) {
    if (!(times[i] >= 0.0 && times[i] <= 1e9))
      return context.problem(mark, fmt::format("'{}' has the time {} s", file, times[i]), "times from 0 s to 1e9 s");
    if (!(values[i] >= 0.0 && values[i] <= 1.0))
      return context.problem(mark, fmt::format("'{}' has the share {} of the whole bandwidth", file, values[i]),
                             "shares from 0 to 1, or full: what stands for the whole bandwidth");
    out.profile.steps.push_back({Seconds{times[i]}, values[i]});
  }
}

template <class V, Like<LinkSpec> S>
void common_fields(V& v, S& s) {
  v.required("of", s.of);
  v.optional("direction", s.direction);
  v.optional("period", s.profile.period, kPositive);
}

}  // namespace

const char* name_of(const Disturbance& disturbance) { return kKinds[disturbance.index()]; }

template <>
void CustomCodec<Names>::read(ReadContext& context, const Tree& tree, const std::string& path, Names& out) {
  if (tree.kind == Tree::Kind::scalar) return Codec<std::string>::read(context, tree, path, out.words.emplace_back());
  if (tree.kind != Tree::Kind::sequence || tree.items.empty())
    return context.problem(tree.mark, "found " + describe(tree), "a name, or a list of names");
  for (std::size_t i = 0; i < tree.items.size(); ++i) {
    const std::string at = join_path(path, std::to_string(i));
    context.origins[at] = tree.items[i].mark;
    Codec<std::string>::read(context, tree.items[i], at, out.words.emplace_back());
  }
}
template <>
Tree CustomCodec<Names>::write(const Names& value) {
  return value.words.size() == 1 ? scalar(value.words.front()) : Codec<std::vector<std::string>>::write(value.words);
}

template <>
void CustomCodec<LinkSpec>::read(ReadContext& context, const Tree& tree, const std::string& path, LinkSpec& out) {
  const std::size_t before = context.problems.size();
  MappingReader reader(context, tree, path);
  if (!reader.is_mapping()) return;
  common_fields(reader, out);
  const bool is_file = reader.has("file");
  if (is_file)
    read_profile(reader, out);
  else
    reader.required("steps", out.profile.steps);
  reader.finish();
  if (context.problems.size() == before)
    check_profile(out.profile, join_path(path, is_file ? "file" : "steps"), context);
}
template <>
Tree CustomCodec<LinkSpec>::write(const LinkSpec& value) {
  MappingWriter writer;
  common_fields(writer, value);
  writer.optional("steps", value.profile.steps);
  return std::move(writer.tree);
}

template <>
void CustomCodec<Disturbance>::read(ReadContext& context, const Tree& tree, const std::string& path, Disturbance& out) {
  if (path.ends_with("." + std::to_string(kMostDisturbances)))
    context.problem(tree.mark, "too many disturbances", fmt::format("at most {}", kMostDisturbances));
  const std::vector<std::string> words(kKinds.begin(), kKinds.end());
  if (tree.kind != Tree::Kind::mapping || tree.items.size() != 1)
    return context.problem(
        tree.mark, "found " + describe(tree),
        "a disturbance, such as {slow: {workers: worker-0, factor: 3}}; one of " + join_words(words));
  const Tree& item = tree.items.front();
  const auto kind = static_cast<std::size_t>(std::ranges::find(words, item.key) - words.begin());
  if (kind == words.size()) {
    const std::string close = nearest(item.key, words);
    return context.problem(item.key_mark,
                           fmt::format("'{}' is no disturbance", item.key) +
                               (close.empty() ? "" : fmt::format("; did you mean '{}'?", close)),
                           "one of " + join_words(words));
  }
  out = of_kind(kind, std::make_index_sequence<kKinds.size()>());
  const std::string at = join_path(path, item.key);
  context.origins[at] = item.mark;
  std::visit([&](auto& spec) { Codec<std::remove_cvref_t<decltype(spec)>>::read(context, item, at, spec); }, out);
}
template <>
Tree CustomCodec<Disturbance>::write(const Disturbance& value) {
  MappingWriter writer;
  writer.add(
      name_of(value),
      std::visit([](const auto& spec) { return Codec<std::remove_cvref_t<decltype(spec)>>::write(spec); }, value));
  return std::move(writer.tree);
}

}  // namespace stagger
