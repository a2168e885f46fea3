#include "analysis/lone_step.hpp"

#include <algorithm>
#include <utility>

namespace stagger {

std::vector<HostLoad> host_loads(const Layout& layout) {
  std::vector<HostLoad> hosts(layout.hosts.size());
  for (const Layout::Worker& worker : layout.workers) ++hosts[static_cast<std::size_t>(worker.host)].workers;
  for (const Layout::Server& server : layout.servers) {
    HostLoad& host = hosts[static_cast<std::size_t>(server.host)];
    ++host.servers;
    host.shard_bytes += server.shard.si;
  }
  return hosts;
}

double model_bytes(const Layout& layout) {
  double total = 0.0;
  for (const Layout::Server& server : layout.servers) total += server.shard.si;
  return total;
}

double LoneStep::total_s(Exchange exchange) const {
  return compute_s + latencies_per_step(exchange) * latency_s + push_s + update_s + pull_s;
}

namespace {

/// Whether a step surely costs the same from both hosts: they have no server, one rack and equal NICs.
bool alike(const Layout& layout, const std::vector<HostLoad>& hosts, int a, int b) {
  const Cluster& cluster = layout.cluster;
  const auto equal = [&cluster](int x, int y) {
    return cluster.link(x).goodput == cluster.link(y).goodput && cluster.link(x).latency == cluster.link(y).latency;
  };
  const auto host_a = static_cast<std::size_t>(a);
  const auto host_b = static_cast<std::size_t>(b);
  return a == b || (hosts[host_a].servers + hosts[host_b].servers == 0 &&
                    cluster.hosts[host_a].rack == cluster.hosts[host_b].rack && equal(Cluster::up(a), Cluster::up(b)) &&
                    equal(Cluster::down(a), Cluster::down(b)));
}

/// The links that a step of a worker on `host` uses, each once.
std::vector<LinkTime> step_traffic(const Layout& layout, int host) {
  struct Transfer {
    int link, server_host;
    bool is_push;
    double time_s;
  };
  std::vector<Transfer> transfers;
  transfers.reserve(4 * layout.servers.size());
  for (const Layout::Server& server : layout.servers) {
    const auto seconds = [&](int link) { return server.shard.si / layout.cluster.rate(link).si; };
    for (const int link : layout.cluster.path(host, server.host))
      transfers.push_back({link, server.host, true, seconds(link)});
    for (const int link : layout.cluster.path(server.host, host))
      transfers.push_back({link, server.host, false, seconds(link)});
  }
  std::ranges::stable_sort(transfers, {}, [](const Transfer& t) { return std::pair(t.link, t.server_host); });
  std::vector<LinkTime> links;
  int end = -1;
  for (const Transfer& transfer : transfers) {
    const bool is_new = links.empty() || links.back().link != transfer.link;
    if (is_new) links.push_back({transfer.link});
    LinkTime& link = links.back();
    (transfer.is_push ? link.push_s : link.pull_s) += transfer.time_s;
    ++(transfer.is_push ? link.pushes : link.pulls);
    if (is_new || transfer.server_host != end) ++link.ends;
    end = transfer.server_host;
  }
  return links;
}

}  // namespace

void visit_traffic(const Layout& layout, const TrafficVisitor& visit) {
  const std::vector<HostLoad> hosts = host_loads(layout);
  std::vector<LinkTime> uses;
  for (std::size_t i = 0; i < layout.workers.size(); ++i) {
    const int host = layout.workers[i].host;
    const int before = i > 0 ? layout.workers[i - 1].host : host;
    if (i == 0 || !alike(layout, hosts, before, host)) {
      uses = step_traffic(layout, host);
    } else {
      for (LinkTime& use : uses) {
        if (use.link == Cluster::up(before))
          use.link = Cluster::up(host);
        else if (use.link == Cluster::down(before))
          use.link = Cluster::down(host);
      }
    }
    visit(i, uses);
  }
}

std::vector<LoneStep> lone_steps(const Layout& layout) {
  const std::vector<HostLoad> hosts = host_loads(layout);
  std::vector<LoneStep> steps;
  steps.reserve(layout.workers.size());
  for (const Layout::Worker& worker : layout.workers) {
    if (!steps.empty() && alike(layout, hosts, layout.workers[steps.size() - 1].host, worker.host)) {
      steps.push_back(steps.back());
      steps.back().compute_s = worker.compute_mean.si;
      continue;
    }
    LoneStep step;
    step.compute_s = worker.compute_mean.si;
    for (const LinkTime& use : step_traffic(layout, worker.host)) {
      step.push_s = std::max(step.push_s, use.push_s);
      step.pull_s = std::max(step.pull_s, use.pull_s);
    }
    double one_by_one_s = 0.0;
    for (const Layout::Server& server : layout.servers) {
      double slowest_s = 0.0;
      for (const int link : layout.cluster.path(server.host, worker.host))
        slowest_s = std::max(slowest_s, server.shard.si / layout.cluster.rate(link).si);
      one_by_one_s += slowest_s;
      step.update_s = std::max(step.update_s, server.update_mean.si);
      step.latency_s = std::max(step.latency_s, layout.cluster.latency(worker.host, server.host).si);
      const double window_s = server.shard.si / layout.cluster.window_rate(worker.host, server.host).si;
      step.push_s = std::max(step.push_s, window_s);
      step.pull_s = std::max(step.pull_s, window_s);
    }
    if (layout.cluster.sharing == Sharing::fifo) step.pull_s = std::max(step.pull_s, one_by_one_s);
    steps.push_back(step);
  }
  return steps;
}

}  // namespace stagger
