// Which resource a job wants more of.
#pragma once

#include <vector>

#include "analysis/solve_job.hpp"
#include "sim/result/run_result.hpp"

namespace stagger {

/// What throughput gains, X'/X - 1, when one kind of resource gets `more` (0.1: 10 % more): the bandwidth of the
/// servers' NICs, of the workers' NICs, or of both where a host has both; of the rack uplinks; of the loopbacks; the
/// speed of computing, and of updates; 1/latency. By solving the job's network again for each. Those that the job does
/// not use are left out; the largest gain comes first. `job` is the layout's solution.
std::vector<Sensitivity> sensitivities(const Layout& layout, const SolvedJob& job, double more = 0.1);

}  // namespace stagger
