// What a step costs a worker that has the whole cluster to itself, and what each host carries: the common ground of the
// queueing network, its limits and its assumptions.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sim/config/layout.hpp"

namespace stagger {

/// The processes of one host.
struct HostLoad {
  double shard_bytes = 0.0;  ///< of all its servers
  int servers = 0;
  int workers = 0;
};

/// [host], in the layout's order.
std::vector<HostLoad> host_loads(const Layout& layout);

double model_bytes(const Layout& layout);

/// The transfers that a step has on one link, and the time of the link that they take: bytes / rate.
struct LinkTime {
  int link = 0;  ///< index into the cluster's links
  double push_s = 0.0;
  double pull_s = 0.0;
  int pushes = 0;
  int pulls = 0;
  int ends = 0;  ///< hosts of the servers that are reached over it
};

/// visit(i, uses) for each worker i in turn: the links that a step of it uses, each once. O(servers) for a worker whose
/// host has another NIC or rack than that of the worker before, or a server; otherwise only the NIC's links change.
using TrafficVisitor = std::function<void(std::size_t worker, const std::vector<LinkTime>& uses)>;
void visit_traffic(const Layout& layout, const TrafficVisitor& visit);

/// The mean times of the phases of one worker's step, without waiting for anybody.
struct LoneStep {
  double compute_s = 0.0;
  double latency_s = 0.0;  ///< one way, to the server that is farthest away
  double push_s = 0.0;     ///< the longest of bytes / rate over the links to its servers, and of shard / window rate
  double update_s = 0.0;   ///< the longest of its servers' mean update times
  double pull_s = 0.0;     ///< as push_s, from its servers

  double total_s(Exchange exchange) const;
};

/// One-way latencies in a step: push and reply, and with a separate exchange also the pull's request and its reply.
inline int latencies_per_step(Exchange exchange) { return exchange == Exchange::fused ? 2 : 4; }

/// [worker], in the layout's order.
std::vector<LoneStep> lone_steps(const Layout& layout);

}  // namespace stagger
