// Holds the shape of the house: a folder includes only itself and the folders above it, and each
// library has its home.
//
// The rules are a pure function of a file's path and text, so that each of them is also seen to
// fail here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace stagger {
namespace {

namespace fs = std::filesystem;

// From the ground up; sub-folders belong to the folder that is listed.
constexpr std::array<std::string_view, 11> kLayers = {"sim/base",   "sim/config", "sim/policy", "sim/result",
                                                      "sim/engine", "sim/job",    "sim/learn",  "analysis",
                                                      "sim/study",  "sim/output", "sim/cli"};

// The model is compared with the simulation, so it must not be built on it.
constexpr std::array<std::string_view, 3> kHiddenFromAnalysis = {"sim/engine", "sim/job", "sim/learn"};

// Everything rests on sim/base, so it brings along only what every build has: C++ (names without a
// dot or a slash), POSIX for child processes, numbers and formatting.
constexpr std::array<std::string_view, 9> kBaseLibraries = {
    "boost/math", "boost/random", "fmt/", "Random123/", "sys/", "fcntl.h", "poll.h", "signal.h", "unistd.h"};

// A library that only its homes may see, so that replacing it touches no other folder.
struct Library {
  std::string_view header;
  std::vector<std::string_view> homes;
};
const std::vector<Library> kHomes = {{"simgrid/", {"sim/engine/simgrid"}},
                                     {"xbt/", {"sim/engine/simgrid"}},
                                     {"yaml-cpp/", {"sim/config"}},
                                     {"boost/program_options", {"sim/cli"}},
                                     {"iostream", {"sim/output", "sim/cli"}}};

constexpr std::string_view kOutside = "every file lives in a folder of the house (kLayers)";
constexpr std::string_view kUnreadable = "an include names its file, not a macro";
constexpr std::string_view kFromRoot = "house headers are written in quotes, from the repository root";
constexpr std::string_view kUpwards = "a folder includes only itself and the folders above it in the house";
constexpr std::string_view kAnalysis = "analysis sees neither sim/engine nor sim/job nor sim/learn";
constexpr std::string_view kBase = "sim/base uses only std, POSIX, boost/random, boost/math, Random123 and fmt";
constexpr std::string_view kHome = "only the home of a library includes it (kHomes)";

bool is_in(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
}

std::optional<std::size_t> layer_of(std::string_view path) {
  const auto layer = std::find_if(kLayers.begin(), kLayers.end(), [&](auto folder) { return is_in(path, folder); });
  if (layer == kLayers.end()) return std::nullopt;
  return layer - kLayers.begin();
}

/// The rule that a file in `layer` breaks with an #include of `target`, written as "a.hpp" or <a>.
std::optional<std::string_view> broken_rule(const std::string& path, std::size_t layer, std::string_view target) {
  const bool quoted = target.front() == '"';
  if (!quoted && target.front() != '<') return kUnreadable;
  const std::string_view name = target.substr(1, target.size() - 2);
  const auto names = [&](std::string_view prefix) { return name.starts_with(prefix); };

  const auto target_layer = layer_of(name);
  if (quoted != target_layer.has_value() || name.find("..") != name.npos) return kFromRoot;
  if (quoted) {
    if (*target_layer > layer) return kUpwards;
    const bool hidden = std::any_of(kHiddenFromAnalysis.begin(), kHiddenFromAnalysis.end(),
                                    [&](auto folder) { return is_in(name, folder); });
    if (hidden && is_in(path, "analysis")) return kAnalysis;
    return std::nullopt;
  }
  for (const Library& library : kHomes) {
    const bool home =
        std::any_of(library.homes.begin(), library.homes.end(), [&](auto folder) { return is_in(path, folder); });
    if (names(library.header) && !home) return kHome;
  }
  const bool standard = name.find_first_of("./") == name.npos;
  if (is_in(path, "sim/base") && !standard && std::none_of(kBaseLibraries.begin(), kBaseLibraries.end(), names)) {
    return kBase;
  }
  return std::nullopt;
}

std::string message(const std::string& path, int line, const std::string& subject, std::string_view rule) {
  return path + ":" + std::to_string(line) + ": " + subject + ": " + std::string(rule);
}

/// "file:line: #include target: rule" for each broken rule; `path` is relative to the repository
/// root, with slashes.
std::vector<std::string> violations(const std::string& path, const std::string& text) {
  const auto layer = layer_of(path);
  if (!layer) return {message(path, 1, "this file", kOutside)};

  static const std::regex include(R"(^\s*#\s*include\s*("[^"]*"|<[^>]*>|\w+))");
  std::vector<std::string> found;
  std::istringstream lines(text);
  std::smatch match;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (!std::regex_search(line, match, include)) continue;
    const std::string target = match[1];
    const auto rule = broken_rule(path, *layer, target);
    if (rule) found.push_back(message(path, number, "#include " + target, *rule));
  }
  return found;
}

/// Every source file of the house, relative to the repository root.
std::vector<std::string> source_files(const fs::path& root) {
  std::vector<std::string> files;
  for (const char* top : {"sim", "analysis"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const auto name = entry.path().filename();
      const bool source = name != "CMakeLists.txt" && name.extension() != ".md";
      if (source && entry.is_regular_file()) files.push_back(entry.path().lexically_relative(root).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The rule that a file with this single #include breaks, or "none".
std::string_view verdict(const std::string& path, std::string_view target) {
  return broken_rule(path, layer_of(path).value(), target).value_or("none");
}

TEST(Layers, TheHouseKeepsItsRules) {
  const fs::path root = STAGGER_SOURCE_DIR;
  const auto files = source_files(root);
  EXPECT_TRUE(std::binary_search(files.begin(), files.end(), "sim/base/units.hpp")) << "the files are not visited";
  for (const auto& file : files) {
    for (const auto& violation : violations(file, read(root / file))) ADD_FAILURE() << violation;
  }
}

TEST(Layers, AViolationNamesFileLineAndRule) {
  const auto found = violations("sim/base/x.cpp", "#include <string>\n\n  # include \"sim/job/worker.hpp\"  // why\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], "sim/base/x.cpp:3: #include \"sim/job/worker.hpp\": " + std::string(kUpwards));
}

TEST(Layers, EveryViolationOfAFileIsFound) {
  EXPECT_EQ(violations("sim/job/x.cpp", "#include <iostream>\r\n#include<xbt/log.h>\n").size(), 2U);
}

TEST(Layers, CommentsAndStringsIncludeNothing) {
  EXPECT_TRUE(violations("sim/base/x.cpp", "// #include <iostream>\nauto s = \"#include <iostream>\";\n").empty());
}

TEST(Layers, AFileLivesInAFolderOfTheHouse) {
  for (const char* path : {"sim/x.cpp", "sim/bases/x.cpp", "sim/extra/x.cpp"}) {
    EXPECT_EQ(violations(path, ""), std::vector{message(path, 1, "this file", kOutside)});
  }
  EXPECT_TRUE(violations("sim/engine/simgrid/x.cpp", "").empty());
}

TEST(Layers, AFolderIncludesItselfAndTheFoldersAbove) {
  for (std::size_t own = 0; own < kLayers.size(); ++own) {
    for (std::size_t other = 0; other < kLayers.size(); ++other) {
      const std::string path = std::string(kLayers[own]) + "/x.cpp";
      const std::string target = "\"" + std::string(kLayers[other]) + "/y.hpp\"";
      const bool hidden = kLayers[own] == "analysis" &&
                          std::count(kHiddenFromAnalysis.begin(), kHiddenFromAnalysis.end(), kLayers[other]) > 0;
      const auto rule = other > own ? kUpwards : hidden ? kAnalysis : std::string_view("none");
      EXPECT_EQ(verdict(path, target), rule) << path << " " << target;
    }
  }
}

TEST(Layers, ASubfolderBelongsToItsFolder) {
  EXPECT_EQ(verdict("sim/engine/x.cpp", "\"sim/engine/simgrid/engine.hpp\""), "none");
  EXPECT_EQ(verdict("sim/engine/simgrid/x.cpp", "\"sim/job/worker.hpp\""), kUpwards);
  EXPECT_EQ(verdict("analysis/x.cpp", "\"sim/engine/simgrid/engine.hpp\""), kAnalysis);
}

TEST(Layers, HouseHeadersAreWrittenInQuotesFromTheRoot) {
  for (const char* target : {"\"units.hpp\"", "\"base/units.hpp\"", "\"../base/units.hpp\"", "<sim/base/units.hpp>",
                             "\"sim/job/../base/units.hpp\"", "\"yaml-cpp/yaml.h\"", "\"tests/port.hpp\""}) {
    EXPECT_EQ(verdict("sim/job/x.cpp", target), kFromRoot) << target;
  }
  EXPECT_EQ(verdict("sim/job/x.cpp", "HEADER"), kUnreadable);
}

TEST(Layers, ALibraryStaysInItsHome) {
  for (const char* target : {"<simgrid/s4u.hpp>", "<xbt/log.h>"}) {
    EXPECT_EQ(verdict("sim/engine/simgrid/x.cpp", target), "none");
    EXPECT_EQ(verdict("sim/engine/x.cpp", target), kHome);
    EXPECT_EQ(verdict("sim/cli/x.cpp", target), kHome);
  }
  EXPECT_EQ(verdict("sim/config/x.cpp", "<yaml-cpp/yaml.h>"), "none");
  EXPECT_EQ(verdict("sim/study/x.cpp", "<yaml-cpp/yaml.h>"), kHome);
  EXPECT_EQ(verdict("sim/cli/x.cpp", "<boost/program_options.hpp>"), "none");
  EXPECT_EQ(verdict("sim/study/x.cpp", "<boost/program_options/options_description.hpp>"), kHome);
}

TEST(Layers, OnlyOutputAndTheCommandLinePrint) {
  EXPECT_EQ(verdict("sim/cli/main.cpp", "<iostream>"), "none");
  EXPECT_EQ(verdict("sim/output/x.cpp", "<iostream>"), "none");
  EXPECT_EQ(verdict("analysis/x.cpp", "<iostream>"), kHome);
  EXPECT_EQ(verdict("sim/base/x.cpp", "<iostream>"), kHome);
  EXPECT_EQ(verdict("analysis/x.cpp", "<ostream>"), "none");
}

TEST(Layers, TheBaseRestsOnAFewLibraries) {
  for (const char* target : {"<vector>", "<cmath>", "<sys/wait.h>", "<unistd.h>", "<boost/math/tools/roots.hpp>",
                             "<boost/random/gamma_distribution.hpp>", "<Random123/philox.h>", "<fmt/format.h>"}) {
    EXPECT_EQ(verdict("sim/base/x.cpp", target), "none") << target;
  }
  for (const char* target : {"<boost/context/fiber.hpp>", "<nlohmann/json.hpp>", "<Eigen/Dense>", "<zlib.h>"}) {
    EXPECT_EQ(verdict("sim/base/x.cpp", target), kBase) << target;
    EXPECT_EQ(verdict("sim/result/x.cpp", target), "none") << target;
  }
}

}  // namespace
}  // namespace stagger
