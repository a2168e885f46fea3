// YAML as one small tree in which every node knows where it was written. yaml-cpp's own Node loses marks and duplicate
// keys, so the tree is built from its events.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/sources.hpp"

namespace stagger {

struct Tree {
  enum class Kind { null, scalar, sequence, mapping };

  Kind kind = Kind::null;
  std::string text{};         ///< scalar
  std::vector<Tree> items{};  ///< sequence; mapping, each with its key and in the order of the file
  Mark mark{};
  std::string key{};  ///< in a mapping
  Mark key_mark{};

  /// The value of `name` in a mapping; null: there is none.
  const Tree* find(std::string_view name) const;
  Tree* find(std::string_view name);
  /// The value of `name`, made (null) where it is missing.
  Tree& at_or_new(std::string_view name, Mark where);
  /// Adds a member to a mapping.
  Tree& add(std::string_view name, Mark where, Tree value);
};

/// Collections within collections, also where a `--set` option makes them.
inline constexpr std::size_t kDeepest = 64;

/// Parses one YAML document. Throws InputError: no UTF-8 text, syntax, several documents, duplicate keys, keys that are
/// not scalars, tags, merge keys, deeper than 64 levels or more than 200,000 nodes once aliases are expanded.
Tree parse_yaml(Sources& sources, int source);

/// The tree as YAML text, each scalar followed by the comment that `comment` gives for its path ("job.workers.count"),
/// if any.
std::string to_yaml(const Tree& tree, const std::map<std::string, std::string>& comments = {});

}  // namespace stagger
