// The links of a layout that a test has put together by hand.
#pragma once

#include "sim/config/layout.hpp"

namespace stagger {

/// The layout with a star of its hosts' NICs.
inline Layout wired(Layout layout, double efficiency = 1.0, BytesPerSecond loopback = kUnlimited) {
  PlatformSpec platform;
  platform.network.efficiency = efficiency;
  platform.network.loopback = loopback;
  for (const Layout::Host& host : layout.hosts) platform.hosts.push_back({host.name, 1, host.nic, {}, {}});
  layout.cluster = make_cluster(platform, std::vector<long long>(layout.hosts.size(), 1));
  return layout;
}

}  // namespace stagger
