// What Stagger costs on SimGrid: simulating a transfer, beside a bare SimGrid program that sends the same ones;
// starting; memory. Bounds are in tests/bench/build-and-run.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <simgrid/s4u.hpp>

#include "tests/bench/cost.hpp"

namespace stagger {
namespace {

namespace sg = simgrid::s4u;

// ---- The bare program: nothing recorded, checked or kept ------------------------------------------------------------

/// Waiting by suspend and resume costs no activity.
class Sleeper {
 public:
  void bind(sg::ActorPtr actor) { actor_ = std::move(actor); }
  void sleep() {
    asleep_ = true;
    sg::this_actor::suspend();
  }
  void wake() {
    if (!asleep_) return;
    asleep_ = false;
    actor_->resume();
  }

 private:
  sg::ActorPtr actor_;
  bool asleep_ = false;
};

class BareJob {
 public:
  explicit BareJob(const Size& size) : size_(size), updates_left_(size.updates * size.servers) {
    sg::Engine::set_config("network/model", std::string("CM02"));
    sg::Engine::set_config("network/crosstraffic", false);
    sg::NetZone* zone = sg::create_star_zone("star");
    std::vector<sg::Host*> worker_hosts;
    for (int w = 0; w < size.workers; ++w) worker_hosts.push_back(add_host(*zone, fmt::format("worker-{}", w)));
    std::vector<sg::Host*> server_hosts;
    for (int s = 0; s < size.servers; ++s) server_hosts.push_back(add_host(*zone, fmt::format("server-{}", s)));
    zone->seal();
    for (int w = 0; w < size.workers; ++w) add_worker(w, worker_hosts[at(w)]);
    for (int s = 0; s < size.servers; ++s) add_server(server_hosts[at(s)]);
    for (int w = 0; w < size.workers; ++w)
      for (int s = 0; s < size.servers; ++s) {
        add_courier(pulls_.emplace_back(), server_hosts[at(s)], worker_hosts[at(w)], [this, w] { answer(w); });
        add_courier(pushes_.emplace_back(), worker_hosts[at(w)], server_hosts[at(s)], [this, w, s] {
          send_to_server(s, {w, true});
        });
      }
  }

  double transfers() const { return static_cast<double>(transfers_); }

 private:
  struct Worker {
    Sleeper sleeper;
    int missing = 0;  // answers
  };
  struct Request {
    int worker;
    bool pushed;
  };
  struct Server {
    Sleeper sleeper;
    std::deque<Request> requests;
  };
  struct Courier {
    Sleeper sleeper;
    int waiting = 0;
    void send() {
      ++waiting;
      sleeper.wake();
    }
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  std::size_t connection(int worker, int server) const { return at(worker * size_.servers + server); }

  static sg::Host* add_host(sg::NetZone& zone, const std::string& name) {
    sg::Host* host = zone.create_host(name, 1.0);
    const auto link = [&](const char* direction) {
      return std::vector{sg::LinkInRoute(zone.create_link(name + direction, kNic)->set_latency(0.0))};
    };
    zone.add_route(host->get_netpoint(), nullptr, nullptr, nullptr, link(" up"), false);
    zone.add_route(nullptr, host->get_netpoint(), nullptr, nullptr, link(" down"), false);
    return host;
  }

  void add_worker(int index, sg::Host* host) {
    const RandomStream stream(kDrawSeed, static_cast<std::uint32_t>(index), Purpose::compute);
    const auto work = [this, index, &worker = workers_.emplace_back(),
                       compute = Durations({DistributionKind::gamma, kCv, {}}, kCompute, stream)] {
      const auto collect = [&] {
        while (worker.missing > 0) worker.sleeper.sleep();
        worker.missing = size_.servers;
      };
      worker.missing = size_.servers;
      for (std::uint32_t step = 0;; ++step) {
        for (int s = 0; s < size_.servers; ++s) send_to_server(s, {index, false});
        collect();
        sg::this_actor::sleep_for(compute.at(step).si);
        for (int s = 0; s < size_.servers; ++s) pushes_[connection(index, s)].send();
        collect();
      }
    };
    workers_.back().sleeper.bind(sg::Actor::create("worker", host, work));
  }

  void add_server(sg::Host* host) {
    const int index = static_cast<int>(servers_.size());
    Server& server = servers_.emplace_back();
    const auto serve = [this, index, &server] {
      for (;;) {
        while (server.requests.empty()) server.sleeper.sleep();
        const Request request = server.requests.front();
        server.requests.pop_front();
        if (!request.pushed) {
          pulls_[connection(request.worker, index)].send();
          continue;
        }
        answer(request.worker);
        if (--updates_left_ > 0) continue;
        sg::Actor::kill_all();
        sg::this_actor::exit();
      }
    };
    server.sleeper.bind(sg::Actor::create("server", host, serve));
  }

  template <class Deliver>
  void add_courier(Courier& courier, sg::Host* from, sg::Host* to, Deliver deliver) {
    const auto bytes = static_cast<std::uint64_t>(kModel / size_.servers);
    courier.sleeper.bind(sg::Actor::create("courier", from, [this, &courier, from, to, deliver, bytes] {
      for (;;) {
        for (; courier.waiting > 0; --courier.waiting) {
          sg::Comm::sendto(from, to, bytes);
          ++transfers_;
          deliver();
        }
        courier.sleeper.sleep();
      }
    }));
  }

  void send_to_server(int server, Request request) {
    servers_[at(server)].requests.push_back(request);
    servers_[at(server)].sleeper.wake();
  }
  void answer(int worker) {
    if (--workers_[at(worker)].missing == 0) workers_[at(worker)].sleeper.wake();
  }

  Size size_;
  long long updates_left_;
  long long transfers_ = 0;
  std::deque<Worker> workers_;
  std::deque<Server> servers_;
  std::deque<Courier> pulls_, pushes_;
};

Cost run_bare(const Size& size) {
  std::array name{std::string("bare"), std::string("--log=root.thres:critical")};
  std::array<char*, 3> arguments{name[0].data(), name[1].data(), nullptr};
  int count = 2;
  sg::Engine engine(&count, arguments.data());
  const BareJob job(size);
  engine.run();
  return {.transfers = job.transfers(), .simulated_s = sg::Engine::get_clock()};
}

// ---- The measurements -----------------------------------------------------------------------------------------------

/// One iteration is a pair of runs, each time in the other order.
void transfers(benchmark::State& state, const Size& size) {
  std::vector<double> stagger_us, bare_us, ratios;
  for ([[maybe_unused]] auto iteration : state) {
    const bool bare_first = ratios.size() % 2 == 0;
    Cost bare = bare_first ? cost_of(size, run_bare) : Cost{};
    const Cost stagger = cost_of(size, run_stagger);
    if (!bare_first) bare = cost_of(size, run_bare);
    if (bare.transfers != stagger.transfers || std::abs(bare.simulated_s / stagger.simulated_s - 1.0) > 1e-9)
      state.SkipWithError(fmt::format("not the same transfers: {} in {} s, bare {} in {} s", stagger.transfers,
                                      stagger.simulated_s, bare.transfers, bare.simulated_s)
                              .c_str());
    stagger_us.push_back(1e6 * stagger.seconds / stagger.transfers);
    bare_us.push_back(1e6 * bare.seconds / bare.transfers);
    ratios.push_back(stagger_us.back() / bare_us.back());
    state.SetIterationTime(stagger.seconds);
    state.counters["transfers"] = stagger.transfers;
  }
  state.counters["stagger_us"] = median(stagger_us);
  state.counters["bare_us"] = median(bare_us);
  state.counters["ratio"] = median(ratios);
}

void memory(benchmark::State& state, const Size& size) {
  for ([[maybe_unused]] auto iteration : state) {
    const Cost cost = cost_of(size, run_stagger);
    state.SetIterationTime(cost.seconds);
    state.counters["transfers"] = cost.transfers;
    state.counters["peak_MiB"] = cost.peak_bytes / (1024.0 * 1024.0);
  }
}

struct Launch {
  double wall_ms = 0.0;
  double cpu_ms = 0.0;  ///< of the launcher and all that it ran
};

/// `stagger predict` through the launcher; its output goes nowhere.
Launch launch() {
  std::array<std::string, 3> words{STAGGER_LAUNCHER, "predict", STAGGER_SCENARIO};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const auto began = std::chrono::steady_clock::now();
  pid_t child = 0;
  int status = -1;
  rusage usage{};
  if (::posix_spawn(&child, STAGGER_LAUNCHER, &actions, nullptr, arguments.data(), environ) == 0)
    ::wait4(child, &status, 0, &usage);
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - began;
  ::posix_spawn_file_actions_destroy(&actions);
  if (status != 0) throw std::runtime_error("stagger predict failed");
  const auto ms = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return {wall.count(), ms(usage.ru_utime) + ms(usage.ru_stime)};
}

void start_up(benchmark::State& state) {
  launch();  // builds what is not up to date
  std::vector<double> wall_ms, cpu_ms;
  for ([[maybe_unused]] auto iteration : state) {
    const Launch launched = launch();
    state.SetIterationTime(1e-3 * launched.wall_ms);
    wall_ms.push_back(launched.wall_ms);
    cpu_ms.push_back(launched.cpu_ms);
  }
  state.counters["wall_ms"] = median(wall_ms);
  state.counters["cpu_ms"] = median(cpu_ms);
}

}  // namespace

void add_engine_benchmarks();  // engines_bench.cpp

}  // namespace stagger

int main(int argc, char** argv) {
  using namespace stagger;
  const auto add = [](const std::string& name, int iterations, auto body) {
    benchmark::RegisterBenchmark(name.c_str(), body)
        ->UseManualTime()
        ->Iterations(iterations)
        ->Unit(benchmark::kMillisecond);
  };
  for (const Size& size : {Size{16, 2, 16'000}, Size{64, 8, 2'500}, Size{256, 8, 2'500}})
    add(fmt::format("transfers/{}x{}", size.workers, size.servers), 7,
        [size](benchmark::State& state) { transfers(state, size); });
  for (const Size& size : {Size{1'000, 1, 2'000}, Size{5'000, 1, 10'000}})
    add(fmt::format("memory/{}x{}", size.workers, size.servers), 1,
        [size](benchmark::State& state) { memory(state, size); });
  add("startup", 20, start_up);
  add_engine_benchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
