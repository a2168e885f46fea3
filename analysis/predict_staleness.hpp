// What staleness a job's gradients will have, by the model that fits it best.
#pragma once

#include "analysis/solve_job.hpp"
#include "sim/result/run_result.hpp"

namespace stagger {

/// Mean, L the one-way latency: fused N - 1, exact for every network; separate N - 1 - 2 L X(N-1), the mean number of
/// other workers between their read and their apply that a reading worker sees (arrival theorem; Lavenberg & Reiser,
/// "Stationary state probabilities at arrival instants", J. Appl. Prob. 17, 1980; Sevcik & Mitrani, JACM 28, 1981);
/// bsp 0.
/// Distribution: exact where staleness.hpp has it, otherwise its renewal model, where a worker's cycle is that which it
/// sees with one worker less, (N - 1) / X(N - 1). Unequal workers: worker i has a share of the job's updates
/// proportional to 1 / its lone step, mean staleness 1 / share - 1 (fused), and a distribution of its own; the job's
/// pools them by their shares. More than kMostKinds kinds of workers: only the mean.
PredictedStaleness predict_staleness(const Layout& layout, const SolvedJob& job);
inline constexpr std::size_t kMostKinds = 8;

}  // namespace stagger
