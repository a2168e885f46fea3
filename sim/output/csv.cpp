#include "sim/output/csv.hpp"

#include <fmt/ostream.h>

namespace stagger {

// Names need no quoting: the reader allows letters, digits, '_', '-' and '.' only.

void write_updates_csv(std::ostream& out, const RunLog& log, const Layout& layout, double warmup_s) {
  out << "server,worker,step,arrived_s,started_s,ended_s,staleness,new_version,measured\n";
  for (const UpdateRecord& u : log.updates)
    fmt::print(out, "{},{},{},{},{},{},{},{},{}\n", layout.servers[static_cast<std::size_t>(u.server)].name,
               layout.workers[static_cast<std::size_t>(u.worker)].name, u.clock, u.arrived_s, u.started_s, u.ended_s,
               u.staleness, u.new_version ? 1 : 0, u.ended_s > warmup_s ? 1 : 0);
}

void write_steps_csv(std::ostream& out, const RunLog& log, const Layout& layout, double warmup_s) {
  out << "worker,step,began_s,ended_s,pull_s,compute_s,push_s,wait_s,measured\n";
  for (const StepRecord& s : log.steps)
    fmt::print(out, "{},{},{},{},{},{},{},{},{}\n", layout.workers[static_cast<std::size_t>(s.worker)].name, s.clock,
               s.began_s, s.ended_s, s.pull_s, s.compute_s, s.push_s, s.wait_s, s.ended_s > warmup_s ? 1 : 0);
}

}  // namespace stagger
