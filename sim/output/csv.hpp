// The log of a run as CSV files: one line per update, one per step. Columns carry their unit; times count from the
// start of the simulation; `measured` is 0 during warm-up.
#pragma once

#include <iosfwd>

#include "sim/config/layout.hpp"
#include "sim/result/run_log.hpp"

namespace stagger {

void write_updates_csv(std::ostream& out, const RunLog& log, const Layout& layout, double warmup_s);
void write_steps_csv(std::ostream& out, const RunLog& log, const Layout& layout, double warmup_s);

}  // namespace stagger
