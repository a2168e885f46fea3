// Runs a scenario given as YAML text in a process of its own and hands back what result.json says, with all steps and
// updates.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/base/child_process.hpp"
#include "sim/output/json.hpp"
#include "sim/study/run.hpp"

namespace stagger {

using Json = nlohmann::json;

struct Simulated {
  Json result;   ///< result.json
  Json steps;    ///< [{worker, began, ended, pull, compute, push, wait}, …]
  Json updates;  ///< [{server, worker, arrived, started, ended, staleness}, …]
  std::string error;

  double updates_per_s() const { return result["simulated"]["updates_per_s"]["mean"]; }
  double updates_per_s_error() const { return result["simulated"]["updates_per_s"]["standard_error"]; }
  double staleness() const { return result["simulated"]["staleness"]["mean"]; }
  double staleness_error() const { return result["simulated"]["staleness"]["standard_error"]; }
};

inline Json log_json(const RunLog& log) {
  Json json{{"steps", Json::array()}, {"updates", Json::array()}};
  for (const StepRecord& s : log.steps)
    json["steps"].push_back({{"worker", s.worker},
                             {"began", s.began_s},
                             {"ended", s.ended_s},
                             {"pull", s.pull_s},
                             {"compute", s.compute_s},
                             {"push", s.push_s},
                             {"wait", s.wait_s}});
  for (const UpdateRecord& u : log.updates)
    json["updates"].push_back({{"server", u.server},
                               {"worker", u.worker},
                               {"arrived", u.arrived_s},
                               {"started", u.started_s},
                               {"ended", u.ended_s},
                               {"staleness", u.staleness}});
  return json;
}

inline Simulated simulate_file(const std::filesystem::path& file, const std::vector<std::string>& sets = {},
                               bool with_log = false) {
  const ChildOutcome child = run_in_child([&] {
    const Scenario scenario = read_scenario(file, sets);
    const RunOutcome outcome = run_scenario(scenario);
    return Json{{"result", Json::parse(to_json(outcome.result, scenario))},
                {"log", with_log ? log_json(outcome.log) : Json::object()}}
        .dump();
  });
  if (!child.succeeded) return {{}, {}, {}, child.error};
  const Json json = Json::parse(child.output);
  return {json["result"], json["log"].value("steps", Json{}), json["log"].value("updates", Json{}), ""};
}

inline Simulated simulate_yaml(const std::string& yaml, const std::vector<std::string>& sets = {},
                               bool with_log = false) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("stagger-test-{}.yaml", ::getpid());
  std::ofstream(file) << yaml;
  Simulated run = simulate_file(file, sets, with_log);
  std::filesystem::remove(file);
  return run;
}

/// |measured - exact| <= 6 standard errors; `floor` for measurements without any spread.
inline void expect_within_6_errors(double measured, double exact, double standard_error, double floor = 1e-9) {
  EXPECT_LE(std::abs(measured - exact), 6.0 * standard_error + floor)
      << "measured " << measured << " +- " << standard_error << ", exact " << exact;
}

}  // namespace stagger
