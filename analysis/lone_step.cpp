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

std::vector<LoneStep> lone_steps(const Layout& layout) {
  const std::vector<HostLoad> hosts = host_loads(layout);
  const double total_bytes = model_bytes(layout);
  std::vector<LoneStep> steps;
  for (const Layout::Worker& worker : layout.workers) {
    const double local_bytes = hosts[static_cast<std::size_t>(worker.host)].shard_bytes;
    const double remote_bytes = total_bytes - local_bytes;
    LoneStep step;
    step.compute_s = worker.compute_mean.si;
    step.push_s = step.pull_s = local_bytes / layout.loopback.si;
    step.push_s = std::max(step.push_s, remote_bytes / layout.up(worker.host).si);
    step.pull_s = std::max(step.pull_s, remote_bytes / layout.down(worker.host).si);
    for (const Layout::Server& server : layout.servers) {
      step.update_s = std::max(step.update_s, server.update_mean.si);
      step.latency_s = std::max(step.latency_s, layout.latency(worker.host, server.host).si);
      if (server.host == worker.host) continue;
      const double bytes = hosts[static_cast<std::size_t>(server.host)].shard_bytes;
      step.push_s = std::max(step.push_s, bytes / layout.down(server.host).si);
      step.pull_s = std::max(step.pull_s, bytes / layout.up(server.host).si);
    }
    steps.push_back(step);
  }
  return steps;
}

}  // namespace stagger
