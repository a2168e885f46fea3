// One simulation: builds the cluster and the actors of a scenario on its engine and runs them until the scenario's stop
// rule holds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/config/scenario.hpp"
#include "sim/result/run_log.hpp"

namespace stagger {

/// How far a run is; `fraction` is 0 to 1.
struct Progress {
  double fraction = 0.0;
  double simulated_s = 0.0;
  double updates = 0.0;
};

/// What a caller may do while a simulation runs; nothing here changes what is simulated.
struct RunHooks {
  /// Once, when the engine exists: SimGrid's installs signal handlers of its own, which may be replaced now.
  std::function<void()> ready = [] {};
  /// About ten times a second.
  std::function<void(const Progress&)> progress = [](const Progress&) {};
  std::function<bool()> interrupted = [] { return false; };
};

struct Simulation {
  RunLog log;
  std::size_t cut = 0;      ///< the snapshot at which measuring begins
  bool incomplete = false;  ///< interrupted
  std::vector<std::string> warnings;
};

/// Throws InputError for a job that has more actors than SimGrid can hold.
void check_size(const Scenario& scenario);

/// Requires: check_size. Throws SimulationError: the job is deadlocked, or takes no time. With SimGrid: once per process.
Simulation simulate(const Scenario& scenario, const RunHooks& hooks);

}  // namespace stagger
