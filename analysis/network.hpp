// A closed queueing network with one class of customers: N of them circulate among stations for ever. In a training job
// the customers are the workers and a cycle is one step.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace stagger {

enum class StationKind { delay, queueing, load_dependent };
inline const char* to_text(StationKind kind) {
  return kind == StationKind::delay ? "delay" : kind == StationKind::queueing ? "queueing" : "load-dependent";
}

/// One resource. With n customers present it works min(n, parallelism) times as fast as for a lone one, so that one
/// number tells apart the classic kinds: 1 is a queue with one server (first come, first served, or processor sharing),
/// infinity a delay, m a queue with m servers, and any c >= 1 a link that c customers' own links fill.
struct Station {
  std::string name;
  double demand_s = 0.0;     ///< what a lone customer needs here per cycle; finite, not negative
  double parallelism = 1.0;  ///< saturated rate / rate of a lone customer; 1 to infinity

  StationKind kind() const {
    if (parallelism == std::numeric_limits<double>::infinity()) return StationKind::delay;
    return parallelism == 1.0 ? StationKind::queueing : StationKind::load_dependent;
  }
  /// Per cycle when the station is busy with many customers: its throughput never exceeds the inverse.
  double saturated_demand_s() const { return demand_s / parallelism; }
};

using Network = std::vector<Station>;

/// The time of a cycle of a lone customer.
inline double total_demand_s(const Network& network) {
  double total = 0.0;
  for (const Station& station : network) total += station.demand_s;
  return total;
}

}  // namespace stagger
