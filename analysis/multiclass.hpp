// Closed product-form networks with several classes of customers: exact where that is quick, approximate beyond.
#pragma once

#include <string>
#include <vector>

namespace stagger {

/// One resource that all classes share, as network.hpp describes it: parallelism 1 is a queue with one server, infinity
/// a delay, m a queue with m servers.
struct MulticlassStation {
  std::string name;
  double parallelism = 1.0;  ///< 1 to infinity, whole or not
};

/// N_c customers of each class c circulate for ever. The network has a product form if demands that differ among the
/// classes are served by processor sharing or are delays; at a first come, first served station every class must have
/// the same exponential service time, and may differ in its visits (Baskett, Chandy, Muntz & Palacios, JACM 22, 1975).
/// The solvers see demands only and take that for granted.
struct MulticlassNetwork {
  std::vector<MulticlassStation> stations;
  std::vector<std::vector<double>> demands_s;  ///< [class][station] of a lone customer per cycle; finite, not negative
  std::vector<int> customers;                  ///< [class], 0 or more
};

/// The equilibrium. A class without customers has zeros throughout.
struct MulticlassResult {
  std::string method;
  std::vector<double> throughput_per_s;          ///< [class] cycles per second of all its customers together
  std::vector<double> utilization;               ///< [station] of the saturated capacity, 0 to 1; of a delay: the share
                                                 ///< of all customers that are there
  std::vector<std::vector<double>> queue_mean;   ///< [class][station] customers present
  std::vector<std::vector<double>> residence_s;  ///< [class][station] per cycle, waiting included
  std::vector<double> fewer_per_s;               ///< [class] of all classes together, with one customer of this class
                                                 ///< less; empty: an approximation
  bool converged = true;                         ///< always true of an exact solution
  long iterations = 0;                           ///< 0: an exact solution
  double residual = 0.0;                         ///< what the last iteration still moved, as a share of a class
};

// All solvers throw SimulationError when a class with customers has no demand at all, so that its cycle takes no time;
// std::logic_error when the network is none, or the solution breaks a law of closed networks: utilization up to 1,
// Little's law, every customer somewhere, nobody faster than alone.

/// The exact solution where exact_is_quick (multiclass_exact.hpp); otherwise Linearizer's, and that of Bard-Schweitzer
/// for hundreds of classes (multiclass_approximate.hpp). `method` says which: "multi-class MVA", "Linearizer",
/// "Bard-Schweitzer". Takes seconds at most; an approximation that needs longer has converged = false.
MulticlassResult solve_multiclass(const MulticlassNetwork& network);

}  // namespace stagger
