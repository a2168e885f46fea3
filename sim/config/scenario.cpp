#include "sim/config/scenario.hpp"

#include <array>
#include <charconv>

#include "sim/config/fields.hpp"

namespace stagger {
namespace {

enum class FileKind { scenario, platform, model, unknown };

/// By the keys that only one kind has.
FileKind kind_of(const Tree& root) {
  const auto has = [&](auto... keys) { return ((root.find(keys) != nullptr) || ...); };
  if (has("platform", "model", "job", "run")) return FileKind::scenario;
  if (has("hosts", "network", "topology")) return FileKind::platform;
  if (has("layers", "bytes", "totals")) return FileKind::model;
  return FileKind::unknown;
}

const char* word_for(FileKind kind) {
  return kind == FileKind::platform ? "platform" : kind == FileKind::model ? "model" : "scenario";
}

/// Replaces a value and leaves it under its key.
void replace(Tree& value, Tree by) {
  by.key = value.key;
  by.key_mark = value.key_mark;
  value = std::move(by);
}

/// Replaces the file names after `platform:` and `model:` by what the files hold. Those name no further files.
void expand_files(Sources& sources, Tree& scenario) {
  for (const FileKind wanted : {FileKind::platform, FileKind::model}) {
    const char* key = word_for(wanted);
    Tree* value = scenario.find(key);
    if (value == nullptr || value->kind != Tree::Kind::scalar) continue;
    const auto file = (sources.folder(value->mark.source) / value->text).lexically_normal();
    std::string text =
        sources.read_named(value->mark, value->text,
                           fmt::format("the name of a {} file, relative to this one, or a mapping", key), kLargestYaml);
    Tree content = parse_yaml(sources, sources.add(file.string(), std::move(text), file.parent_path()));
    if (content.kind == Tree::Kind::scalar)
      throw InputError(sources.problem(content.mark, "found " + describe(content), fmt::format("a {} file", key)));
    if (const FileKind kind = kind_of(content); kind != wanted && kind != FileKind::unknown)
      throw InputError(sources.problem(value->mark, fmt::format("'{}' is a {} file", value->text, word_for(kind)),
                                       fmt::format("the name of a {} file", key)));
    replace(*value, std::move(content));
  }
}

/// The item of a list that `word` counts.
Tree* item_at(Tree& list, const std::string& word) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
  const bool good = error == std::errc{} && end == word.data() + word.size() && index < list.items.size();
  return good ? &list.items[index] : nullptr;
}

void apply_set(Sources& sources, Tree& root, const std::string& option) {
  const int source = sources.add("--set " + option, "", std::filesystem::current_path(), true);
  const Mark mark{source, 0, 0};
  const auto refuse = [&](std::string_view what) {
    throw InputError(sources.problem(mark, what, "path.to.key=value, such as job.batch=32"));
  };
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || equals == 0) refuse("no 'key=value'");
  const int value_source =
      sources.add("--set " + option, option.substr(equals + 1), std::filesystem::current_path(), true);
  Tree* at = &root;
  std::string path;
  std::size_t depth = 0;
  for (std::size_t begin = 0; begin <= equals;) {
    const std::size_t end = std::min(option.find('.', begin), equals);
    const std::string word = option.substr(begin, end - begin);
    if (word.empty()) refuse("an empty key in the path");
    if (++depth > kDeepest) refuse("a path of too many keys");
    if (at->kind == Tree::Kind::scalar) refuse(fmt::format("'{}' is {} and has no keys", path, describe(*at)));
    at = at->kind == Tree::Kind::sequence ? item_at(*at, word) : &at->at_or_new(word, mark);
    if (at == nullptr) refuse(fmt::format("'{}' is a list and has no item '{}'", path, word));
    path = join_path(path, word);
    begin = end + 1;
  }
  replace(*at, parse_yaml(sources, value_source));
}

std::map<std::string, std::string> origin_texts(const ReadContext& context) {
  std::map<std::string, std::string> texts;
  for (const auto& [path, mark] : context.origins) texts[path] = context.sources.origin(mark);
  return texts;
}

/// SimGrid 3.32 holds running flows to the old bandwidth of a link that gets more, or none (see its set_bandwidth).
void refuse_profiles(const PlatformSpec& platform, const std::vector<Disturbance>& disturbances, ReadContext& context) {
  const auto refuse = [&](const std::string& path, const std::optional<BandwidthProfile>& profile) {
    if (profile)
      context.problem_at(path, "the engine simgrid cannot change the bandwidth of transfers under way",
                         "run.engine: fluid (`--engine fluid`), or no profile");
  };
  for (const HostGroupSpec& group : platform.hosts)
    refuse(fmt::format("platform.hosts.{}.nic.profile", group.name), group.nic.profile);
  if (platform.topology.racks) refuse("platform.topology.racks.profile", platform.topology.racks->profile);
  for (std::size_t i = 0; i < disturbances.size(); ++i)
    if (const auto* link = std::get_if<LinkSpec>(&disturbances[i]))
      refuse(fmt::format("job.disturbances.{}.link", i), link->profile);
}

void check_run(const ScenarioSpec& scenario, ReadContext& context) {
  const RunSpec& run = scenario.run;
  const NetworkSpec& network = scenario.platform.network;
  if (network.model == NetworkModel::lv08 && run.engine == EngineKind::fluid)
    context.problem_at("run.engine", "the network model lv08 is SimGrid's; the engine fluid does not have it",
                       "engine: simgrid, or platform.network.model: ideal");
  if (network.model == NetworkModel::lv08 && network.sharing == Sharing::fifo)
    context.problem_at("platform.network.sharing", "the network model lv08 shares fairly, as TCP does",
                       "sharing: fair, or model: ideal");
  if (run.engine == EngineKind::simgrid) refuse_profiles(scenario.platform, scenario.job.disturbances, context);
  if (scenario.job.priority != Priority::none && run.engine == EngineKind::simgrid)
    context.problem_at("job.priority", "SimGrid's flows have no priorities; the engine fluid has them",
                       "run.engine: fluid (`--engine fluid`), or priority: none");
  if (scenario.job.priority != Priority::none && network.sharing == Sharing::fifo)
    context.problem_at("job.priority", "a link with sharing fifo takes transfers in the order in which they come",
                       "priority: none, or platform.network.sharing: fair");
  if (static_cast<int>(run.updates.has_value()) + static_cast<int>(run.time.has_value()) +
          static_cast<int>(run.precision.has_value()) >
      1)
    context.problem_at("run", "more than one rule for the end of the run", "one of updates, time and precision");
}

/// Everything that a scenario may have within itself, to learn from reading it which keys belong where.
constexpr std::array kSamples{
    "{platform: {network: {}, hosts: {GROUP: {nic: {profile: {steps: [{}]}}}}, topology: {racks: {profile: {}}}},"
    " model: {}, run: {precision: {}},"
    " job: {workers: {compute: {}}, servers: {update: {}}, compute: {}, sharding: {}, disturbances: [{slow: {}},"
    " {regimes: {}}, {correlation: {}}, {link: {steps: [{}]}}, {leave: {}}, {stall: {}}]}}",
    "{model: {layers: [], totals: {}}, job: {workers: {compute: {distribution: empirical}},"
    " servers: {update: {distribution: empirical}}, compute: {distribution: empirical}}}"};

/// `key`: where a sample holds what is a file of its own as `Spec`; null: the whole.
template <class Spec>
KeyPlaces learn_places(const char* key) {
  KeyPlaces places;
  for (const char* sample : kSamples) {
    Sources sources;
    const Tree whole = parse_yaml(sources, sources.add("", sample, {}));
    const Tree* part = key == nullptr ? &whole : whole.find(key);
    ReadContext context{sources};
    context.learns = &places;
    Spec spec;
    if (part != nullptr) Codec<Spec>::read(context, *part, "", spec);
  }
  return places;
}

/// Throws InputError with all problems of reading `root` as `Spec`.
template <class Spec>
Spec read_spec(ReadContext& context, const Tree& root, const char* key) {
  static const KeyPlaces places = learn_places<Spec>(key);
  context.places = &places;
  context.origins[""] = root.mark;
  Spec spec;
  Codec<Spec>::read(context, root, "", spec);
  if (!context.problems.empty()) throw InputError(std::move(context.problems));
  return spec;
}

Tree load(Sources& sources, int source, const std::vector<std::string>& sets) {
  Tree root = parse_yaml(sources, source);
  const FileKind kind = kind_of(root);
  const bool names_files = kind == FileKind::scenario || kind == FileKind::unknown;
  if (names_files) expand_files(sources, root);
  for (const std::string& option : sets) {
    apply_set(sources, root, option);
    if (names_files) expand_files(sources, root);
  }
  return root;
}

Tree load_file(Sources& sources, const std::filesystem::path& file, const std::vector<std::string>& sets) {
  return load(sources, sources.add(file.string(), read_file(file, kLargestYaml), file.parent_path()), sets);
}

Scenario bind_scenario(Sources& sources, const Tree& root, const std::string& name) {
  if (const FileKind kind = kind_of(root); kind == FileKind::platform || kind == FileKind::model)
    throw InputError({name, fmt::format("this is a {} file", word_for(kind)), "", 0,
                      fmt::format("a scenario, which names its {0} under the key '{0}'", word_for(kind))});
  ReadContext context{sources};
  Scenario scenario{name, read_spec<ScenarioSpec>(context, root, nullptr), {}, {}};
  check_run(scenario.spec, context);
  if (context.problems.empty()) scenario.layout = make_layout(scenario.spec, context);
  if (!context.problems.empty()) throw InputError(std::move(context.problems));
  scenario.origins = origin_texts(context);
  return scenario;
}

/// Every scalar of `tree` that nobody wrote is a default; those of a plain list stand or fall with it.
void mark_defaults(const Tree& tree, const std::string& path, std::map<std::string, std::string>& origins) {
  if (tree.kind == Tree::Kind::scalar) origins.try_emplace(path, "default");
  for (std::size_t i = 0; i < tree.items.size(); ++i) {
    const Tree& item = tree.items[i];
    if (tree.kind == Tree::Kind::mapping)
      mark_defaults(item, join_path(path, item.key), origins);
    else if (item.kind == Tree::Kind::mapping)
      mark_defaults(item, join_path(path, std::to_string(i)), origins);
  }
}

FileDescription with_defaults(Tree tree, std::map<std::string, std::string> origins) {
  mark_defaults(tree, "", origins);
  return {std::move(tree), std::move(origins)};
}

template <class Spec>
FileDescription describe_spec(Sources& sources, const Tree& root, const char* key) {
  ReadContext context{sources};
  const Spec spec = read_spec<Spec>(context, root, key);
  return with_defaults(Codec<Spec>::write(spec), origin_texts(context));
}

}  // namespace

Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& sets) {
  Sources sources;
  const Tree root = load_file(sources, file, sets);
  return bind_scenario(sources, root, file.string());
}

Scenario read_scenario_text(const std::string& name, const std::string& text, const std::filesystem::path& folder,
                            const std::vector<std::string>& sets) {
  Sources sources;
  const Tree root = load(sources, sources.add(name, plain(text), folder), sets);
  return bind_scenario(sources, root, name);
}

Scenario with_workers(Scenario scenario, long long workers) {
  std::vector<WorkerGroupSpec>& groups = scenario.spec.job.workers;
  if (groups.size() > 1)
    throw InputError({scenario.name,
                      fmt::format("job.workers has {} groups, and which of them grows is not said", groups.size()), "",
                      0, "one group of workers"});
  groups.front().count = workers;
  Sources sources;
  ReadContext context{sources};
  context.origins[""] = {sources.add(fmt::format("{} with {} workers", scenario.name, workers), "", {}, true), 0, 0};
  scenario.layout = make_layout(scenario.spec, context);
  if (!context.problems.empty()) throw InputError(std::move(context.problems));
  return scenario;
}

Tree effective_tree(const ScenarioSpec& spec) { return Codec<ScenarioSpec>::write(spec); }

FileDescription describe_file(const std::filesystem::path& file, const std::vector<std::string>& sets) {
  Sources sources;
  const Tree root = load_file(sources, file, sets);
  if (kind_of(root) == FileKind::platform) return describe_spec<PlatformSpec>(sources, root, "platform");
  if (kind_of(root) == FileKind::model) return describe_spec<ModelSpec>(sources, root, "model");
  const Scenario scenario = bind_scenario(sources, root, file.string());
  return with_defaults(effective_tree(scenario.spec), scenario.origins);
}

}  // namespace stagger
