// What a queueing network with a product form leaves out of updates that are not exponential.
#pragma once

#include "analysis/solve_job.hpp"

namespace stagger {

/// Multiplies the rates of a job by first_come_per_s over the same for exponential service, where the workers think, as
/// long and with such a spread as they are away from the servers, and corrects the stations; nothing beyond the
/// asymptotic bounds. An approximation as soon as something else is shared. Of servers with one thread each, and with
/// several of them constant and equal update times, in step; others, exponential updates, and corrections of up to
/// kNegligibleShare are left as they are. Sets job.corrected.
void correct_for_first_come(const Layout& layout, SolvedJob& job);

}  // namespace stagger
