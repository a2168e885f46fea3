// The engine on SimGrid: each actor is an s4u actor, each transfer a SimGrid communication between its hosts, each
// direction of a NIC a link of a star zone.
//
// Exactness. SimGrid's defaults model TCP; here sharing must be exactly equal, so: model CM02, no cross-traffic, and
// all links without latency, because CM02 weighs flows by their latency. The latency of a path is waited before the
// transfer instead. Unlimited links are left out of routes; a transfer without any limited link takes only its latency.
//
// Cost. A connection (sender, receiver) has one courier actor, made at its first transfer, that sends one after the
// other. SimGrid re-solves the flows that share a link at every start and end: O(flows on the link) a transfer. About 8
// KB an actor.
//
// One simulation a process: SimGrid's clock and configuration outlive an Engine. Fork first (base/child_process.hpp).
#pragma once

#include <memory>

#include "sim/engine/engine.hpp"

namespace stagger {

/// Requires: no other engine was made in this process; positive bandwidths; finite latencies >= 0; unique host names.
std::unique_ptr<Engine> make_simgrid_engine(const ClusterSpec& cluster);

/// "3.32", the version that is linked.
std::string simgrid_version();

}  // namespace stagger
