#include "sim/config/scenario.hpp"

#include <charconv>

#include "sim/config/fields.hpp"

namespace stagger {
namespace {

Tree load_file(Sources& sources, const std::filesystem::path& file) {
  const int source = sources.add(file.string(), read_file(file), file.parent_path());
  return parse_yaml(sources, source);
}

/// Replaces a value and leaves it under its key.
void replace(Tree& value, Tree by) {
  by.key = value.key;
  by.key_mark = value.key_mark;
  value = std::move(by);
}

/// Replaces the file names after `platform:` and `model:` by what the files hold.
void expand_files(Sources& sources, Tree& scenario) {
  for (const char* key : {"platform", "model"})
    if (Tree* value = scenario.find(key); value != nullptr && value->kind == Tree::Kind::scalar) {
      const auto file = sources.folder(value->mark.source) / value->text;
      if (!std::filesystem::exists(file))
        throw InputError(
            sources.problem(value->mark, fmt::format("there is no file '{}'", value->text),
                            fmt::format("the name of a {} file, relative to this one, or a mapping", key)));
      replace(*value, load_file(sources, file.lexically_normal()));
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
  const auto refuse = [&](std::string what) {
    throw InputError(sources.problem(mark, std::move(what), "path.to.key=value, such as job.batch=32"));
  };
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || equals == 0) refuse("no 'key=value'");
  const int value_source =
      sources.add("--set " + option, option.substr(equals + 1), std::filesystem::current_path(), true);
  Tree* at = &root;
  std::string path;
  for (std::size_t begin = 0; begin <= equals;) {
    const std::size_t end = std::min(option.find('.', begin), equals);
    const std::string word = option.substr(begin, end - begin);
    if (word.empty()) refuse("an empty key in the path");
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

void check_run(const RunSpec& run, ReadContext& context) {
  if (static_cast<int>(run.updates.has_value()) + static_cast<int>(run.time.has_value()) +
          static_cast<int>(run.precision.has_value()) >
      1)
    context.problem_at("run", "more than one rule for the end of the run", "one of updates, time and precision");
}

Tree load_scenario(Sources& sources, const std::filesystem::path& file, const std::vector<std::string>& sets) {
  Tree root = load_file(sources, file);
  expand_files(sources, root);
  for (const std::string& option : sets) {
    apply_set(sources, root, option);
    expand_files(sources, root);
  }
  return root;
}

Scenario bind_scenario(Sources& sources, const Tree& root, const std::filesystem::path& file) {
  for (const auto& [key, kind] : {std::pair{"hosts", "platform"}, std::pair{"layers", "model"}})
    if (root.find(key) != nullptr && root.find("job") == nullptr)
      throw InputError({file.string(), fmt::format("this is a {} file", kind), "", 0,
                        fmt::format("a scenario, which names its {0} under the key '{0}'", kind)});
  ReadContext context{sources};
  Scenario scenario{file.string(), {}, {}, {}};
  context.origins[""] = root.mark;
  Codec<ScenarioSpec>::read(context, root, "", scenario.spec);
  if (context.problems.empty()) check_run(scenario.spec.run, context);
  if (context.problems.empty()) scenario.layout = make_layout(scenario.spec, context);
  if (!context.problems.empty()) throw InputError(std::move(context.problems));
  scenario.origins = origin_texts(context);
  return scenario;
}

/// Every scalar of `tree` that nobody wrote is a default.
void mark_defaults(const Tree& tree, const std::string& path, std::map<std::string, std::string>& origins) {
  if (tree.kind == Tree::Kind::scalar) origins.try_emplace(path, "default");
  if (tree.kind == Tree::Kind::mapping)
    for (const Tree& member : tree.items) mark_defaults(member, join_path(path, member.key), origins);
}

FileDescription with_defaults(Tree tree, std::map<std::string, std::string> origins) {
  mark_defaults(tree, "", origins);
  return {std::move(tree), std::move(origins)};
}

template <class Spec>
FileDescription describe_spec(Sources& sources, const Tree& root) {
  ReadContext context{sources};
  Spec spec;
  Codec<Spec>::read(context, root, "", spec);
  if (!context.problems.empty()) throw InputError(std::move(context.problems));
  return with_defaults(Codec<Spec>::write(spec), origin_texts(context));
}

}  // namespace

Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& sets) {
  Sources sources;
  const Tree root = load_scenario(sources, file, sets);
  return bind_scenario(sources, root, file);
}

Tree effective_tree(const ScenarioSpec& spec) { return Codec<ScenarioSpec>::write(spec); }

FileDescription describe_file(const std::filesystem::path& file, const std::vector<std::string>& sets) {
  Sources sources;
  const Tree root = load_scenario(sources, file, sets);
  if (root.find("hosts") != nullptr) return describe_spec<PlatformSpec>(sources, root);
  if (root.find("layers") != nullptr) return describe_spec<ModelSpec>(sources, root);
  const Scenario scenario = bind_scenario(sources, root, file);
  return with_defaults(effective_tree(scenario.spec), scenario.origins);
}

}  // namespace stagger
