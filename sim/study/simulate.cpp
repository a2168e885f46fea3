#include "sim/study/simulate.hpp"

#include <fmt/format.h>

#include <chrono>
#include <deque>

#include "sim/config/sync.hpp"
#include "sim/engine/make_engine.hpp"
#include "sim/job/recorder.hpp"
#include "sim/job/server.hpp"
#include "sim/job/worker.hpp"
#include "sim/result/measure.hpp"
#include "sim/study/stop_rule.hpp"

namespace stagger {
namespace {

/// The workers get the first actor ids, so that a worker's id is its index; servers follow, and whoever else.
class Job {
 public:
  Job(Engine& engine, const Layout& layout, std::uint64_t seed, Observer& observer) {
    const auto workers = static_cast<int>(layout.workers.size());
    std::vector<ActorId> servers;
    std::vector<Bytes> shards;
    for (std::size_t s = 0; s < layout.servers.size(); ++s) {
      servers.push_back({workers + static_cast<int>(s)});
      shards.push_back(layout.servers[s].shard);
    }
    for (std::size_t w = 0; w < layout.workers.size(); ++w) {
      const Layout::Worker& worker = layout.workers[w];
      const WorkerSetup& setup =
          workers_.emplace_back(WorkerSetup{static_cast<int>(w),
                                            layout.exchange,
                                            layout.priority == Priority::pushes ? 1 : 0,
                                            servers,
                                            shards,
                                            make_step_time(worker, seed, static_cast<std::uint32_t>(w)),
                                            worker.away});
      engine.add_actor(worker.host, worker.name,
                       [&setup, &observer](Port& port) { run_worker(port, setup, observer); });
    }
    for (std::size_t s = 0; s < layout.servers.size(); ++s) {
      const Layout::Server& server = layout.servers[s];
      const RandomStream stream(seed, static_cast<std::uint32_t>(s), Purpose::update);
      const ServerSetup& setup = servers_.emplace_back(ServerSetup{static_cast<int>(s),
                                                                   layout.exchange,
                                                                   layout.priority == Priority::pulls ? 1 : 0,
                                                                   server.shard,
                                                                   server.threads,
                                                                   layout.sync,
                                                                   workers,
                                                                   {server.update, server.update_mean, stream},
                                                                   server.stalls});
      engine.add_actor(server.host, server.name,
                       [&setup, &observer](Port& port) { run_server(port, setup, observer); });
    }
  }

 private:
  std::deque<WorkerSetup> workers_;
  std::deque<ServerSetup> servers_;
};

/// Tells the caller about ten times a second how far the run is, and hears whether it should end.
class Heartbeat {
 public:
  explicit Heartbeat(const RunHooks& hooks) : hooks_(hooks) {}
  /// False: the caller wants the run to end.
  bool beat(const Progress& progress) {
    if (++calls_ % 64 != 0) return true;  // reading the clock is not free
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return true;
    last_ = now;
    hooks_.progress(progress);
    return !hooks_.interrupted();
  }

 private:
  const RunHooks& hooks_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  unsigned calls_ = 0;
};

}  // namespace

void check_size(const Scenario& scenario) {
  const auto workers = static_cast<long long>(scenario.layout.workers.size());
  const auto servers = static_cast<long long>(scenario.layout.servers.size());
  if (scenario.spec.run.engine == EngineKind::simgrid && workers + servers > kMostActors)
    throw InputError(
        {scenario.name, fmt::format("{} workers and {} servers", workers, servers), "", 0,
         fmt::format("at most {} together, which is what SimGrid can hold; `--engine fluid` has no such limit",
                     kMostActors)});
}

Simulation simulate(const Scenario& scenario, const RunHooks& hooks) {
  const Layout& layout = scenario.layout;
  const RunSpec& run = scenario.spec.run;
  const auto engine = make_engine(run.engine, layout.cluster);
  hooks.ready();
  Recorder recorder(layout, *engine, run.warmup.updates);
  recorder.expect(gradients_per_version(layout.sync, static_cast<long long>(layout.workers.size())) *
                  (run.updates.value_or(0) + run.warmup.updates.value_or(0)));
  Simulation simulation;
  Seconds now{};
  Seconds end = run.time.value_or(kNever);
  StopRule rule(run, layout);
  Heartbeat heartbeat(hooks);

  const auto finish = [&](Seconds at) {
    recorder.close(at);
    engine->stop();
  };
  recorder.after_apply = [&](double updates) {
    now = Seconds{recorder.log().updates.back().ended_s};
    const double fraction = run.time ? (now / end).si : rule.fraction(updates);
    simulation.incomplete = !heartbeat.beat({fraction, now.si, updates});
    if (simulation.incomplete || rule.enough(recorder.log(), updates)) finish(now);
  };

  const Job job(*engine, layout, run.seed, recorder);
  if (run.time)
    engine->add_actor(0, "clock", [&](Port& port) {
      for (;;) {  // the warm-up found may grow with what is seen of it
        port.receive(end);
        const std::size_t cut = find_cut(recorder.log(), layout, run.warmup.updates);
        end = Seconds{recorder.log().snapshots[cut].time_s} + *run.time;
        if (end <= port.now()) finish(port.now());
      }
    });
  engine->run();

  simulation.log = recorder.take_log();
  simulation.cut = find_cut(simulation.log, layout, run.warmup.updates);
  if (rule.gave_up())
    simulation.warnings.push_back(
        fmt::format("the precision asked for was not reached in {:.0e} updates", StopRule::kMostUpdates));
  return simulation;
}

}  // namespace stagger
