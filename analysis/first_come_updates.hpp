// What a queueing network with a product form leaves out of first-come service: updates that are not exponential or
// that several servers do at once, and transfers that a link takes one after the other.
#pragma once

#include "analysis/solve_job.hpp"

namespace stagger {

/// Multiplies the rates of a job by fork_join_factor, where the workers think, as long and with such a spread as they
/// are away from the station, and corrects the stations; nothing beyond the asymptotic bounds. For updates, with the
/// distribution of the slowest server and its mean / saturated demand as its threads, but for one server's exponential
/// ones, which are exact as they are; and, with `sharing: fifo`, for the pushes, of constant size. An approximation as
/// soon as something else is shared. Corrections of up to kNegligibleShare are left out. Sets job.corrected.
void correct_for_first_come(const Layout& layout, SolvedJob& job);

}  // namespace stagger
