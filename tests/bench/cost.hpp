// What a run costs: a star of workers and servers, run in a forked child that times itself, because SimGrid allows one
// simulation a process. Seconds are CPU time: all programs compared have one thread, and other work on the machine then
// does not count.
#pragma once

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/base/child_process.hpp"
#include "sim/study/run.hpp"

namespace stagger {

constexpr double kNic = 1.25e9;  // bytes/s each way
constexpr double kModel = 100e6;
constexpr Seconds kCompute{0.3};
constexpr double kCv = 0.3;
constexpr std::uint64_t kDrawSeed = 1;

struct Size {
  int workers;
  int servers;
  long long updates;  ///< of each server
  EngineKind engine = EngineKind::simgrid;
  BytesPerSecond worker_nic{kNic};  ///< each way; the servers' links are the bottleneck all the same
};

/// What a child says of its run.
struct Cost {
  double seconds = 0.0;
  double transfers = 0.0;    ///< pulls and pushes that have arrived
  double simulated_s = 0.0;  ///< when the last of the updates was over
  double peak_bytes = 0.0;   ///< of resident memory
  double us() const { return 1e6 * seconds / transfers; }
};

inline double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// `run` returns a Cost without its seconds and memory.
template <class Run>
Cost cost_of(const Size& size, Run run) {
  const ChildOutcome child = run_in_child([&] {
    const double began = cpu_seconds();
    const Cost cost = run(size);
    const double seconds = cpu_seconds() - began;
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return fmt::format("{} {} {} {}", seconds, cost.transfers, cost.simulated_s,
                       1024.0 * static_cast<double>(usage.ru_maxrss));
  });
  Cost cost;
  if (!child.succeeded || std::sscanf(child.output.c_str(), "%lf %lf %lf %lf", &cost.seconds, &cost.transfers,
                                      &cost.simulated_s, &cost.peak_bytes) != 4)
    throw std::runtime_error(child.error);
  return cost;
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2.0;
}

inline Scenario scenario_of(const Size& size) {
  Scenario scenario;
  ScenarioSpec& spec = scenario.spec;
  for (const auto& [name, nic] : {std::pair{"worker", size.worker_nic}, {"server", BytesPerSecond{kNic}}}) {
    HostGroupSpec& group = spec.platform.hosts.emplace_back();
    group.name = name;
    group.nic.up = group.nic.down = nic;
  }
  spec.model.bytes = Bytes{kModel};
  WorkerGroupSpec& workers = spec.job.workers.emplace_back();
  workers.on = "worker";
  workers.count = size.workers;
  ServerGroupSpec& servers = spec.job.servers.emplace_back();
  servers.on = "server";
  servers.count = size.servers;
  ComputeSpec& compute = spec.job.compute.emplace();
  compute.mean = kCompute;
  compute.distribution = {DistributionKind::gamma, kCv, {}};
  spec.run.engine = size.engine;
  spec.run.seed = kDrawSeed;
  spec.run.updates = size.updates;
  spec.run.warmup.updates = 0;
  Sources sources;
  ReadContext context{sources};
  scenario.layout = make_layout(spec, context);
  if (!context.problems.empty()) throw std::runtime_error(context.problems.front().what);
  return scenario;
}

/// From the scenario to the result.
inline Cost run_stagger(const Size& size) {
  const RunOutcome outcome = run_scenario(scenario_of(size));
  double bytes = 0.0;
  for (const ServerResult& server : outcome.result.simulated->servers) bytes += server.bytes_in + server.bytes_out;
  return {.transfers = bytes / (kModel / size.servers), .simulated_s = outcome.result.simulated->time_s};
}

}  // namespace stagger
