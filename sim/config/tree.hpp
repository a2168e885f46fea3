// YAML as one small tree in which every node knows where it was written. yaml-cpp's own Node loses marks and duplicate
// keys, so the tree is built from its events.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/input_error.hpp"

namespace stagger {

/// A place in a source; lines and columns count from 1, line 0 is the source as a whole.
struct Mark {
  int source = -1;
  int line = 0;
  int column = 0;
};

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

/// The texts that a configuration was read from: files and `--set` options.
class Sources {
 public:
  /// `name` is what messages call it; paths inside the text are relative to `folder`. Places in an option have no line.
  int add(std::string name, std::string text, std::filesystem::path folder, bool is_option = false);
  const std::filesystem::path& folder(int source) const { return sources_.at(static_cast<std::size_t>(source)).folder; }
  /// "name:line:column".
  std::string where(Mark mark) const;
  /// "name:line", or "--set".
  std::string origin(Mark mark) const;
  /// A problem at `mark`, with the line as excerpt.
  InputProblem problem(Mark mark, std::string what, std::string expected = "") const;
  const std::string& text(int source) const { return sources_.at(static_cast<std::size_t>(source)).text; }

 private:
  struct Source {
    std::string name;
    std::string text;
    std::filesystem::path folder;
    bool is_option;
  };
  std::deque<Source> sources_;
};

/// The whole of a regular file of at most 16 MiB. Throws InputError for anything else: nothing there, a directory, a
/// device or a pipe (which might never end), no permission, too large.
std::string read_file(const std::filesystem::path& path);

/// Parses one YAML document. Throws InputError: syntax, several documents, duplicate keys, keys that are not scalars,
/// deeper than 64 levels or more than 200,000 nodes once aliases are expanded.
Tree parse_yaml(Sources& sources, int source);

/// The tree as YAML text, each scalar followed by the comment that `comment` gives for its path ("job.workers.count"),
/// if any.
std::string to_yaml(const Tree& tree, const std::map<std::string, std::string>& comments = {});

}  // namespace stagger
