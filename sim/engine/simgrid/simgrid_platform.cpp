#include "sim/engine/simgrid/simgrid_platform.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stagger {
namespace {

namespace sg = simgrid::s4u;

class PlatformMaker {
 public:
  explicit PlatformMaker(const Cluster& cluster) : cluster_(cluster) {}

  std::vector<sg::Host*> make() {
    sg::NetZone* root = sg::create_star_zone("core");
    std::vector<sg::NetZone*> racks;
    for (int k = 0; k < cluster_.racks; ++k) {
      sg::NetZone* rack = racks.emplace_back(sg::create_star_zone(fmt::format("rack {}", k))->set_parent(root));
      auto* gateway = rack->create_router(fmt::format("rack {} switch", k));
      add_routes(root, rack->get_netpoint(), gateway, cluster_.rack_up(k), cluster_.rack_down(k));
    }
    std::vector<sg::Host*> hosts;
    for (std::size_t h = 0; h < cluster_.hosts.size(); ++h) {
      const int host = static_cast<int>(h);
      sg::NetZone* zone = racks.empty() ? root : racks[static_cast<std::size_t>(cluster_.hosts[h].rack)];
      sg::Host* made = zone->create_host(cluster_.hosts[h].name, 1.0);  // computing is waiting: the speed is never used
      auto* point = made->get_netpoint();
      add_routes(zone, point, nullptr, cluster_.up(host), cluster_.down(host));
      if (auto loopback = route(zone, cluster_.loopback(host)); !loopback.empty())
        zone->add_route(point, point, nullptr, nullptr, loopback, false);
      hosts.push_back(made);
    }
    for (sg::NetZone* rack : racks) rack->seal();
    root->seal();
    return hosts;
  }

 private:
  /// From `point` to everywhere else in the zone, and back. Each end of a path has its own link.
  void add_routes(sg::NetZone* zone, simgrid::kernel::routing::NetPoint* point,
                  simgrid::kernel::routing::NetPoint* gateway, int up, int down) {
    zone->add_route(point, nullptr, gateway, nullptr, route(zone, up), false);
    zone->add_route(nullptr, point, nullptr, gateway, route(zone, down), false);
  }

  std::vector<sg::LinkInRoute> route(sg::NetZone* zone, int index) const {
    const Cluster::Link& link = cluster_.link(index);
    const bool pays_latency = cluster_.model == NetworkModel::lv08 && link.latency > Seconds{};
    if (link.goodput == kUnlimited && !pays_latency) return {};
    constexpr double kAsGoodAsUnlimited = 1e15;
    sg::Link* made =
        zone->create_link(fmt::format("{} {}", link.name, index), std::min(link.goodput.si, kAsGoodAsUnlimited))
            ->set_latency(pays_latency ? link.latency.si : 0.0);
    const bool receives = index < cluster_.rack_up(0) && link.direction != Cluster::Direction::up;
    if (cluster_.sharing == Sharing::fifo && receives) made->set_concurrency_limit(1);
    return {sg::LinkInRoute(made)};
  }

  const Cluster& cluster_;
};

}  // namespace

std::vector<sg::Host*> make_simgrid_hosts(const Cluster& cluster) { return PlatformMaker(cluster).make(); }

}  // namespace stagger
