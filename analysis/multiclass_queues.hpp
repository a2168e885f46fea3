// What the multi-class solvers have in common: the network reduced to where customers wait, and the way back.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/multiclass.hpp"

namespace stagger {

/// The classes that have customers and the stations where they wait. A station that takes all customers at once is a
/// delay; one that nobody uses is none. Flat arrays: entry (class, queue) is at class * queues() + queue.
struct Queues {
  std::vector<std::size_t> class_of;    ///< [class] its number in the network
  std::vector<std::size_t> station_of;  ///< [queue] its number in the network
  std::vector<int> customers;           ///< [class], 1 or more
  std::vector<double> parallelism;      ///< [queue]
  std::vector<double> think_s;          ///< [class] at delays
  std::vector<double> demand_s;         ///< (class, queue) of a lone customer
  std::vector<double> saturated_s;      ///< (class, queue) the same, divided by the parallelism

  std::size_t classes() const { return class_of.size(); }
  std::size_t queues() const { return station_of.size(); }
};

/// Throws as multiclass.hpp says of the network.
Queues queues_of(const MulticlassNetwork& network);

/// The whole result from throughputs [class] and residence times (class, queue). Throws std::logic_error when it breaks
/// a law.
MulticlassResult complete(const MulticlassNetwork& network, const Queues& queues, std::string method,
                          const std::vector<double>& throughput_per_s, const std::vector<double>& residence_s);

}  // namespace stagger
