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
///             in one ("network") when such a link carries both, as a loopback. The demand is a lone worker's time, the
///             longest of bytes / goodput over its links, or longer: contention.hpp. The saturated demand is that of
///             the busiest link that is common to all workers. In a star of P equal dedicated servers this is the rate
///             min(n * worker NIC, P * server NIC) / bytes with n workers present. Other links never saturate here.
///             With `sharing: fifo` the pushes are a first-come queue: the servers' links take one worker after the
///             other, all in the same order, so that their worker's NIC limits them all; the pulls then follow each
///             other, and do not wait for links that are as fast.
///   update    demand: the longest mean update; saturated demand: the largest of mean update / threads over the servers
/// Unequal workers become one class: every quantity is averaged over steps, where worker i's share of the steps is that
/// of a job without contention, proportional to 1 / its lone step T_i. So the network's throughput without contention
/// is the exact sum of 1/T_i.
///
/// With equal workers and equal servers on hosts of their own all of this is exact. Otherwise, throughput beside
/// simulations at half of the knee, there, and half beyond it (tests/layouts_simulation_test.cpp prints all cases):
///   layout                                  assumption                                          error in %, mean, worst
///   unequal shards or servers               a step waits for the busiest server's link, which   0.4,  1
///                                           is at all times as busy as the others
///   the same, workers' NICs no faster       its transfer has a constant share of the worker's   1.4,  4 (*)
///   workers and servers on the same hosts   contention.hpp                                      0.4,  2
///   several workers on a host               contention.hpp, with the common links in series     2.0,  4
///   racks behind narrow uplinks             contention.hpp                                      1.2,  6 (**)
///   several threads, any updates            fork_join.hpp                                       0.6,  2
///   random updates of several servers       fork_join.hpp: bottleneck server, order statistic   1.5,  4
///   sharing: fifo                           as above, by first_come.hpp                         0.2,  1
/// (*) Few workers that hardly compute: 8 with four shards of .4 to .1 by 50, when saturated. (**) Servers spread over
/// small racks and workers that compute for a tenth of their step: by 26.
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
