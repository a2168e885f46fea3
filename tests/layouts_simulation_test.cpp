// How far the model can be trusted where it is an approximation: predicted beside simulated throughput for layouts of
// several servers, shared hosts, racks, threads and first-come links. Prints the table of errors.
#include <cstdio>
#include <functional>

#include "tests/simulation.hpp"

namespace stagger {
namespace {

/// How a job is laid out, but for its compute time.
struct Shape {
  std::string name;
  std::string hosts;    ///< of the platform
  std::string workers;  ///< a mapping, as job.servers is
  std::string servers;
  int count = 0;       ///< workers
  std::string rest{};  ///< further keys of the job
  std::string platform{};
  double contended_s = 0.2;  ///< of a lone step
  double busiest_s = 0.1;    ///< mean use of the busiest resource by a step of the job
};

std::string scenario(const Shape& shape, double load, double cv) {
  // N / N* = load: N* = (Z + contended) / busiest.
  const double compute_s = std::max(shape.count * shape.busiest_s / load - shape.contended_s, 0.02);
  return fmt::format(R"(
platform:
  hosts: {}
{}
model: {{bytes: 100 MB}}
job:
  workers: {}
  servers: {}
  compute: {{mean: {:.6f} s, distribution: gamma, cv: {}}}
{}
run: {{engine: fluid, updates: 20000}})",
                     shape.hosts, shape.platform, shape.workers, shape.servers, compute_s, cv, shape.rest);
}

/// Each shape at these loads, with compute times of cv 0.3 and 1.
void expect_errors_up_to(double bound, const char* family, const std::vector<Shape>& shapes,
                         const std::vector<double>& loads = {0.5, 1.0, 1.5}) {
  std::printf("%s: errors of throughput in %%\n  %-44s", family, "N/N* with a compute cv of 0.3 | and of 1");
  for (const double load : loads) std::printf("  %5.2f", load);
  std::printf("\n");
  double sum = 0.0;
  double staleness = 0.0;  // largest total variation
  for (const Shape& shape : shapes) {
    std::printf("  %-44s", shape.name.c_str());
    for (const double cv : {0.3, 1.0}) {
      for (const double load : loads) {
        const Simulated run = simulate_yaml(scenario(shape, load, cv));
        ASSERT_EQ(run.error, "") << scenario(shape, load, cv);
        const double error = run.result["check"]["throughput_relative_error"];
        std::printf("  %+5.1f", 100.0 * error);
        sum += std::abs(error);
        staleness = std::max(staleness, run.result["check"]["staleness_total_variation"].get<double>());
        EXPECT_LE(std::abs(error), bound) << family << ", " << shape.name << ", load " << load << ", cv " << cv;
      }
      if (cv < 1.0) std::printf("  |");
    }
    std::printf("\n");
  }
  std::printf("  mean %.1f, bound %.1f; total variation of staleness up to %.2f\n",
              100.0 * sum / (2.0 * static_cast<double>(loads.size() * shapes.size())), 100.0 * bound, staleness);
}

Shape colocated(int hosts) {
  const double direction_s = 0.1 * (hosts - 1) / hosts;
  const std::string group = fmt::format("{{on: h, count: {}}}", hosts);
  return {fmt::format("{} hosts with a worker and a server", hosts),
          "{h: {nic: 8 Gbps}}",
          group,
          group,
          hosts,
          "",
          "",
          2.0 * direction_s,
          2.0 * direction_s / hosts};
}

TEST(Layouts, OfAWorkerAndAServerOnEachHost) {
  expect_errors_up_to(0.03, "Workers and servers on the same hosts",
                      {colocated(2), colocated(4), colocated(8), colocated(16)}, {0.25, 0.5, 0.75});
}

Shape crowded_hosts(int hosts, int each, int servers, int server_gbps) {
  return {fmt::format("{} hosts x {} workers, {} servers of {} Gbps", hosts, each, servers, server_gbps),
          fmt::format("{{w: {{nic: 8 Gbps}}, s: {{nic: {} Gbps}}}}", server_gbps),
          fmt::format("{{on: w, count: {}, per_host: {}}}", hosts * each, each),
          fmt::format("{{on: s, count: {}}}", servers),
          hosts * each,
          "",
          "",
          0.2,
          std::max(0.1 / hosts, 0.8 / (servers * server_gbps))};
}

TEST(Layouts, OfSeveralWorkersOnAHost) {
  expect_errors_up_to(0.05, "Several workers on a host",
                      {crowded_hosts(2, 2, 1, 32), crowded_hosts(2, 8, 1, 8), crowded_hosts(4, 4, 4, 8),
                       crowded_hosts(4, 4, 1, 32), crowded_hosts(8, 4, 1, 32), crowded_hosts(8, 4, 4, 32)});
}

Shape racks(const char* placement, int workers, int size, int uplink_gbps, double busiest_s) {
  return {fmt::format("{} workers, racks of {}, {}, {} Gbps", workers, size, placement, uplink_gbps),
          fmt::format("{{w: {{nic: 8 Gbps}}, s: {{nic: 8 Gbps, placement: {}}}}}", placement),
          fmt::format("{{on: w, count: {}}}", workers),
          "{on: s, count: 4}",
          workers,
          "",
          fmt::format("  topology: {{racks: {{size: {}, uplink: {} Gbps}}}}", size, uplink_gbps),
          0.2,
          busiest_s};
}

TEST(Layouts, OfRacks) {
  // Mean use of an uplink: 0.8 / Gbps for a model; in_order, four of 20 workers do not use it.
  expect_errors_up_to(0.04, "Racks behind oversubscribed uplinks",
                      {racks("own", 16, 8, 16, 0.05), racks("in_order", 20, 8, 16, 0.05 * 0.8),
                       racks("spread", 24, 8, 16, 0.025), racks("spread", 24, 8, 32, 0.025)});
  // Beyond, such a job computes for a tenth of its step or less, and the model is a quarter too fast.
  expect_errors_up_to(0.065, "Servers spread over small racks", {racks("spread", 12, 4, 16, 0.0375 / 2.0)},
                      {0.3, 0.5, 0.7});
}

Shape unequal_shards(int workers, const char* shares, double largest, int worker_gbps) {
  const int servers = static_cast<int>(std::ranges::count(std::string(shares), ',')) + 1;
  return {fmt::format("{} workers of {} Gbps, shards {}", workers, worker_gbps, shares),
          fmt::format("{{w: {{nic: {} Gbps}}, s: {{nic: 8 Gbps}}}}", worker_gbps),
          fmt::format("{{on: w, count: {}}}", workers),
          fmt::format("{{on: s, count: {}}}", servers),
          workers,
          fmt::format("  sharding: {{explicit: [{}]}}", shares),
          "",
          2.0 * std::max(0.8 / worker_gbps, 0.1 * largest),
          0.1 * largest};
}

TEST(Layouts, OfUnequalShards) {
  expect_errors_up_to(0.02, "Unequal shards, workers' NICs four times as fast",
                      {unequal_shards(4, "0.8, 0.2", 0.8, 32), unequal_shards(16, "0.6, 0.4", 0.6, 32),
                       unequal_shards(8, "0.4, 0.3, 0.2, 0.1", 0.4, 32)});
  expect_errors_up_to(0.05, "Unequal shards, equal NICs",
                      {unequal_shards(8, "0.8, 0.2", 0.8, 8), unequal_shards(16, "0.6, 0.4", 0.6, 8),
                       unequal_shards(32, "0.4, 0.3, 0.2, 0.1", 0.4, 8)});
}

TEST(Layouts, OfUnequalServers) {
  const Shape unequal{"12 workers, servers of 8 and 24 Gbps",
                      "{w: {nic: 32 Gbps}, s: {nic: 8 Gbps}, fast: {nic: 24 Gbps}}",
                      "{on: w, count: 12}",
                      "[{on: s, count: 1}, {on: fast, count: 1}]",
                      12,
                      "",
                      "",
                      0.1,
                      0.05};
  Shape fitting = unequal;
  fitting.name += ", shards to fit";
  fitting.rest = "  sharding: {explicit: [0.25, 0.75]}";
  fitting.contended_s = fitting.busiest_s = 0.025;
  expect_errors_up_to(0.01, "Servers with different NICs", {unequal, fitting});
}

Shape updates(int workers, int servers, int threads, const char* distribution) {
  return {fmt::format("{} workers, {} servers x {} threads, {}", workers, servers, threads, distribution),
          "{w: {}, s: {}}",
          fmt::format("{{on: w, count: {}}}", workers),
          fmt::format("{{on: s, count: {}, threads: {}, update: {{fixed: 100 ms, distribution: {}}}}}", servers,
                      threads, distribution),
          workers,
          "",
          "",
          0.1,
          0.1 / threads};
}

TEST(Layouts, OfThreads) {
  expect_errors_up_to(
      0.025, "One server with several threads",
      {updates(8, 1, 2, "deterministic"), updates(8, 1, 4, "deterministic"), updates(16, 1, 4, "gamma, cv: 0.5"),
       updates(16, 1, 2, "gamma, cv: 1.5"), updates(32, 1, 8, "exponential")});
}

TEST(Layouts, OfRandomUpdatesOfSeveralServers) {
  expect_errors_up_to(
      0.05, "Random updates of several servers (fork and join)",
      {updates(4, 2, 1, "exponential"), updates(16, 4, 1, "exponential"), updates(16, 8, 1, "exponential"),
       updates(4, 4, 1, "gamma, cv: 0.5"), updates(16, 8, 1, "gamma, cv: 0.5"), updates(16, 4, 1, "gamma, cv: 1.5"),
       updates(16, 4, 2, "exponential")});
}

Shape one_after_the_other(int workers, int servers, int worker_gbps) {
  const double pull_s = 0.1 / servers;
  return {fmt::format("{} workers of {} Gbps, {} servers", workers, worker_gbps, servers),
          fmt::format("{{w: {{nic: {} Gbps}}, s: {{nic: 8 Gbps}}}}", worker_gbps),
          fmt::format("{{on: w, count: {}}}", workers),
          fmt::format("{{on: s, count: {}}}", servers),
          workers,
          "",
          "  network: {sharing: fifo}",
          0.2,
          std::max(pull_s, 0.8 / worker_gbps)};
}

TEST(Layouts, OfFirstComeLinks) {
  expect_errors_up_to(0.015, "Receiving links that take one transfer after the other",
                      {one_after_the_other(4, 1, 32), one_after_the_other(16, 1, 8), one_after_the_other(16, 4, 8),
                       one_after_the_other(16, 4, 32)});
}

}  // namespace
}  // namespace stagger
