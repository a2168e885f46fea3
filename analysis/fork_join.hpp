// Updates of several servers at once, and on several threads: what they make of the throughput that a product form has,
// where each server is a queue of its own and a step waits for the last.
#pragma once

#include "analysis/first_come.hpp"

namespace stagger {

/// N customers each think, send a job to every server at once, and go on when all are done. Each server is first come,
/// first served.
struct ForkJoin {
  MachineRepair repair;  ///< with the service times of one server
  double servers = 1.0;  ///< equal ones, >= 1; or as many equal ones as delay the last of unequal ones as much
  double threads = 1.0;  ///< of each server, 1 to infinity
};

/// The mean of the largest of `count` >= 1 independent draws; by E[max] = integral of x d F(x)^count, so that `count`
/// need not be whole. For exponential times the harmonic number H_count.
double mean_of_largest(const Distribution& shape, double count);

/// X / X_product: throughput over that of a network with product form, in which the servers' updates are one
/// exponential station of `threads` servers. An approximation, the product of two factors:
/// * fork and join, mean value analysis over populations (Varki, "Mean value technique for closed fork-join networks",
///   SIGMETRICS 1999; Nelson & Tantawi, "Approximate analysis of fork/join synchronization in parallel queues", IEEE
///   Trans. Computers 37, 1988, for the order statistic), with M = mean_of_largest, which is exact for N = 1:
///     R(n) = s M + s/m Q(n-1),   Q(n) = X(n) (R(n) - s M (1 - 1/m)),   over the same with M = 1;
/// * service that is not exponential, first_come_per_s over its value for exponential service. Several threads count as
///   one that is m times as fast after a delay of s (1 - 1/m) (Seidmann, Schweitzer & Shalev-Oren, Performance
///   Evaluation 7, 1987), to the power ((N-m) / (N-1))^2, fitted: nobody waits for N <= m.
/// Exact for exponential service of one server with one thread, where it is 1. Errors against simulation:
/// tests/layouts_simulation_test.cpp. O(N).
double fork_join_factor(const ForkJoin& updates);

}  // namespace stagger
