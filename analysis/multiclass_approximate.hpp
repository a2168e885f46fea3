// Approximate mean value analysis of closed product-form networks with several classes, at any population.
#pragma once

#include "analysis/multiclass.hpp"

namespace stagger {

// Both are exact for one customer and for delays. A station with several servers is replaced, as it is in Seidmann,
// Schweitzer & Shalev-Oren, "Computerized closed queueing network models of flexible manufacturing systems", Large
// Scale Systems 12, 1987, by a queue with one server of demand D/c and a delay of D (c-1)/c: right for a lone customer
// and when saturated, mostly too slow between. How far throughputs are from the exact ones, the worst class of each of
// 600 random networks of 1 to 6 stations and 1 to 3 classes (tests/data/networks_octave.csv):
//                                   Bard-Schweitzer            Linearizer
//   one server at every queue       1.3 % mean, 32 % at most   0.09 % mean, 1.5 % at most, 1 % in all but a hundredth
//   several servers at some queue   2.8 % mean, 30 % at most   1.4 % mean, 14 % at most: Seidmann's share
// Linearizer may carry a queue beyond its capacity, by up to 0.3 %; its classes are then slowed down to it.
//
// A solution that does not converge within `most_steps` is returned with converged = false. Check it: only the exact
// solution and the laws are always right.

/// Bard-Schweitzer has converged when no class's share at a queue moves by more in an iteration, Linearizer when none
/// moves by more than kRoundTolerance from one set of differences to the next.
inline constexpr double kShareTolerance = 1e-12;
inline constexpr double kRoundTolerance = 1e-9;
/// Of all iterations together, times classes * queues: about two seconds' work.
inline constexpr double kMostSteps = 1e9;

/// Bard-Schweitzer (Schweitzer, "Approximate analysis of multiclass closed networks of queues", 1979; Bard, "Some
/// extensions to multiclass queueing network analysis", 1979): a customer finds every class as it is on average, its
/// own with one customer less, R_kc = D_kc (1 + Q_k - Q_kc / N_c). Memory and time per iteration O(classes * queues).
MulticlassResult solve_bard_schweitzer(const MulticlassNetwork& network, double most_steps = kMostSteps);

/// The shares of Linearizer's populations, classes^2 * queues, and how many it takes: a quarter of a gigabyte of them.
double linearizer_shares(const MulticlassNetwork& network);
inline constexpr double kMostLinearizerShares = 1e7;

/// Linearizer (Chandy & Neuse, "Linearizer: a heuristic algorithm for queueing network models of computing systems",
/// CACM 25, 1982): Bard-Schweitzer takes F_kc = Q_kc / N_c, the share of a class at a queue, to be the same with one
/// customer of class i less; this solves those populations too, takes the differences F_kc(N - e_i) - F_kc(N) from
/// there, and these to be the same everywhere. Iterated until they converge, not three times as in the original. The
/// sums over classes are shared as in de Souza e Silva & Muntz, "A note on the computational cost of the linearizer
/// algorithm", IEEE Trans. Computers 39, 1990: O(classes * queues) per iteration of one population, memory for
/// three times linearizer_shares numbers. Throws SimulationError for more than kMostLinearizerShares.
MulticlassResult solve_linearizer(const MulticlassNetwork& network, double most_steps = kMostSteps);

}  // namespace stagger
