#include "analysis/lone_step.hpp"

#include <algorithm>

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

std::vector<LinkTime> step_traffic(const Layout& layout, int host) {
  std::vector<LinkTime> uses;
  for (const Layout::Server& server : layout.servers) {
    const auto seconds = [&](int link) { return server.shard.si / layout.cluster.rate(link).si; };
    for (const int link : layout.cluster.path(host, server.host)) uses.push_back({link, seconds(link), 0.0});
    for (const int link : layout.cluster.path(server.host, host)) uses.push_back({link, 0.0, seconds(link)});
  }
  std::ranges::stable_sort(uses, {}, &LinkTime::link);
  std::vector<LinkTime> merged;
  for (const LinkTime& use : uses) {
    if (merged.empty() || merged.back().link != use.link) merged.push_back({use.link, 0.0, 0.0});
    merged.back().push_s += use.push_s;
    merged.back().pull_s += use.pull_s;
  }
  return merged;
}

std::vector<LoneStep> lone_steps(const Layout& layout) {
  std::vector<LoneStep> steps;
  for (const Layout::Worker& worker : layout.workers) {
    LoneStep step;
    step.compute_s = worker.compute_mean.si;
    for (const LinkTime& use : step_traffic(layout, worker.host)) {
      step.push_s = std::max(step.push_s, use.push_s);
      step.pull_s = std::max(step.pull_s, use.pull_s);
    }
    for (const Layout::Server& server : layout.servers) {
      step.update_s = std::max(step.update_s, server.update_mean.si);
      step.latency_s = std::max(step.latency_s, layout.cluster.latency(worker.host, server.host).si);
      const double window_s = server.shard.si / layout.cluster.window_rate(worker.host, server.host).si;
      step.push_s = std::max(step.push_s, window_s);
      step.pull_s = std::max(step.pull_s, window_s);
    }
    steps.push_back(step);
  }
  return steps;
}

}  // namespace stagger
