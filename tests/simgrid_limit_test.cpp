// SimGrid has room for the actors that are promised, and more are refused before it sees them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/engine/simgrid/simgrid_engine.hpp"
#include "tests/simulation.hpp"

namespace stagger {
namespace {

// The last actor wakes after the first second, when all others have begun to wait.
TEST(SimgridLimit, ThatManyActorsRun) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "under AddressSanitizer each actor is a thread, and Linux has not that many for one process";
#endif
  const ChildOutcome child = run_in_child([] {
    PlatformSpec platform;
    platform.hosts.push_back({"host", 1, {}, {}, {}});
    const auto engine = make_simgrid_engine(make_cluster(platform, {1}));
    long long waiting = 0;
    for (long long i = 1; i < kMostActors; ++i)
      engine->add_actor(0, fmt::format("actor {}", i), [&](Port& port) {
        ++waiting;
        port.receive();
      });
    engine->add_actor(0, "last", [&](Port& port) {
      port.receive(Seconds{1.0});
      engine->stop();
    });
    engine->run();
    return std::to_string(waiting);
  });
  EXPECT_EQ(child.output, std::to_string(kMostActors - 1)) << child.error;
}

TEST(SimgridLimit, MoreWorkersAndServersAreRefused) {
  const auto refused = [](int servers) {
    return simulate_yaml(R"(
platform: {hosts: {w: {count: 12000}, s: {count: 20001}}}
model: {bytes: 0 B}
job:
  workers: {on: w, count: 12000}
  servers: {on: s, count: 1}
  compute: {mean: 1 s, distribution: gamma, cv: 0.3}
run: {updates: 10, warmup: 0})",
                         {fmt::format("job.servers.count={}", servers)})
        .error;
  };
  EXPECT_NE(refused(20'001).find("12000 workers and 20001 servers\n    expected: at most 32000 together"),
            std::string::npos);
  EXPECT_EQ(refused(1), "");
}

}  // namespace
}  // namespace stagger
