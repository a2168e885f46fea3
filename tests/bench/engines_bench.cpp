// The fluid engine beside SimGrid's and beside a hand-written loop: whole runs, from the scenario to the result.
#include <benchmark/benchmark.h>

#include <cmath>

#include "tests/bench/hand_written.hpp"

namespace stagger {
namespace {

/// Each iteration is one run of each. SimGrid's has fewer updates, and each pays for its own start.
void engines(benchmark::State& state, const Size& fluid, long long simgrid_updates) {
  Size simgrid = fluid;
  simgrid.engine = EngineKind::simgrid;
  simgrid.updates = simgrid_updates;
  const bool by_hand = fluid.worker_nic == kUnlimited;
  std::vector<double> fluid_us, simgrid_us, hand_us, hand_ratio;
  for ([[maybe_unused]] auto iteration : state) {
    for (int pair = 0; pair < 7; ++pair) {
      const Cost cost = cost_of(fluid, run_stagger);
      fluid_us.push_back(cost.us());
      if (!by_hand) continue;
      const Cost hand = cost_of(fluid, [](const Size& size) { return HandWrittenStar(size).run(); });
      hand_us.push_back(hand.us());
      hand_ratio.push_back(cost.us() / hand.us());
      // The same job; rounding takes the two apart after some thousand updates.
      if (std::abs(hand.transfers / cost.transfers - 1.0) > 0.01 ||
          std::abs(hand.simulated_s / cost.simulated_s - 1.0) > 0.01)
        state.SkipWithError("not the same transfers");
    }
    simgrid_us.push_back(cost_of(simgrid, run_stagger).us());
    state.SetIterationTime(1e-6 * median(fluid_us));
  }
  state.counters["fluid_us"] = median(fluid_us);
  state.counters["simgrid_us"] = median(simgrid_us);
  state.counters["speedup"] = median(simgrid_us) / median(fluid_us);
  if (!by_hand) return;
  state.counters["hand_us"] = median(hand_us);
  state.counters["hand_ratio"] = median(hand_ratio);
}

/// 64 million transfers.
void large(benchmark::State& state) {
  for ([[maybe_unused]] auto iteration : state) {
    const Cost cost = cost_of({10'000, 32, 1'000'000, EngineKind::fluid}, run_stagger);
    state.SetIterationTime(cost.seconds);
    state.counters["seconds"] = cost.seconds;
    state.counters["peak_MiB"] = cost.peak_bytes / (1024.0 * 1024.0);
    state.counters["fluid_us"] = cost.us();
  }
}

}  // namespace

void add_engine_benchmarks() {
  struct Row {
    int workers;
    long long updates, simgrid_updates;
  };
  for (const auto& [kind, nic] : {std::pair{"star", kUnlimited}, {"equal", BytesPerSecond{kNic}}})
    for (const auto& [workers, updates, simgrid_updates] :
         {Row{64, 60'000, 2'500}, {256, 60'000, 2'500}, {1024, 60'000, 2'048}}) {
      const Size size{workers, 8, updates, EngineKind::fluid, nic};
      benchmark::RegisterBenchmark(
          fmt::format("{}/{}x8", kind, workers).c_str(),
          [size, most = simgrid_updates](benchmark::State& state) { engines(state, size, most); })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  benchmark::RegisterBenchmark("large/10000x32", large)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
}

}  // namespace stagger
