// The engine of our own: the same actors on fibers, an event heap, and the flows of FlowNetwork. Model `ideal` only.
//
// Beside SimGrid's it is faster by the number of flows on a link, and more: SimGrid solves a link's flows anew at each
// start and end. It has no global state: any number of engines a process, one after the other or in threads.
//
// Order. At one instant, actors that were waked go first, in the order of their waking; then timers (a latency is over,
// an actor's time has come), in the order in which they were set; then flows that end (flow_network.hpp).
//
// Cost. A message: two switches of stacks. A transfer: O(log n), see flow_network.hpp. Memory: a stack of about 8 KB
// for an actor, about 150 bytes for a transfer under way.
#pragma once

#include <memory>

#include "sim/config/cluster.hpp"
#include "sim/engine/engine.hpp"

namespace stagger {

/// Requires: network model `ideal`.
std::unique_ptr<Engine> make_fluid_engine(const Cluster& cluster);

}  // namespace stagger
