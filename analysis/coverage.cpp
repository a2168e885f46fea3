#include "analysis/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/contention.hpp"
#include "analysis/lone_step.hpp"
#include "sim/config/sync.hpp"

namespace stagger {
namespace {

using Reasons = std::vector<std::string>;

const NicSpec& nic(const Layout& layout, int host) { return layout.hosts[static_cast<std::size_t>(host)].nic; }

void check_workers(const Layout& layout, const SolvedJob& job, Reasons& reasons) {
  const Layout::Worker& first = layout.workers.front();
  const auto differ = [&](auto same) { return !std::ranges::all_of(layout.workers, same); };
  if (job.kinds.empty())
    reasons.push_back(
        fmt::format("there are more than {} kinds of workers, and the model takes their mean", kMostKinds));
  else if (!job.exact && layout.cluster.model == NetworkModel::ideal)
    reasons.push_back(
        fmt::format("so many workers of {} kinds are solved by approximation ({})", job.kinds.size(), job.method));
  if (differ([&](const auto& w) { return nic(layout, w.host) == nic(layout, first.host); }))
    reasons.push_back("the NICs of the workers' hosts differ");
  const bool varies =
      std::ranges::any_of(layout.workers, [](const auto& w) { return w.compute.cv > 0.0 && w.compute_mean.si > 0.0; });
  if (!varies && layout.workers.size() > 1)
    reasons.push_back("compute times do not vary, so that the result depends on how the job starts");
}

void check_hosts(const Layout& layout, Reasons& reasons) {
  const std::vector<HostLoad> hosts = host_loads(layout);
  int workers = 0;  // the most on one limited NIC
  int servers = 0;
  bool mixed = false;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    const NicSpec& nic = layout.hosts[h].nic;
    mixed = mixed || (hosts[h].workers > 0 && hosts[h].servers > 0);
    if (nic.up == kUnlimited && nic.down == kUnlimited) continue;
    workers = std::max(workers, hosts[h].workers);
    servers = std::max(servers, hosts[h].servers);
  }
  if (mixed) reasons.push_back("a worker and a server are on the same host");
  if (workers > 1) reasons.push_back(fmt::format("several workers share a host's NIC ({} per host)", workers));
  if (servers > 1) reasons.push_back(fmt::format("several servers share a host's NIC ({} per host)", servers));
}

void check_racks(const Layout& layout, Reasons& reasons) {
  for (int k = 0; k < layout.cluster.racks; ++k)
    if (is_oversubscribed(layout.cluster, k))
      return reasons.push_back(fmt::format("the uplink of rack-{} is oversubscribed", k));
}

void check_latencies(const Layout& layout, double step_s, Reasons& reasons) {
  double least = kInfinity;
  double most = 0.0;
  for (const Layout::Worker& worker : layout.workers)
    for (const Layout::Server& server : layout.servers) {
      const double latency = layout.cluster.latency(worker.host, server.host).si;
      least = std::min(least, latency);
      most = std::max(most, latency);
    }
  if (latencies_per_step(layout.exchange) * (most - least) > kNegligibleShare * step_s)
    reasons.push_back("the latencies between workers and servers differ");
}

void check_servers(const Layout& layout, Reasons& reasons) {
  const Layout::Server& first = layout.servers.front();
  const auto differ = [&](auto same) { return !std::ranges::all_of(layout.servers, same); };
  const auto by_bytes = [](const auto& a, const auto& b) { return a.shard < b.shard; };
  const auto [least, most] = std::ranges::minmax(layout.servers, by_bytes);
  if (most.shard - least.shard > Bytes{1.0})
    reasons.push_back(
        fmt::format("the servers' shards differ ({} to {})", to_human(least.shard), to_human(most.shard)));
  if (differ([&](const auto& s) { return nic(layout, s.host) == nic(layout, first.host); }))
    reasons.push_back("the NICs of the servers' hosts differ");
  if (differ([&](const auto& s) { return s.threads == first.threads; }))
    reasons.push_back("the servers' threads differ");
  // Shards that differ by one byte may give the updates slightly different means.
  const auto same_update = [&](const auto& s) {
    return s.update == first.update && std::abs(s.update_mean.si - first.update_mean.si) <= 1e-6 * first.update_mean.si;
  };
  if (differ(same_update)) reasons.push_back("the servers' update times differ");
}

void check_updates(const Layout& layout, const SolvedJob& job, Reasons& reasons) {
  const Model& model = job.model;
  if (!model.update) return;
  const Distribution& update = layout.servers.front().update;
  const auto servers = layout.servers.size();
  if (servers == 1 && is_exponential(update)) return;

  const double demand_s = model.stations[*model.update].demand_s;
  const double step_s = static_cast<double>(layout.workers.size()) / job.gradients_per_s;
  const double wait_share = job.update_wait_s * std::max(1.0, (1.0 + update.cv * update.cv) / 2.0) / step_s;
  if (wait_share > kNegligibleShare)
    reasons.push_back(fmt::format("workers wait for updates ({:.2g} % of a step), whose times are not exponential{}",
                                  100.0 * wait_share, servers > 1 ? " or in step on all servers" : ""));

  double harmonic = 0.0;
  for (std::size_t k = 1; k <= servers; ++k) harmonic += 1.0 / static_cast<double>(k);
  const double slowest_share = demand_s * harmonic / step_s;
  if (servers > 1 && update.cv > 0.0 && slowest_share > kNegligibleShare)
    reasons.push_back(fmt::format("a step waits for the slowest of {} random updates ({:.2g} % of a step)", servers,
                                  100.0 * slowest_share));
}

/// SimGrid's max-min sharing gives a flow no more than the share that its acknowledgements have on the way back: seven
/// pulls hold one push to a seventh of the link. With the links 15, 55, 67 and 74 % busy this made the model 0.1,
/// 4, 9 and 9 % too fast (N = 8, equal NICs).
void check_acknowledgements(const Layout& layout, const SolvedJob& job, Reasons& reasons) {
  const Model& model = job.model;
  if (layout.cluster.model != NetworkModel::lv08) return;
  constexpr double kIdle = 0.2;
  for (std::size_t i = 0; i < model.roles.size(); ++i) {
    const bool is_link = model.roles[i] == StationRole::push || model.roles[i] == StationRole::pull ||
                         model.roles[i] == StationRole::network;
    if (is_link && job.stations[i].utilization > kIdle)
      return reasons.push_back("in lv08, pushes and pulls hold each other back by their acknowledgements");
  }
}

}  // namespace

std::vector<std::string> broken_assumptions(const Layout& layout, const SolvedJob& job) {
  Reasons reasons;
  if (layout.sync.kind == SyncKind::k_batch_async || layout.sync.kind == SyncKind::n_softsync)
    reasons.push_back(fmt::format("several gradients make a version (sync: {}), and the model counts gradients",
                                  describe(layout.sync)));
  else if (!is_asynchronous(layout.sync))
    reasons.push_back(fmt::format("the workers wait for each other (sync: {}), and the model is asynchronous",
                                  describe(layout.sync)));
  if (layout.cluster.sharing == Sharing::fifo)
    reasons.push_back("transfers are received one after the other (sharing: fifo), and the model shares links equally");
  check_workers(layout, job, reasons);
  check_hosts(layout, reasons);
  check_racks(layout, reasons);
  check_latencies(layout, static_cast<double>(layout.workers.size()) / job.gradients_per_s, reasons);
  check_servers(layout, reasons);
  check_updates(layout, job, reasons);
  check_acknowledgements(layout, job, reasons);
  return reasons;
}

}  // namespace stagger
