#include "analysis/sensitivity.hpp"

#include <algorithm>

#include "analysis/lone_step.hpp"

namespace stagger {
namespace {

/// Limited links, by whose they are.
enum class Owner { servers, workers, both, racks, loopback, nobody };

Owner owner_of(const Layout& layout, const std::vector<HostLoad>& hosts, int link) {
  if (link >= layout.cluster.rack_up(0)) return Owner::racks;
  if (layout.cluster.link(link).direction == Cluster::Direction::loopback) return Owner::loopback;
  const HostLoad& host = hosts[static_cast<std::size_t>(link / 3)];
  if (host.servers > 0) return host.workers > 0 ? Owner::both : Owner::servers;
  return host.workers > 0 ? Owner::workers : Owner::nobody;
}

/// The job with more of what one kind of link has; none: there is none that is limited.
std::optional<Layout> with_wider_links(const Layout& layout, const std::vector<HostLoad>& hosts, Owner owner,
                                       double factor) {
  std::optional<Layout> wider;
  for (int i = 0; i < static_cast<int>(layout.cluster.links.size()); ++i) {
    if (owner_of(layout, hosts, i) != owner || layout.cluster.link(i).goodput == kUnlimited) continue;
    if (!wider) wider = layout;
    Cluster::Link& link = wider->cluster.links[static_cast<std::size_t>(i)];
    link.goodput = factor * link.goodput;
  }
  return wider;
}

Layout with_faster_workers(Layout layout, double factor) {
  for (Layout::Worker& worker : layout.workers) worker.compute_mean = 1.0 / factor * worker.compute_mean;
  return layout;
}

Layout with_faster_updates(Layout layout, double factor) {
  for (Layout::Server& server : layout.servers) server.update_mean = 1.0 / factor * server.update_mean;
  return layout;
}

Layout with_shorter_latencies(Layout layout, double factor) {
  for (Cluster::Link& link : layout.cluster.links) link.latency = 1.0 / factor * link.latency;
  return layout;
}

}  // namespace

std::vector<Sensitivity> sensitivities(const Layout& layout, const SolvedJob& job, double more) {
  const double factor = 1.0 + more;
  const std::vector<HostLoad> hosts = host_loads(layout);
  std::vector<Sensitivity> gains;
  const auto add = [&](const char* resource, const Layout& changed) {
    gains.push_back({resource, more, solve_job(changed).gradients_per_s / job.gradients_per_s - 1.0});
  };
  for (const auto& [owner, name] : {std::pair{Owner::servers, "servers' bandwidth"},
                                    {Owner::workers, "workers' bandwidth"},
                                    {Owner::both, "hosts' bandwidth"},
                                    {Owner::racks, "uplink bandwidth"},
                                    {Owner::loopback, "loopback bandwidth"}})
    if (const auto wider = with_wider_links(layout, hosts, owner, factor)) add(name, *wider);
  const auto has = [&](StationRole role) { return std::ranges::find(job.model.roles, role) != job.model.roles.end(); };
  if (has(StationRole::compute)) add("compute speed", with_faster_workers(layout, factor));
  if (has(StationRole::update)) add("update speed", with_faster_updates(layout, factor));
  if (has(StationRole::latency)) add("1/latency", with_shorter_latencies(layout, factor));
  std::ranges::stable_sort(gains, [](const Sensitivity& a, const Sensitivity& b) { return a.gain > b.gain; });
  return gains;
}

}  // namespace stagger
