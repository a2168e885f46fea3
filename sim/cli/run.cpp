// stagger run SCENARIO: simulate, predict, cross-check.
#include "sim/study/run.hpp"

#include <filesystem>
#include <iostream>

#include "sim/cli/guard.hpp"
#include "sim/cli/options.hpp"
#include "sim/output/csv.hpp"
#include "sim/output/json.hpp"
#include "sim/output/summary.hpp"

namespace stagger {
namespace {

namespace fs = std::filesystem;

/// Before the simulation: nobody should wait for a result that cannot be kept.
void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw InputError(
        {folder.string(), "the folder cannot be made: " + error.message(), "", 0, "a folder that can be written"});
  check_writable((folder / "result.json").string());
}

void write_folder(const fs::path& folder, const RunOutcome& outcome, const Scenario& scenario,
                  const std::string& json) {
  write_text((folder / "result.json").string(), json);
  write_text((folder / "scenario.yaml").string(), to_yaml(effective_tree(scenario.spec)));
  const double warmup_s = outcome.result.simulated->warmup_s;
  write_file((folder / "updates.csv").string(),
             [&](std::ostream& out) { write_updates_csv(out, outcome.log, scenario.layout, warmup_s); });
  write_file((folder / "steps.csv").string(),
             [&](std::ostream& out) { write_steps_csv(out, outcome.log, scenario.layout, warmup_s); });
}

int simulate_and_show(const Options& options, const Scenario& scenario) {
  const RunOutcome outcome = run_scenario(scenario, terminal_hooks(options.quiet));
  end_progress(options.quiet);
  const std::string json = to_json(outcome.result, scenario);
  if (!options.json.empty()) write_text(options.json, json);
  if (!options.out.empty()) write_folder(options.out, outcome, scenario, json);
  if (!options.quiet && options.json != "-") std::cout << summary(outcome.result, scenario);
  return outcome.result.incomplete ? kInterrupted : kDone;
}

}  // namespace

int run_command(const Options& options) {
  const Scenario scenario = read_scenario(options.files.front(), options.sets);
  check_writable(options.json);
  if (!options.out.empty()) make_folder(options.out);
  return guarded_in_child([&] { return simulate_and_show(options, scenario); });
}

}  // namespace stagger
