// The options that all commands share, and how each command declares its own.
#pragma once

#include <array>
#include <boost/program_options.hpp>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/scenario.hpp"
#include "sim/study/simulate.hpp"

namespace stagger {

/// What `predict --export` writes.
inline constexpr std::array<const char*, 1> kExportFormats = {"octave"};

/// What the user asked of one command.
struct Options {
  std::vector<std::string> files;
  std::vector<std::string> sets;  ///< --set, and what --seed and --engine set
  std::string json;               ///< a file, or "-"; empty: none
  std::string out;                ///< a folder; empty: none
  std::string export_format;      ///< one of kExportFormats; empty: none
  std::string measured;           ///< a CSV file; empty: none
  bool stations = false;
  bool quiet = false;
  bool help = false;
};

struct Command {
  const char* name;
  const char* arguments;  ///< for the usage line
  const char* does;
  std::size_t most_files;
  std::array<std::string_view, 2> own;  ///< options that not all commands have
  int (*execute)(const Options&);       ///< returns the exit status
};

/// Throws InputError for unknown options, missing files and the like.
Options parse_options(const Command& command, const std::vector<std::string>& arguments);
std::string usage(const Command& command);

/// Before a simulation: nobody should wait for a result that cannot be kept. Throws InputError; "" and "-" are fine.
void check_writable(const std::string& file);
/// Lets `write` fill a file. Throws InputError when it cannot be written.
void write_file(const std::string& file, const std::function<void(std::ostream&)>& write);
/// Writes to the file, or to standard output for "-". Throws InputError when it cannot.
void write_text(const std::string& file, const std::string& text);

/// Calls `read` for each file. Throws InputError with the problems of all of them.
void for_each_file(const std::vector<std::string>& files, const std::function<void(const std::string&)>& read);

/// A progress line with the time that is left on standard error where that is a terminal, and SIGINT as the wish to end
/// early (a second one ends at once).
RunHooks terminal_hooks(bool quiet);
/// Clears the progress line.
void end_progress(bool quiet);

inline constexpr int kDone = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kWrongInput = 2;
inline constexpr int kSimulationFailed = 3;
inline constexpr int kInterrupted = 130;

int run_command(const Options& options);
int predict_command(const Options& options);
int check_command(const Options& options);
int validate_command(const Options& options);

}  // namespace stagger
