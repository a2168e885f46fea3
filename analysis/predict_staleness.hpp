// What staleness a job's gradients will have, by the model that fits it best.
#pragma once

#include "analysis/solve_job.hpp"
#include "sim/result/run_result.hpp"

namespace stagger {

/// Mean, L the one-way latency: fused N - 1, exact for every network; separate N - 1 - 2 L X(N-1), the mean number of
/// other workers between their read and their apply that a reading worker sees (arrival theorem; Lavenberg & Reiser,
/// "Stationary state probabilities at arrival instants", J. Appl. Prob. 17, 1980; Sevcik & Mitrani, JACM 28, 1981);
/// 0 where every gradient updates the version that it was computed from (bsp, backup_workers, k_sync, k_batch_sync).
/// With c gradients in a version: where nobody waits the above over c; k_async N/c - 1, for a worker waits for the
/// version with its gradient. ssp the asynchronous mean, which its waiting changes.
/// Distribution: exact where exact_staleness.hpp has it, otherwise the renewal model of staleness.hpp, where a worker's
/// cycle is that which it sees without itself, (N - 1) / X(N - 1). The method says which, and how many states an exact
/// chain has or would have. Unequal workers: each kind has a distribution of its own, with the mean X / X_i - 1
/// (fused), X_i the rate of one of them; the job's pools them by their shares of the updates. Only the mean for more
/// than kMostKinds kinds of workers, for a cv of compute times above kLargestCv, and where workers of one kind update
/// more than kLargestRatio times as often as those of another: the distribution would have millions of values.
PredictedStaleness predict_staleness(const Layout& layout, const SolvedJob& job);
inline constexpr double kLargestCv = 10.0;
inline constexpr double kLargestRatio = 1000.0;

}  // namespace stagger
