// The jobs whose distribution of staleness is known exactly.
#pragma once

#include <string>
#include <vector>

#include "analysis/solve_job.hpp"

namespace stagger {

struct ExactStaleness {
  std::vector<std::vector<double>> pmfs;  ///< [kind of the job]; none: not known
  std::string method;                     ///< or, without distributions, what they would take; may be empty
};

/// Asynchronous jobs where all workers' compute times are exponential and the network takes no time: with updates that
/// take none either, those of staleness.hpp; with exponential updates of one server, its recursion for equal workers
/// and one thread, otherwise the chains of tagged_chain.hpp where they, one for each compute time, take no longer than
/// a second together.
ExactStaleness exact_staleness(const Layout& layout, const SolvedJob& job);

}  // namespace stagger
