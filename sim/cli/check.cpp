// stagger check SCENARIO…: as run, one line each. A process each: SimGrid allows one simulation per process.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "sim/base/child_process.hpp"
#include "sim/cli/options.hpp"
#include "sim/output/json.hpp"
#include "sim/output/summary.hpp"
#include "sim/study/run.hpp"

namespace stagger {
namespace {

/// What a child hands back: a letter for how it ended, simulated and predicted updates/s, the length of what to show,
/// this, then the JSON; or what is wrong with the input.
std::string run_one(const Scenario& scenario, const Options& options) try {
  const RunResult result = run_scenario(scenario, terminal_hooks(options.quiet)).result;
  end_progress(options.quiet);
  const char letter = result.incomplete ? 'i' : result.check->verdict == Verdict::disagree ? 'd' : 'a';
  const std::string shown = check_line(result, options.stations);
  return fmt::format("{}{} {} {}\n{}{}", letter, result.simulated->updates_per_s.mean, result.predicted.updates_per_s,
                     shown.size(), shown, to_json(result, scenario));
} catch (const Interrupted&) {
  return "i";
} catch (const InputError& error) {
  return std::string("w") + error.what();
}

struct Compared {
  double simulated_per_s = 0.0;
  double predicted_per_s = 0.0;
  std::string shown;
  std::string json;
};

Compared parse(const std::string& output) {
  Compared compared;
  std::size_t length = 0;
  std::istringstream head(output.substr(1));
  head >> compared.simulated_per_s >> compared.predicted_per_s >> length;
  const std::size_t begin = output.find('\n') + 1;
  compared.shown = output.substr(begin, length);
  compared.json = output.substr(begin + length);
  return compared;
}

}  // namespace

int check_command(const Options& options) {
  std::vector<Scenario> scenarios;
  for_each_file(options.files,
                [&](const std::string& file) { scenarios.push_back(read_scenario(file, options.sets)); });
  check_writable(options.json);
  const bool shows_lines = !options.quiet && options.json != "-";
  if (shows_lines) std::cout << check_heading(options.stations) << std::flush;
  std::vector<double> simulated;
  std::vector<double> predicted;
  int status = kDone;
  std::string json;
  for (const Scenario& scenario : scenarios) {
    const ChildOutcome child = run_in_child([&] { return run_one(scenario, options); });
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
    const Compared compared = parse(child.output);
    if (shows_lines) std::cout << compared.shown << std::flush;
    json += (json.empty() ? "" : ",\n") + compared.json;
    simulated.push_back(compared.simulated_per_s);
    predicted.push_back(compared.predicted_per_s);
    if (child.output.starts_with('d')) status = std::max(status, kCheckFailed);
  }
  if (shows_lines) std::cout << ranking_line(simulated, predicted);
  if (!options.json.empty()) write_text(options.json, "[\n" + json + "]\n");
  return status;
}

}  // namespace stagger
