// A job as a closed queueing network whose customers are its workers.
#pragma once

#include <optional>

#include "analysis/contention.hpp"
#include "analysis/network.hpp"
#include "sim/config/layout.hpp"

namespace stagger {

/// What a station stands for in the job; `network` carries pushes and pulls.
enum class StationRole { compute, latency, push, update, pull, network };

/// Mean use of the links, 0 to 1; 0 in model ideal.
struct CrossTraffic {
  double of_pushes = 0.0;
  double of_pulls = 0.0;
};

struct Model {
  Network stations;                   ///< those with a demand; in the order of a step
  std::optional<std::size_t> update;  ///< the station of the updates; none: they take no time
  std::vector<StationRole> roles;     ///< of each station
  double latency_s = 0.0;             ///< one way, between worker and server
  double batch = 0.0;                 ///< examples per gradient
  double local_s = 0.0;               ///< the largest mean use by a step of one link that is no station's
};

/// The network of the asynchronous job:
///   compute   delay: the mean compute time
///   latency   delay: all one-way latencies of a step, 2 (fused exchange) or 4 (separate)
///   transfer  one station for the pushes (the servers' receive links) and one for the pulls (their send links); both
///   in one
///             ("network") when such a link carries both, as a loopback. The demand is a lone worker's time, the
///             longest of bytes / goodput over its links, or longer: contention.hpp. The saturated demand is that of
///             the busiest link that is common to all workers. In a star of P equal dedicated servers this is the rate
///             min(n * worker NIC, P * server NIC) / bytes with n workers present. Other links never saturate here.
///   update    demand: the longest mean update; saturated demand: the largest of mean update / threads over the servers
/// Unequal workers become one class: every quantity is averaged over steps, where worker i's share of the steps is that
/// of a job without contention, proportional to 1 / its lone step T_i. So the network's throughput without contention
/// is the exact sum of 1/T_i. With equal workers all of this is exact.
///
/// Throws InputError when a worker's step takes no time at all.
///
/// Model lv08 has its factors in latencies and rates. `cross`: the utilizations of the links by the transfers of one
/// direction, whose acknowledgements take 5 % of that of the other.
///
/// `contention`: of the same layout; found where it is left out.
Model make_model(const Layout& layout, const Contention& contention, const CrossTraffic& cross = {});
Model make_model(const Layout& layout);

}  // namespace stagger
