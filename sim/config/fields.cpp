#include "sim/config/fields.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/config/columns.hpp"

namespace stagger {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostGroups = 1000;
constexpr std::size_t kMostSamples = 20'000;  // the effective scenario lists them, and must be one that can be read

/// Racks are called rack-0, rack-1, … as the hosts of a group of that name would be.
bool good_name(std::string_view name) {
  return name != "rack" && !name.empty() && name.size() <= kLongestName &&
         std::ranges::all_of(name,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; });
}

/// The factor to seconds of a column, by the unit given or by the suffix of its name.
std::optional<double> column_unit(ReadContext& context, Mark mark, const std::string& column, const std::string& unit) {
  std::string word = unit;
  if (word.empty() && column.find('_') != std::string::npos) word = column.substr(column.find_last_of('_') + 1);
  if (const auto factor = parse_seconds("1 " + word); std::holds_alternative<Seconds>(factor))
    return std::get<Seconds>(factor).si;
  context.problem(mark, fmt::format("the unit of the column '{}' is unknown", column),
                  "a column such as compute_s, or unit: ms");
  return std::nullopt;
}

/// The samples of an empirical distribution in seconds, from `values` or from `file` and `column`.
std::vector<double> read_samples(MappingReader& reader) {
  std::vector<Seconds> listed;
  std::string file;
  std::string column;
  std::string unit;
  reader.optional("values", listed);
  reader.optional("file", file);
  reader.optional("column", column);
  reader.optional("unit", unit);
  std::vector<double> samples;
  ReadContext& context = reader.context();
  if (reader.has("values") == reader.has("file")) {
    context.problem(reader.mark(), "an empirical distribution needs its samples once",
                    "values: [1.2 s, …], or file: and column:");
  } else if (reader.has("values")) {
    for (const Seconds value : listed) samples.push_back(value.si);
  } else if (const auto factor = column_unit(context, reader.mark(), column, unit)) {
    samples = read_column(context, context.origins[join_path(reader.path(), "file")], file, column, *factor);
  }
  return samples;
}

}  // namespace

/// Everything but the kind has its meaning from the kind.
void read_empirical(MappingReader& reader, Distribution& out, std::optional<Seconds>* mean) {
  ReadContext& context = reader.context();
  const std::size_t before = context.problems.size();
  const std::vector<double> samples = read_samples(reader);
  if (context.problems.size() > before) return;
  const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  const bool usable = std::ranges::all_of(samples, [](double s) { return s >= 0 && s <= 1e12; }) &&
                      physical(Seconds{}).holds(sum / static_cast<double>(samples.size()));
  if (!usable)
    return context.problem(reader.mark(), "the samples are no durations",
                           "durations of 0 s or more, with a mean from 1 ns to 1e9 s");
  if (samples.size() > kMostSamples)
    return context.problem(reader.mark(), fmt::format("{} samples", samples.size()),
                           fmt::format("at most {}, such as every tenth of them", kMostSamples));
  auto [shape, sample_mean] = empirical_distribution(samples);
  out = std::move(shape);
  if (mean == nullptr || reader.has("mean") || reader.has("examples_per_s") || reader.has("utilization")) return;
  *mean = Seconds{sample_mean};
  context.origins[join_path(reader.path(), "mean")] =
      context.origins[join_path(reader.path(), reader.has("values") ? "values" : "file")];
}

void read_cv(MappingReader& reader, Distribution& out) {
  using enum DistributionKind;
  if (out.kind == deterministic || out.kind == exponential) {
    double unused = out.cv = out.kind == exponential ? 1.0 : 0.0;
    reader.optional("cv", unused);
    if (reader.has("cv"))
      reader.context().problem_at(
          join_path(reader.path(), "cv"),
          fmt::format("a distribution that is {} has no cv to choose", Codec<DistributionKind>::name_of(out.kind)),
          "no key 'cv', or a distribution with one: gamma, lognormal, uniform, weibull");
    return;
  }
  const bool uniform_kind = out.kind == uniform;
  reader.required("cv", out.cv,
                  Range{0.001, true, uniform_kind ? kLargestUniformCv : 1000.0,
                        uniform_kind ? "a cv from 0.001 to 0.57735 (1/sqrt(3))" : "a cv from 0.001 to 1000"});
}

void distribution_fields(MappingReader& reader, Distribution& out, std::optional<Seconds>* mean) {
  const std::size_t before = reader.context().problems.size();
  reader.optional("distribution", out.kind);
  if (reader.context().problems.size() > before) {
    // What belongs to an unknown distribution is unknown too, and not worth a complaint of its own.
    for (const char* key : {"cv", "values", "file", "column", "unit"}) reader.ignored(key);
  } else if (out.kind == DistributionKind::empirical) {
    read_empirical(reader, out, mean);
  } else {
    read_cv(reader, out);
  }
}

void distribution_fields(MappingWriter& writer, const Distribution& value, const std::optional<Seconds>*) {
  writer.optional("distribution", value.kind);
  if (value.kind == DistributionKind::empirical) {
    std::vector<Seconds> values;
    for (const double v : *value.values) values.push_back(Seconds{v});
    writer.optional("values", values);
  } else if (value.kind != DistributionKind::deterministic && value.kind != DistributionKind::exponential) {
    writer.optional("cv", value.cv);
  }
}

template <>
void CustomCodec<std::vector<HostGroupSpec>>::read(ReadContext& context, const Tree& tree, const std::string& path,
                                                   std::vector<HostGroupSpec>& out) {
  if (tree.kind != Tree::Kind::mapping || tree.items.empty())
    return context.problem(tree.mark, "found " + describe(tree),
                           "a mapping of host groups, such as {worker: {count: 4, nic: 10 Gbps}}");
  if (tree.items.size() > kMostGroups)
    return context.problem(tree.mark, fmt::format("{} host groups", tree.items.size()),
                           fmt::format("at most {}", kMostGroups));
  for (const Tree& member : tree.items) {
    if (!good_name(member.key))
      context.problem(member.key_mark, fmt::format("'{}' cannot name a host group", member.key),
                      fmt::format("at most {} letters, digits, '_', '-' and '.', and not 'rack'", kLongestName));
    context.origins[join_path(path, member.key)] = member.mark;
    HostGroupSpec& group = out.emplace_back();
    Codec<HostGroupSpec>::read(context, member, join_path(path, member.key), group);
    group.name = member.key;
  }
}
template <>
Tree CustomCodec<std::vector<HostGroupSpec>>::write(const std::vector<HostGroupSpec>& groups) {
  MappingWriter writer;
  for (const HostGroupSpec& group : groups) writer.add(group.name.c_str(), Codec<HostGroupSpec>::write(group));
  return std::move(writer.tree);
}

namespace {

/// One mapping stands for a list of one, and is written as such.
template <class T>
void read_one_or_many(ReadContext& context, const Tree& tree, const std::string& path, std::vector<T>& out) {
  if (tree.kind == Tree::Kind::mapping) return Codec<T>::read(context, tree, path, out.emplace_back());
  if (tree.kind != Tree::Kind::sequence || tree.items.empty())
    return context.problem(tree.mark, "found " + describe(tree),
                           "a mapping such as {on: GROUP, count: 4}, or a list of them");
  if (tree.items.size() > kMostGroups)
    return context.problem(tree.mark, fmt::format("a list of {} mappings", tree.items.size()),
                           fmt::format("at most {}", kMostGroups));
  for (std::size_t i = 0; i < tree.items.size(); ++i) {
    const std::string at = tree.items.size() == 1 ? path : join_path(path, std::to_string(i));
    context.origins[at] = tree.items[i].mark;
    Codec<T>::read(context, tree.items[i], at, out.emplace_back());
  }
}
template <class T>
Tree write_one_or_many(const std::vector<T>& values) {
  if (values.size() == 1) return Codec<T>::write(values.front());
  Tree list{.kind = Tree::Kind::sequence};
  for (const T& value : values) list.items.push_back(Codec<T>::write(value));
  return list;
}

}  // namespace

template <>
void CustomCodec<std::vector<WorkerGroupSpec>>::read(ReadContext& context, const Tree& tree, const std::string& path,
                                                     std::vector<WorkerGroupSpec>& out) {
  read_one_or_many(context, tree, path, out);
}
template <>
Tree CustomCodec<std::vector<WorkerGroupSpec>>::write(const std::vector<WorkerGroupSpec>& values) {
  return write_one_or_many(values);
}
template <>
void CustomCodec<std::vector<ServerGroupSpec>>::read(ReadContext& context, const Tree& tree, const std::string& path,
                                                     std::vector<ServerGroupSpec>& out) {
  read_one_or_many(context, tree, path, out);
}
template <>
Tree CustomCodec<std::vector<ServerGroupSpec>>::write(const std::vector<ServerGroupSpec>& values) {
  return write_one_or_many(values);
}

template <>
void CustomCodec<TopologySpec>::read(ReadContext& context, const Tree& tree, const std::string& path,
                                     TopologySpec& out) {
  if (tree.kind == Tree::Kind::scalar && tree.text == "star") return;
  if (tree.kind != Tree::Kind::mapping)
    return context.problem(tree.mark, describe(tree) + " is not available here",
                           "star, or {racks: {size: 8, uplink: 20 Gbps}}");
  MappingReader reader(context, tree, path);
  reader.required("racks", out.racks);
  reader.finish();
  if (out.racks && out.racks->profile && out.racks->uplink == kUnlimited)
    context.problem_at(join_path(path, "racks.profile"), "an unlimited uplink has no shares to give",
                       "uplink: 20 Gbps");
}
template <>
Tree CustomCodec<TopologySpec>::write(const TopologySpec& value) {
  if (!value.racks) return scalar("star");
  MappingWriter writer;
  writer.optional("racks", value.racks);
  return std::move(writer.tree);
}

template <>
void CustomCodec<ShardingSpec>::read(ReadContext& context, const Tree& tree, const std::string& path,
                                     ShardingSpec& out) {
  if (tree.kind == Tree::Kind::scalar && tree.text == "even") return;
  if (tree.kind != Tree::Kind::mapping)
    return context.problem(tree.mark, "found " + describe(tree), "even, or {explicit: [0.8, 0.2]}");
  MappingReader reader(context, tree, path);
  reader.required("explicit", out.shares);
  reader.finish();
  if (!reader.has("explicit")) return;
  const double sum = std::accumulate(out.shares.begin(), out.shares.end(), 0.0);
  if (std::abs(sum - 1.0) > 1e-9 || std::ranges::any_of(out.shares, [](double share) { return share <= 0; }))
    context.problem_at(join_path(path, "explicit"), fmt::format("the shares add up to {}", sum),
                       "shares above 0 that add up to 1");
}
template <>
Tree CustomCodec<ShardingSpec>::write(const ShardingSpec& value) {
  if (value.shares.empty()) return scalar("even");
  MappingWriter writer;
  writer.optional("explicit", value.shares);
  return std::move(writer.tree);
}

template <>
void CustomCodec<WarmupSpec>::read(ReadContext& context, const Tree& tree, const std::string& path, WarmupSpec& out) {
  if (tree.kind == Tree::Kind::scalar && tree.text == "auto") return;
  long long updates = -1;
  Codec<long long>::read(context, tree, path, updates);
  if (updates < 0 || static_cast<double>(updates) > kLongCount.high)
    return context.problem(tree.mark, fmt::format("{} is no warm-up", describe(tree)),
                           "auto, or a number of updates to leave out");
  out.updates = updates;
}
template <>
Tree CustomCodec<WarmupSpec>::write(const WarmupSpec& value) {
  return value.updates ? Codec<long long>::write(*value.updates) : scalar("auto");
}

}  // namespace stagger
