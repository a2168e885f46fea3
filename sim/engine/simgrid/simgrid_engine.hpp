// The engine on SimGrid: each actor is an s4u actor, each transfer a SimGrid communication between its hosts, each
// direction of a NIC a link of a star zone. Racks are star zones within a star zone, each behind the two directions of
// its uplink.
//
// Model `ideal`. SimGrid's defaults model TCP; here sharing must be exactly equal, so: model CM02, no cross-traffic,
// and all links without latency, because CM02 weighs flows by their latency; and SimGrid's precisions lowered from 1e-5
// and 1e-9 to 1e-12. The latency of a path is waited before the transfer instead. Unlimited links are left out of
// routes; a transfer without any limited link takes only its latency.
//
// Model `lv08`. SimGrid's default LV08 as it is: links have their latencies, which SimGrid multiplies and pays.
// Unlimited links have 1e15 bytes/s, to carry their latency. Messages without bytes wait 13.01 latencies, as if they
// were flows.
//
// Cost. A transfer is started by SimGrid's kernel, which then tells its end; one courier actor delivers whatever has
// arrived at an instant. So a transfer needs no actor of its own, and no activity to wait in: with a courier a
// connection, 4,096 stacks cost half of the time of 256 workers and 8 servers. SimGrid re-solves the flows that share a
// link at every start and end: O(flows on the link) a transfer. About 8 KB an actor.
//
// One simulation a process: SimGrid's clock and configuration outlive an Engine. Fork first (base/child_process.hpp).
#pragma once

#include <memory>

#include "sim/config/cluster.hpp"
#include "sim/engine/engine.hpp"

namespace stagger {

/// Requires: no other engine was made in this process; positive bandwidths; finite latencies >= 0; unique host names;
/// at most kMostActors actors.
std::unique_ptr<Engine> make_simgrid_engine(const Cluster& cluster);

/// Each has a stack with a guard page, two memory mappings of the 65,530 that Linux allows a process.
inline constexpr long long kMostActors = 32'000;

/// "3.32", the version that is linked.
std::string simgrid_version();

}  // namespace stagger
