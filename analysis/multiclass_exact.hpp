// Exact mean value analysis of closed product-form networks with several classes.
#pragma once

#include "analysis/multiclass.hpp"

namespace stagger {

/// How many population vectors the recursion visits, prod_c (N_c + 1): 132'651 for three classes of 50.
double state_count(const MulticlassNetwork& network);

/// What solve_exact takes: terms of the recursion's sums, states * classes * (queues + passes for the stations with
/// several servers, see there). Requires a network, as solve_exact does.
double exact_operations(const MulticlassNetwork& network);

/// Less than a second's work, and 8 MB for each queue and class.
inline constexpr double kMostExactOperations = 2e8;
inline constexpr double kMostStates = 1e6;

/// Whether both limits hold.
bool exact_is_quick(const MulticlassNetwork& network);

/// Solves `network` by exact MVA over all population vectors (Reiser & Lavenberg, "Mean-value analysis of closed
/// multichain queueing networks", JACM 27, 1980): at a queue with one server and at a delay
///   R_kc(n) = D_kc (1 + Q_k(n - e_c)),  X_c(n) = n_c / (Z_c + sum_k R_kc(n)),  Q_k(n) = sum_c X_c(n) R_kc(n).
///
/// Their recursion for several servers takes p_k(0|n) = 1 - sum_j p_k(j|n), which cancels and breaks down near
/// saturation (GNU Octave's qncmmva finds negative throughputs). Here such a station with parallelism c is split. Its
/// product-form weights have the generating function (Reiser & Kobayashi, "Queuing networks with multiple closed
/// chains", IBM J. Res. Dev. 19, 1975), in y = sum_c D_kc z_c,
///   F(y) = sum_n y^n / prod_{j<=n} min(j,c) = L(y) / (1 - y/c),   L(y) = sum_{j<c} (1 - j/c) y^j / j!,
/// so that it is a queue with one server of demand D_kc/c, which the recursion above takes, and a factor L. A network
/// with the normalization constants G becomes one with G' = L G; relative to G, by Horner's rule,
///   T_j(n) = 1 - j/c + 1/(j+1) sum_c D_kc X_c(n) T_{j+1}(n - e_c),   G'(n) = T_0(n) G(n),
///   X'_c(n) = X_c(n) T_0(n - e_c) / T_0(n),
/// and the customers that L holds are its logarithmic derivative, D_kc X'_c(n) [L' G](n - e_c) / G'(n - e_c). No
/// coefficient is negative: nothing but positive numbers is added, multiplied and divided, at any load, so that the
/// relative error is about N * 1e-16.
///
/// Takes O(states * classes * (queues + L sum_k c_k)) for L stations with several servers and parallelism c_k, and
/// memory for states * (queues + 2 classes) numbers. Throws SimulationError unless exact_is_quick; the rest is in
/// multiclass.hpp.
MulticlassResult solve_exact(const MulticlassNetwork& network);

}  // namespace stagger
