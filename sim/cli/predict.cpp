// stagger predict SCENARIO: the analytical model alone.
#include <iostream>

#include "analysis/export_octave.hpp"
#include "sim/cli/options.hpp"
#include "sim/output/json.hpp"
#include "sim/output/measured_table.hpp"
#include "sim/output/summary.hpp"
#include "sim/study/compare_measured.hpp"
#include "sim/study/run.hpp"

namespace stagger {

int predict_command(const Options& options) {
  const Scenario scenario = read_scenario(options.files.front(), options.sets);
  const bool is_exported = !options.export_format.empty();
  std::string text;
  if (is_exported) text = octave_script(scenario.layout, scenario.name);
  if (!is_exported || !options.json.empty()) {
    RunResult result = predict_scenario(scenario);
    if (!options.measured.empty())
      result.predicted.measured = compare_measured(scenario, read_measured(options.measured));
    if (!is_exported && !options.quiet && options.json != "-")
      text = result.predicted.measured ? measured_table(*result.predicted.measured) : summary(result, scenario);
    if (!options.json.empty()) write_text(options.json, to_json(result, scenario));
  }
  std::cout << text;
  return kDone;
}

}  // namespace stagger
