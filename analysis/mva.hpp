// Exact mean value analysis of a closed, single-class, product-form network.
#pragma once

#include <vector>

#include "analysis/network.hpp"

namespace stagger {

/// One station in equilibrium with all customers.
struct MvaStation {
  double utilization =
      0.0;  ///< of its saturated capacity, 0 to 1; of a delay: the share of the customers that are there
  double queue_mean = 0.0;   ///< customers present
  double residence_s = 0.0;  ///< per cycle, waiting included
};

struct MvaResult {
  std::vector<double> throughput_per_s;  ///< [n] cycles per second of all n customers together, n = 0 … N
  std::vector<MvaStation> stations;      ///< in the network's order, with N customers
};

/// What the range of a long double allows for (mva.cpp says why).
inline constexpr int kMostCustomers = 15'000;

/// Solves `network` for 1 … `customers` by exact MVA (Reiser & Lavenberg, "Mean-value analysis of closed multichain
/// queueing networks", JACM 27, 1980). The empty-station probabilities of load-dependent stations follow Reiser,
/// "Mean-value analysis and convolution method for queue-dependent servers in closed queueing networks", Performance
/// Evaluation 1, 1981:
///   p_i(0|n) = p_i(0|n-1) X(n) / X_{-i}(n),  X_{-i}: the throughput without station i,
/// which adds and multiplies positive numbers only. The textbook's 1 - sum p_i(j|n) cancels and breaks down near
/// saturation.
///
/// Takes O(N * stations); with L load-dependent stations O(N^2 * L!) at worst. Exact to about N * 1e-16.
/// Requires customers >= 1 and valid stations. Throws SimulationError for more than kMostCustomers, and when all
/// demands are 0, so that a cycle takes no time; std::logic_error when the solution breaks a law of closed networks.
MvaResult solve_mva(const Network& network, int customers);

}  // namespace stagger
