// One first-come server whose service times are not exponential, where product form fails: the updates of a parameter
// server.
#pragma once

#include "sim/base/distribution.hpp"

namespace stagger {

/// N customers each think for a while and then queue at one first-come server.
struct MachineRepair {
  int customers = 1;
  double think_s = 0.0;    ///< mean, > 0
  double think_cv = 1.0;   ///< used by first_come_per_s only
  double service_s = 0.0;  ///< mean, > 0
  Distribution service{};  ///< around it
};

/// Cycles per second of all customers, for exponential think times: exact (Takacs, "Introduction to the Theory of
/// Queues", 1962, ch. 5: the repairman is idle with the probability
///   p_0 = 1 / (1 + N s/z sum_{n<N} C(N-1, n) B_n),   B_n = prod_{i<=n} (1 / f(i/z) - 1),
/// f the Laplace transform of the service time, z and s the means of thinking and service). Adds and multiplies
/// positive numbers only, as logarithms. O(N).
double exponential_think_per_s(const MachineRepair& repair);

/// The same for any think times: an approximation. In time lost, e = bound / X - 1, bound = min(N / (z + s), 1 / s), it
/// takes e for exponential thinking, exact, and goes from there with the logarithm of the think times' cv, c:
///   e = e_1(service) + r (e_1(exponential) - e_1(service)) L,
///   L = 1/2 ln((c^2 + k c_s^2) / (1 + k c_s^2)),   k = 1.192 / N^1.656,
///   r = 0.277 U^1.929 + 1.57 U^0.87 / N^0.63,   for c > 1: r + 0.272 (1 - r),
/// with U the server's utilization for exponential service and c_s the cv of service. So it is exact for c = 1, and for
/// exponential service, where think times of any distribution give the same (product form); and it never leaves the
/// bounds, as e stays above 0. The eight numbers are fitted to simulations with gamma distributed times, 1,068 points.
/// On the grid N = 3 to 96, c = 0.05 to 2, c_s = 0 to 1.5, N / N* = 0.5 to 2 (N* = 1 + z/s) it errs at most 1.5 %, 0.3
/// % in the mean; two customers, or c_s = 2, up to 1.7 %. tests/first_come_simulation_test.cpp prints a table.
double first_come_per_s(const MachineRepair& repair);

}  // namespace stagger
