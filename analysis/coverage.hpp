// Which jobs the model describes exactly. A difference from the simulation means something only for these.
#pragma once

#include <string>
#include <vector>

#include "analysis/solve_job.hpp"

namespace stagger {

/// One sentence, without full stop, for each assumption of the model that the job breaks; empty: covered. The
/// assumptions:
///   - links shared equally (where pulls and pushes share one, so that a priority matters, another assumption is broken
///     anyway);
///   - asynchronous; at most kMostKinds kinds of workers, so many that they are solved exactly, with equal NICs;
///   compute
///     times with spread, unless the worker is alone (a job without any randomness depends on how it starts);
///   - no limited NIC shared by several workers or several servers, no worker on a server's host;
///   - servers equal in shard (to a byte), NIC, threads and update time;
///   - updates of one server exponential, or else negligible: waiting for them, W, counts as W max(1, (1 + cv^2)/2) and
///     may be kNegligibleShare of a step. With P servers and random update times a step also waits for the slowest of
///     P: the mean update times the harmonic number H_P (the mean maximum of P exponential times) must be negligible as
///     well.
/// What changes while the job runs is the business of long_run.hpp. Transfers may then have any size: equal sharing is insensitive to it (Baskett, Chandy, Muntz & Palacios, "Open,
/// closed, and mixed networks of queues with different classes of customers", JACM 22, 1975), and so are workers that
/// only differ in their compute times. `job` is the layout's.
std::vector<std::string> broken_assumptions(const Layout& layout, const SolvedJob& job);

}  // namespace stagger
