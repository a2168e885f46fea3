// The fluid engine beside SimGrid's: 300 random scenarios, and 60 with sharing fifo. Both draw the same random numbers,
// so that they go the same way, update by update, until rounding decides: two events fall so close together that either
// may come first, or the network, which is chaotic, has blown rounding up. Two controls tell when: the same engine with
// link speeds that differ by 1e-14. From there on only means must agree.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/simulation.hpp"

namespace stagger {
namespace {

constexpr int kScenarios = 360;  // every sixth with sharing fifo
constexpr int kChunks = 30;

class Scenarist {
 public:
  explicit Scenarist(unsigned seed) : random_(seed) {}

  std::string scenario(const char* sharing) {
    const bool racks = chance(0.3);
    const bool together = chance(0.25);  // workers and servers on the same hosts
    const int servers = pick(1, 8);
    const int workers = pick(1, 40);
    const bool two_groups = !together && workers > 1 && chance(0.5);
    const int fast = two_groups ? pick(1, workers - 1) : workers;
    std::string hosts = fmt::format("    a: {{nic: {}}}\n", nic());
    if (two_groups) hosts += fmt::format("    b: {{nic: {}}}\n", nic());
    if (!together) hosts += fmt::format("    s: {{nic: {}}}\n", nic());
    const auto group = [&](const char* on, int count, int per_host) {
      return fmt::format("{{on: {}, count: {}, per_host: {}, compute: {}}}", on, count, per_host, duration(50, 500));
    };
    const int per_host = pick(1, 3);
    std::string text = fmt::format("platform:\n  hosts:\n{}", hosts);
    text += fmt::format("  network: {{efficiency: {:.3f}, sharing: {}, loopback: {}}}\n", real(0.8, 0.99), sharing,
                        chance(0.5) ? "unlimited" : bandwidth());
    if (racks)
      text += fmt::format("  topology: {{racks: {{size: {}, uplink: {}, latency: {} us}}}}\n", pick(2, 12), bandwidth(),
                          pick(0, 50));
    text += fmt::format("model: {{bytes: {} B}}\njob:\n", pick(1'000'000, 100'000'000));
    text += fmt::format("  workers: [{}{}]\n", group("a", fast, per_host),
                        two_groups ? ", " + group("b", workers - fast, pick(1, 2)) : "");
    text += fmt::format("  servers: {{on: {}, count: {}, per_host: {}, threads: {}, update: {}}}\n",
                        together ? "a" : "s", servers, pick(1, 2), pick(1, 2),
                        chance(0.3) ? "{}" : fmt::format("{{fixed: {} us, {}}}", pick(10, 20'000), distribution()));
    text +=
        fmt::format("  exchange: {}\n  sync: {}\n", chance(0.5) ? "fused" : "separate", chance(0.15) ? "bsp" : "asp");
    if (servers == 2 && chance(0.5)) text += "  sharding: {explicit: [0.3, 0.7]}\n";
    return text + fmt::format("run: {{updates: 1000, warmup: 0, seed: {}}}\n", pick(1, 1'000'000));
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  double real(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  bool chance(double p) { return real(0.0, 1.0) < p; }
  std::string bandwidth() { return fmt::format("{} MBps", pick(50, 2000)); }
  std::string nic() {
    const std::string up = bandwidth();
    return fmt::format("{{up: {}, down: {}, latency: {} us}}", up, chance(0.5) ? up : bandwidth(), pick(0, 100));
  }
  std::string distribution() {
    constexpr std::array kKinds{"gamma", "lognormal", "weibull", "uniform"};
    if (chance(0.2)) return "distribution: exponential";
    return fmt::format("distribution: {}, cv: {:.2f}", kKinds[static_cast<std::size_t>(pick(0, 3))], real(0.05, 0.55));
  }
  std::string duration(int low_ms, int high_ms) {
    return fmt::format("{{mean: {} ms, {}}}", pick(low_ms, high_ms), distribution());
  }

  std::mt19937 random_;
};

std::vector<Json> of_server(const Json& updates, int server) {
  std::vector<Json> own;
  std::ranges::copy_if(updates, std::back_inserter(own),
                       [&](const Json& update) { return update["server"] == server; });
  return own;
}

/// The smallest distance between two arrivals or two ends of one server's updates up to update `last`.
double closest(const std::vector<Json>& updates, std::size_t last) {
  double least = kInfinity;
  for (const char* key : {"arrived", "ended"}) {
    std::vector<double> times;
    for (std::size_t i = 0; i <= last && i < updates.size(); ++i) times.push_back(updates[i][key]);
    std::ranges::sort(times);
    for (std::size_t i = 1; i < times.size(); ++i) least = std::min(least, times[i] - times[i - 1]);
  }
  return least;
}

/// Times in seconds; `margin` grows with them by the same number a second, half of it each.
bool same(const Json& a, const Json& b, double margin) {
  for (const char* key : {"arrived", "started", "ended"})
    if (std::abs(a[key].get<double>() - b[key].get<double>()) > margin * (1.0 + a[key].get<double>() / 2.0))
      return false;
  return a["server"] == b["server"] && a["worker"] == b["worker"] && a["staleness"] == b["staleness"];
}

/// The number of updates at the start that are the same.
std::size_t same_until(const std::vector<Json>& a, const std::vector<Json>& b, double margin) {
  std::size_t k = 0;
  while (k < std::min(a.size(), b.size()) && same(a[k], b[k], margin)) ++k;
  return k;
}

/// The fluid engine, with the speeds of all links times `factor`.
std::vector<std::string> scaled(const Json& network, double factor) {
  std::vector<std::string> sets{"run.engine=fluid", fmt::format("platform.network.efficiency={:.17g}",
                                                                factor * network["efficiency"].get<double>())};
  if (const std::string loopback = network["loopback"]; loopback != "unlimited")
    sets.push_back(fmt::format("platform.network.loopback={:.17g} Bps", factor * std::stod(loopback)));
  return sets;
}

class Engines : public testing::TestWithParam<int> {};

TEST_P(Engines, GoTheSameWayAndHaveTheSameMeans) {
  double compared = 0.0;
  double all = 0.0;
  for (int i = GetParam() * kScenarios / kChunks; i < (GetParam() + 1) * kScenarios / kChunks; ++i) {
    // First come, first served hangs on the order of ends that come together on different links, which SimGrid leaves
    // open: means only.
    const bool fair = i % 6 != 5;
    const std::string yaml = Scenarist(static_cast<unsigned>(i) + 1).scenario(fair ? "fair" : "fifo");
    SCOPED_TRACE(fmt::format("scenario {}\n{}", i, yaml));
    const Simulated reference = simulate_yaml(yaml, {}, true);
    const Simulated fluid = simulate_yaml(yaml, {"run.engine=fluid"}, true);
    ASSERT_EQ(reference.error + fluid.error, "");
    const Json& network = fluid.result["effective"]["platform"]["network"];
    const Simulated slower = simulate_yaml(yaml, scaled(network, 1.0 - 1e-14), true);
    const Simulated faster = simulate_yaml(yaml, scaled(network, 1.0 + 1e-14), true);
    ASSERT_EQ(slower.error + faster.error, "");
    for (int server = 0; fair && server < static_cast<int>(fluid.result["simulated"]["servers"].size()); ++server) {
      const std::vector<Json> a = of_server(reference.updates, server);
      const std::vector<Json> b = of_server(fluid.updates, server);
      const std::size_t n = std::min(a.size(), b.size());
      const std::size_t k = same_until(a, b, 2e-9);
      if (k < std::min(same_until(b, of_server(slower.updates, server), 1e-11),
                       same_until(b, of_server(faster.updates, server), 1e-11)) &&
          k < n) {
        EXPECT_LT(std::min(closest(a, k + 1), closest(b, k + 1)), 1e-8) << "update " << k << " of " << n << ":\n"
                                                                        << a[k] << "\n"
                                                                        << b[k];
      }
      compared += static_cast<double>(k) / static_cast<double>(n);
      all += 1.0;
    }
    // 720 tests with a family-wise error of 1e-6: 6.1 standard errors each.
    const double error = std::hypot(reference.updates_per_s_error(), fluid.updates_per_s_error());
    EXPECT_LE(std::abs(reference.updates_per_s() - fluid.updates_per_s()), 6.1 * error + 1e-9 * fluid.updates_per_s());
    const double staleness_error = std::hypot(reference.staleness_error(), fluid.staleness_error());
    EXPECT_LE(std::abs(reference.staleness() - fluid.staleness()), 6.1 * staleness_error + 1e-9);
  }
  std::printf("%.0f %% of the updates compared\n", 100.0 * compared / all);
}

INSTANTIATE_TEST_SUITE_P(Random, Engines, testing::Range(0, 3));
INSTANTIATE_TEST_SUITE_P(NightlyRandom, Engines, testing::Range(3, kChunks));

}  // namespace
}  // namespace stagger
