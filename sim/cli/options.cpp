#include "sim/cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "sim/config/codec.hpp"

namespace stagger {
namespace {

namespace po = boost::program_options;

po::options_description visible_options(const Command& command) {
  po::options_description options("Options");
  auto add = options.add_options();
  add("set", po::value<std::vector<std::string>>()->composing()->value_name("PATH.TO.KEY=VALUE"),
      "replace a value of the scenario; may be repeated");
  add("seed", po::value<std::string>()->value_name("N"), "short for --set run.seed=N");
  add("engine", po::value<std::string>()->value_name("NAME"), "short for --set run.engine=NAME");
  add("json", po::value<std::string>()->value_name("FILE"), "write the result as JSON; - is standard output");
  const auto has = [&](std::string_view name) { return std::ranges::find(command.own, name) != command.own.end(); };
  if (has("out"))
    add("out", po::value<std::string>()->value_name("DIR"), "write result.json, updates.csv, steps.csv, scenario.yaml");
  if (has("export"))
    add("export", po::value<std::string>()->value_name("FORMAT"),
        "instead of the summary, print the queueing network for another program: octave (a GNU Octave script)");
  if (has("measured"))
    add("measured", po::value<std::string>()->value_name("FILE"),
        "instead of the summary, compare with a CSV file of measured throughputs (columns workers, and updates_per_s "
        "or "
        "examples_per_s), and with linear scaling, interpolation and regression");
  if (has("stations")) add("stations", "under each line, how busy each station is and how many workers are there");
  add("quiet,q", "no progress, no summary");
  add("help,h", "show this text");
  return options;
}

[[noreturn]] void refuse(const Command& command, std::string what, std::string expected) {
  throw InputError({fmt::format("stagger {}", command.name), std::move(what), "", 0, std::move(expected)});
}

[[noreturn]] void refuse_file(const std::string& file) {
  throw InputError({file, "the file cannot be written", "", 0, "a place with room and the right to write"});
}

void check_export(const Command& command, const Options& options) {
  if (std::ranges::find(kExportFormats, options.export_format) == kExportFormats.end())
    refuse(command, fmt::format("--export: there is no format '{}'", options.export_format),
           join_words({kExportFormats.begin(), kExportFormats.end()}));
  if (options.json == "-")
    refuse(command, "--export and --json - both go to standard output", "--json with a file, or one of the two");
  if (!options.measured.empty())
    refuse(command, "--export and --measured both print instead of the summary", "one of the two");
}

std::string nearest_option(const po::options_description& options, const std::string& given) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back("--" + option->long_name());
  const std::string close = nearest(given.substr(0, given.find('=')), names);
  return close.empty() ? "see --help" : close;
}

po::variables_map parse(const Command& command, const std::vector<std::string>& arguments) {
  const po::options_description visible = visible_options(command);
  po::options_description all;
  all.add(visible).add_options()("file", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("file", -1);
  po::variables_map values;
  using namespace po::command_line_style;
  try {
    // No guessing: --se is not --set.
    po::store(po::command_line_parser(arguments)
                  .options(all)
                  .positional(positional)
                  .style(unix_style & ~allow_guessing)
                  .run(),
              values);
  } catch (const po::unknown_option& error) {
    refuse(command, fmt::format("there is no option '{}'", error.get_option_name()),
           nearest_option(visible, error.get_option_name()));
  } catch (const po::error& error) {
    refuse(command, error.what(), "see --help");
  }
  return values;
}

}  // namespace

Options parse_options(const Command& command, const std::vector<std::string>& arguments) {
  const po::variables_map values = parse(command, arguments);
  Options options;
  options.help = values.count("help") > 0;
  options.stations = values.count("stations") > 0;
  options.quiet = values.count("quiet") > 0;
  const auto text = [&](const char* name) {
    return values.count(name) > 0 ? values[name].as<std::string>() : std::string();
  };
  options.json = text("json");
  options.out = text("out");
  options.export_format = text("export");
  options.measured = text("measured");
  if (values.count("file") > 0) options.files = values["file"].as<std::vector<std::string>>();
  if (values.count("set") > 0) options.sets = values["set"].as<std::vector<std::string>>();
  for (const char* name : {"seed", "engine"})
    if (values.count(name) > 0) options.sets.push_back(fmt::format("run.{}={}", name, text(name)));
  if (options.help) return options;
  if (values.count("export") > 0) check_export(command, options);
  if (options.files.empty())
    refuse(command, "no file given", fmt::format("stagger {} {}", command.name, command.arguments));
  if (std::ranges::find(options.files, "") != options.files.end())
    refuse(command, "'': there is no such file", "a file name");
  if (options.files.size() > command.most_files)
    refuse(command, fmt::format("'{}' is one file too many", options.files[command.most_files]),
           fmt::format("stagger {} {}", command.name, command.arguments));
  return options;
}

std::string usage(const Command& command) {
  std::ostringstream text;
  text << fmt::format("usage: stagger {} {} [options]\n\n{}\n\n", command.name, command.arguments, command.does)
       << visible_options(command);
  return text.str();
}

void check_writable(const std::string& file) {
  if (file.empty() || file == "-") return;
  const std::ofstream out(file, std::ios::binary | std::ios::app);  // leaves what is there
  if (!out) refuse_file(file);
}

void write_file(const std::string& file, const std::function<void(std::ostream&)>& write) {
  std::ofstream out(file, std::ios::binary);
  write(out);
  out.close();
  if (!out) refuse_file(file);
}

void write_text(const std::string& file, const std::string& text) {
  if (file == "-")
    std::cout << text;
  else
    write_file(file, [&](std::ostream& out) { out << text; });
}

void for_each_file(const std::vector<std::string>& files, const std::function<void(const std::string&)>& read) {
  std::vector<InputProblem> problems;
  for (const std::string& file : files) {
    try {
      read(file);
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(problems);
}

}  // namespace stagger
