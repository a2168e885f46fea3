// stagger check SCENARIO…: as run, one line each. A process each: SimGrid allows one simulation per process.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "sim/base/child_process.hpp"
#include "sim/cli/options.hpp"
#include "sim/output/json.hpp"
#include "sim/output/summary.hpp"
#include "sim/study/run.hpp"

namespace stagger {
namespace {

/// What a child hands back: a letter for how it ended, the line to show, then the JSON; or what is wrong with the
/// input.
std::string run_one(const Scenario& scenario, bool quiet) try {
  const RunResult result = run_scenario(scenario, terminal_hooks(quiet)).result;
  end_progress(quiet);
  const char letter = result.incomplete ? 'i' : result.check->verdict == Verdict::disagree ? 'd' : 'a';
  return letter + check_line(result) + to_json(result, scenario);
} catch (const Interrupted&) {
  return "i\n";
} catch (const InputError& error) {
  return std::string("w") + error.what();
}

}  // namespace

int check_command(const Options& options) {
  std::vector<Scenario> scenarios;
  for_each_file(options.files,
                [&](const std::string& file) { scenarios.push_back(read_scenario(file, options.sets)); });
  check_writable(options.json);
  const bool shows_lines = !options.quiet && options.json != "-";
  if (shows_lines) std::cout << check_heading() << std::flush;
  int status = kDone;
  std::string json;
  for (const Scenario& scenario : scenarios) {
    const ChildOutcome child = run_in_child([&] { return run_one(scenario, options.quiet); });
    if (child.interrupted || child.output.starts_with('i')) {  // what is finished is kept
      status = kInterrupted;
      break;
    }
    if (!child.succeeded) {
      std::cerr << fmt::format("{}: the simulation failed: {}\n", scenario.name, child.error);
      status = std::max(status, kSimulationFailed);
      continue;
    }
    if (child.output.starts_with('w')) {
      std::cerr << child.output.substr(1);
      status = std::max(status, kWrongInput);
      continue;
    }
    const std::size_t line_end = child.output.find('\n') + 1;
    if (shows_lines) std::cout << child.output.substr(1, line_end - 1) << std::flush;
    json += (json.empty() ? "" : ",\n") + child.output.substr(line_end);
    if (child.output.starts_with('d')) status = std::max(status, kCheckFailed);
  }
  if (!options.json.empty()) write_text(options.json, "[\n" + json + "]\n");
  return status;
}

}  // namespace stagger
