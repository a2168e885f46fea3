// Reading scenario, platform and model files, with `--set` options on top.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/config/layout.hpp"
#include "sim/config/spec.hpp"

namespace stagger {

/// A scenario that was read without a problem.
struct Scenario {
  std::string name;  ///< the file as the user wrote it
  ScenarioSpec spec;
  Layout layout;
  std::map<std::string, std::string> origins;  ///< "job.batch" -> "file:line" or "--set"
};

/// Reads a scenario file and the platform and model files that it names (relative to its own folder), applies each
/// `path.to.key=value` of `sets` in order, and works out the layout. Throws InputError with all problems found.
Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& sets = {});

/// The same of a text that `name` stands for; the files that it names are relative to `folder`.
Scenario read_scenario_text(const std::string& name, const std::string& text, const std::filesystem::path& folder,
                            const std::vector<std::string>& sets = {});

/// The same job with so many workers. Throws InputError when its workers are a list of groups, of which any could be
/// the one that grows, or when they do not fit on the platform.
Scenario with_workers(Scenario scenario, long long workers);

/// What a file comes to, and where each value was written ("job.batch" -> "file:line", "--set" or "default").
struct FileDescription {
  Tree effective;
  std::map<std::string, std::string> origins;
};

/// Reads a file of any kind, told by its keys: `hosts` makes a platform, `layers` or `bytes` a model, anything else a
/// scenario. Throws InputError.
FileDescription describe_file(const std::filesystem::path& file, const std::vector<std::string>& sets = {});

/// The effective scenario as a tree that can be read again as a scenario.
Tree effective_tree(const ScenarioSpec& spec);

}  // namespace stagger
