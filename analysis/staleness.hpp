// The distribution of staleness: how many gradients of other workers are applied between a gradient's read and its own
// apply.
#pragma once

#include <vector>

#include "analysis/pmf.hpp"
#include "sim/base/distribution.hpp"

namespace stagger {

// ---- Exact ----------------------------------------------------------------------------------------------------------

/// Equal or unequal workers with exponential compute times, where nothing else takes time: between two of a worker's
/// updates the others' are a Poisson process, so that its staleness is geometric (Dutta, Joshi, Ghosh, Dube &
/// Nagpurkar, "Slow and stale gradients can win the race", AISTATS 2018, has the homogeneous case):
///   P(k) = s (1 - s)^k,   s: the worker's share of all updates, 0 < s <= 1.
std::vector<double> geometric_staleness(double share);

/// N equal workers with exponential compute times of mean `compute_s` > 0 and one first-come server with exponential
/// update times of mean `update_s` > 0; nothing else takes time. When a worker leaves the server, it finds the others
/// as in equilibrium without itself (Sevcik & Mitrani, "The distribution of queuing network states at input and output
/// instants", JACM 28, 1981). While it computes, the others are a birth-death process with N - 1 customers; when it
/// joins the queue, those before it still go first. So with v_d the probability that d updates have been applied and n
/// others are at the server, v_{d+1} follows from v_d by one bidiagonal system. O(N) for each value of staleness,
/// of which there are about 25 N: a second for kMostFifoWorkers.
inline constexpr int kMostFifoWorkers = 2000;
std::vector<double> fifo_staleness(int workers, double compute_s, double update_s);

// ---- Any compute times, any network ---------------------------------------------------------------------------------

/// Workers that are alike.
struct WorkerClass {
  int workers = 0;
  double compute_s = 0.0;  ///< mean
  Distribution compute{};  ///< around it
  double cycle_s = 0.0;    ///< mean time from apply to apply; counts as compute_s where it is less
};

/// An approximation. Links that are shared equally, latencies and first-come servers keep the order of the workers
/// (transfers of one size end in the order in which they began): they delay all, and only computing lets one overtake
/// another. So each worker's applies are taken for a renewal process of its own, with intervals compute time +
/// (cycle - mean compute time), and they are independent of each other. The tagged worker's interval has compute time
/// c, and
///   P(k) = integral over c of P(sum over the others of their renewals in c + cycle - compute - unread = k),
/// the renewals of equilibrium (renewal.hpp). `unread_s`: the part of the interval between the apply and the read of
/// the next version, two one-way latencies in a separate exchange. The others' compute times count as gamma with the
/// same mean and cv, the family that has every cv and whose sums are gamma again; the tagged worker's have their own
/// shape.
///
/// Exact without contention, for gamma compute times. The mean is exact if the cycles are: sum of (cycle - unread) /
/// the others' cycles, N - 1 in a fused exchange of equal workers. Total variation to simulation: at most 0.04 for cv
/// 0.05 to 1, 4 to 128 workers, links idle to saturated (staleness_test). Requires 0 <= tagged < classes.size(), that
/// class with a worker.
std::vector<double> renewal_staleness(const std::vector<WorkerClass>& classes, std::size_t tagged, double unread_s);

}  // namespace stagger
