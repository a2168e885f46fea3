// The texts that a configuration is read from, and what is said about a place in them. Anybody may have written them:
// they can be endless, binary, or made to harm the reader or its terminal.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/input_error.hpp"

namespace stagger {

/// A place in a source; lines and columns count from 1, columns in bytes; line 0 is the source as a whole.
struct Mark {
  int source = -1;
  int line = 0;
  int column = 0;
};

/// A scenario, platform or model; yaml-cpp may take some 300 times the size of what it reads.
inline constexpr std::size_t kLargestYaml = 1 << 20;
/// A column of samples.
inline constexpr std::size_t kLargestTable = 16 << 20;
/// Adds a problem. Throws all of them as InputError when there are 50: more are no help, and cost time.
void add_problem(std::vector<InputProblem>& problems, InputProblem problem);

/// Without byte order mark, and with '\n' as line ends.
std::string plain(std::string text);

/// The whole of a regular file of at most `most_bytes`, made plain. Throws InputError for anything else: nothing there,
/// a directory, a device or a pipe (which might never end), no permission, too large.
std::string read_file(const std::filesystem::path& path, std::size_t most_bytes = kLargestTable);

/// As part of a message: on one line, without control characters, and the middle of a very long text left out.
std::string shown(std::string_view text);

/// The files and `--set` options of one configuration.
class Sources {
 public:
  /// `name` is what messages call it; paths inside the text are relative to `folder`. Places in an option have no line.
  int add(std::string name, std::string text, std::filesystem::path folder, bool is_option = false);
  const std::string& text(int source) const { return at(source).text; }
  const std::filesystem::path& folder(int source) const { return at(source).folder; }

  /// Throws InputError at the first byte that is not UTF-8 text, or a control character.
  void check_text(int source) const;
  /// Reads the file that is named at `mark`. Throws InputError at that place when it cannot be read.
  std::string read_named(Mark mark, const std::string& name, const std::string& expected,
                         std::size_t most_bytes = kLargestTable) const;

  /// "name:line:column", the column in characters.
  std::string where(Mark mark) const;
  /// "name:line", or "--set".
  std::string origin(Mark mark) const;
  /// A problem at `mark`, with the line as excerpt.
  InputProblem problem(Mark mark, std::string_view what, std::string_view expected = "") const;

 private:
  struct Source {
    std::string name;
    std::string text;
    std::filesystem::path folder;
    bool is_option;
  };
  const Source& at(int source) const { return sources_.at(static_cast<std::size_t>(source)); }
  std::string_view line(Mark mark) const;

  std::deque<Source> sources_;
};

}  // namespace stagger
