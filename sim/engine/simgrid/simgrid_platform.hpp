// A cluster as a platform of SimGrid.
#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "sim/config/cluster.hpp"

namespace stagger {

/// Makes the zones, hosts and links of a cluster; returns its hosts in order. Requires: SimGrid's Engine exists, its
/// network model is set, and no platform has been made.
std::vector<simgrid::s4u::Host*> make_simgrid_hosts(const Cluster& cluster);

}  // namespace stagger
