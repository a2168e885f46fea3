// The analytical answer to a job: throughput, bounds and staleness from a queueing network, in milliseconds.
#pragma once

#include "sim/config/layout.hpp"
#include "sim/result/run_result.hpp"

namespace stagger {

/// Solves the network of model.hpp by exact MVA and says in `not_covered` what keeps the answer from being exact.
///
/// updates_per_s counts versions: an asynchronous gradient is one; a synchronous job (bsp) makes one of N gradients,
/// and gets the asynchronous model's value, which leaves out the waiting of the workers for each other. bounds are the
/// tightest of bounds.hpp and limits.hpp when the job is covered and its workers are of one kind, those of limits.hpp
/// otherwise. capacity_upper_updates_per_s and knee_workers are infinite when nothing can saturate. Staleness:
/// predict_staleness.hpp. Throws InputError when a step takes no time.
PredictedResult predict(const Layout& layout);

}  // namespace stagger
