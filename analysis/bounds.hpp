// What throughput a network can have at all, in closed form.
#pragma once

#include "analysis/network.hpp"

namespace stagger {

/// Cycles per second of all customers together.
struct ThroughputBounds {
  double lower_per_s = 0.0;
  double upper_per_s = 0.0;
};

/// Asymptotic bounds (Denning & Buzen, "The operational analysis of queueing network models", Computing Surveys 10,
/// 1978; Lazowska et al., "Quantitative System Performance", 1984, ch. 5):
///   N / sum_k D_k max(1, N/c_k)  <=  X(N)  <=  min(N / sum_k D_k, min_k c_k/D_k),   c_k: the station's parallelism.
/// The lower one is the classic N / (Z + N D) at c = 1; for load-dependent stations it follows from the utilization law
/// X D_k = E[min(n_k, c_k)] >= E[n_k] min(1, c_k/N).
ThroughputBounds asymptotic_bounds(const Network& network, int customers);

/// Balanced job bounds with think time Z (Zahorjan, Sevcik, Eager & Galler, "Balanced job bound analysis of queueing
/// networks", CACM 25, 1982; Lazowska et al. 1984, table 5.2): with D the sum and Dmax, Davg the largest and the mean
/// of the K queueing demands,
///   N / (Z + D + (N-1) Dmax / (1 + Z/(N D)))  <=  X(N)  <=  min(1/Dmax, N / (Z + D + (N-1) Davg / (1 + Z/D))).
/// As throughput grows with every station's rate (Shanthikumar & Yao, "The effect of increasing service rates in a
/// closed queueing network", J. Appl. Prob. 23, 1986), a load-dependent station counts as a queue of one server in the
/// lower bound and as a delay of limited rate in the upper.
ThroughputBounds balanced_job_bounds(const Network& network, int customers);

/// Geometric bounds (Casale, Muntz & Serazzi, "Geometric bounds: a noniterative analysis technique for closed queueing
/// networks", IEEE Trans. Computers 57, 2008; with think time their square-root bounds; GNU Octave's qncsgb). With D
/// the sum and M the largest of the queueing demands D_k, and X(N-1) eliminated by (N-1)/N X(N) <= X(N-1) <= X(N), mean
/// value analysis N/X(N) = Z + D + M (N-1 - Z X(N-1)) - sum_k (M - D_k) Q_k(N-1) gives
///   2N / (b- + sqrt(b-^2 - 4 Z M (N-1)))  <=  X(N)  <=  2N / (b+ + sqrt(b+^2 - 4 Z M N)),
///   b = Z + D + M (N-1) - sum_k (M - D_k) q_k,   q_k = y_k + y_k^2 + ... + y_k^(N-1).
/// b- has y_k = D_k (N-1) / (Z + D + M (N-1)), so that q_k <= Q_k(N-1); b+ has y_k = D_k min(1/M, N / (Z + D)), so
/// that q_k >= Q_k(N-1). Load-dependent stations are taken as in the balanced job bounds, and for the same reason.
/// Takes O(stations).
ThroughputBounds geometric_bounds(const Network& network, int customers);

/// The best of the above. All of them require a positive total demand and customers >= 1; product form is needed for
/// the balanced job bounds and the geometric bounds.
ThroughputBounds tightest_bounds(const Network& network, int customers);

/// Where the asymptotes cross, N* = (Z + sum of demands) / largest saturated demand: from here on customers queue.
/// Infinite when no station saturates.
double knee_customers(const Network& network);

}  // namespace stagger
