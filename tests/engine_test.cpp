// What every engine promises its actors (engine.hpp), on both engines.
#include "sim/engine/engine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/base/child_process.hpp"
#include "sim/base/input_error.hpp"
#include "sim/engine/make_engine.hpp"

namespace stagger {
namespace {

/// Two hosts whose NICs carry 10 bytes/s each way and have half a second of latency each.
Cluster two_hosts() {
  PlatformSpec platform;
  platform.hosts.push_back({"h", 2, {BytesPerSecond{10.0}, BytesPerSecond{10.0}, Seconds{0.5}}, {}, {}});
  return make_cluster(platform, {2});
}

using MakeActors = std::function<void(Engine&, std::string& told)>;

class AnyEngine : public testing::TestWithParam<EngineKind> {
 protected:
  /// What the actors told until the run ended; "error: …" where it failed. In a child: SimGrid allows one run a
  /// process.
  static std::string told(const MakeActors& make_actors) {
    const ChildOutcome child = run_in_child([&] {
      std::string text;
      const auto engine = make_engine(GetParam(), two_hosts());
      make_actors(*engine, text);
      try {
        engine->run();
      } catch (const std::exception& error) {
        text += fmt::format("error: {}", error.what());
      }
      return text;
    });
    EXPECT_TRUE(child.succeeded) << child.error;
    return child.output;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, AnyEngine, testing::Values(EngineKind::simgrid, EngineKind::fluid),
                         [](const auto& kind) { return kind.param == EngineKind::fluid ? "fluid" : "simgrid"; });

/// Tells what arrives, and when.
ActorBody listener(std::string& told, int messages) {
  return [&told, messages](Port& port) {
    for (int i = 0; i < messages; ++i) {
      const Message message = *port.receive();
      told += fmt::format("{} from {} at {:g}; ", message.as<int>(), message.from.index, port.now().si);
    }
  };
}

// A latency of 1 s; then 20 bytes at 10 bytes/s. The second transfer waits for the first on the same connection, a
// message without bytes does not.
TEST_P(AnyEngine, SendsOneTransferAfterTheOtherOnAConnection) {
  EXPECT_EQ(told([](Engine& engine, std::string& text) {
              engine.add_actor(0, "a", [](Port& port) {
                port.send({1}, Message::of(1, Bytes{20.0}));
                port.send({1}, Message::of(2, Bytes{20.0}));
                port.send({1}, Message::of(3, Bytes{}));
              });
              engine.add_actor(1, "b", listener(text, 3));
            }),
            "3 from 0 at 1; 1 from 0 at 3; 2 from 0 at 5; ");
}

// Two senders on the same host share its sending link, 5 bytes/s each from 1 s on: 10 bytes until 3 s; of 20 bytes, the
// other 10 then have 10 bytes/s, until 4 s.
TEST_P(AnyEngine, SharesALinkAmongConnections) {
  EXPECT_EQ(told([](Engine& engine, std::string& text) {
              for (int i = 0; i < 2; ++i)
                engine.add_actor(0, "a",
                                 [i](Port& port) { port.send({2 + i}, Message::of(i, Bytes{10.0 * (1 + i)})); });
              for (int i = 0; i < 2; ++i) engine.add_actor(1, "b", listener(text, 1));
            }),
            "0 from 0 at 3; 1 from 1 at 4; ");
}

// Within a host there is no NIC and no latency; a message is there at once.
TEST_P(AnyEngine, DeliversAtOnceWithinAHost) {
  EXPECT_EQ(told([](Engine& engine, std::string& text) {
              engine.add_actor(0, "a", [](Port& port) {
                port.receive(Seconds{2.0});
                port.send({1}, Message::of(7, Bytes{1e9}));
              });
              engine.add_actor(0, "b", listener(text, 1));
            }),
            "7 from 0 at 2; ");
}

// The message at 1 s wakes the one that waits until 5 s; the next wait until 5 s lasts until then; one into the past
// not at all.
TEST_P(AnyEngine, WaitsUntilATimeOrAMessage) {
  EXPECT_EQ(told([](Engine& engine, std::string& text) {
              engine.add_actor(0, "a", [](Port& port) { port.send({1}, Message::of(1, Bytes{})); });
              engine.add_actor(1, "b", [&text](Port& port) {
                for (const double until : {5.0, 5.0, 3.0}) {
                  const bool received = port.receive(Seconds{until}).has_value();
                  text += fmt::format("{} at {:g}; ", received ? "message" : "nothing", port.now().si);
                }
              });
            }),
            "message at 1; nothing at 5; nothing at 5; ");
}

TEST_P(AnyEngine, NamesADeadlock) {
  EXPECT_EQ(told([](Engine& engine, std::string&) { engine.add_actor(0, "a", [](Port& port) { port.receive(); }); }),
            "error: deadlock: all workers and servers wait, and nothing is under way");
}

// Between two senders of one host: 40 bytes from 1 s on, of which 10 are through when 20 bytes of a higher priority
// come, at 2 s; those have the link until 4 s, and the other 30 bytes take until 7 s.
TEST(Fluid, LetsAHigherPriorityGoFirst) {
  std::string text;
  const auto engine = make_engine(EngineKind::fluid, two_hosts());
  engine->add_actor(0, "a", [](Port& port) { port.send({2}, Message::of(1, Bytes{40.0})); });
  engine->add_actor(0, "b", [](Port& port) {
    port.receive(Seconds{1.0});
    port.send({2}, Message::of(2, Bytes{20.0}, 1));
  });
  engine->add_actor(1, "c", listener(text, 2));
  engine->run();
  EXPECT_EQ(text, "2 from 1 at 4; 1 from 0 at 7; ");
}

// Bandwidths that change for ever are no reason to wait for ever.
TEST(Fluid, NamesADeadlockUnderAProfile) {
  Cluster cluster = two_hosts();
  cluster.profiles = {{Seconds{1.0}, {{Seconds{}, 1.0}, {Seconds{0.5}, 0.0}}}};
  for (Cluster::Link& link : cluster.links) link.profile = 0;
  const auto engine = make_engine(EngineKind::fluid, cluster);
  engine->add_actor(0, "a", [](Port& port) { port.receive(); });
  EXPECT_THROW(engine->run(), SimulationError);
}

TEST_P(AnyEngine, HandsOnWhatAnActorThrows) {
  EXPECT_EQ(told([](Engine& engine, std::string&) {
              engine.add_actor(0, "a", [](Port& port) { port.receive(); });
              engine.add_actor(0, "b", [](Port& port) {
                port.receive(Seconds{1.0});
                throw std::runtime_error("no more");
              });
            }),
            "error: no more");
}

// Whoever waits is unwound, so that what it owns is released; whoever never began does not begin.
TEST_P(AnyEngine, UnwindsWhoStillWaitsWhenItStops) {
  struct Owned {
    std::string& text;
    ~Owned() { text += "released; "; }
  };
  EXPECT_EQ(told([](Engine& engine, std::string& text) {
              engine.add_actor(0, "a", [&text](Port& port) {
                const Owned owned{text};
                port.receive();
                text += "never; ";
              });
              engine.add_actor(0, "b", [&](Port& port) {
                port.receive(Seconds{1.0});
                text += "stops; ";
                engine.stop();
              });
            }),
            "stops; released; ");
}

// 5 s of 10 bytes/s after the latency, of 100 bytes; the message of 30 bytes before has arrived.
TEST_P(AnyEngine, KnowsWhatItsLinksHaveCarriedSoFar) {
  EXPECT_EQ(told([](Engine& engine, std::string& text) {
              engine.add_actor(0, "a", [](Port& port) {
                port.send({1}, Message::of(1, Bytes{30.0}));
                port.send({1}, Message::of(2, Bytes{100.0}));
              });
              engine.add_actor(1, "b", [&](Port& port) {
                port.receive();
                port.receive(Seconds{9.0});
                const std::vector<double> carried = engine.carried_bytes();
                text += fmt::format("{:g} {:g} at {:g}", carried[static_cast<std::size_t>(Cluster::up(0))],
                                    carried[static_cast<std::size_t>(Cluster::down(1))], port.now().si);
                engine.stop();
              });
            }),
            "80 80 at 9");
}

}  // namespace
}  // namespace stagger
