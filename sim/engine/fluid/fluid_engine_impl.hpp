// The class behind make_fluid_engine, for its two sources: fluid_engine.cpp has actors and time, fluid_transfers.cpp
// what is under way between them.
#pragma once

#include <array>
#include <deque>
#include <exception>
#include <queue>
#include <vector>

#include "sim/config/cluster.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/fluid/fiber.hpp"
#include "sim/engine/fluid/flow_network.hpp"
#include "sim/engine/fluid/ring.hpp"

namespace stagger {

class FluidEngine final : public Engine {
 public:
  explicit FluidEngine(const Cluster& cluster);

  ActorId add_actor(int host, std::string name, ActorBody body) override;
  void run() override;
  [[noreturn]] void stop() override;
  std::vector<double> carried_bytes() const override;

 private:
  static constexpr int kNone = -1;

  /// From one actor to another.
  struct Connection {
    int to = kNone;  // an actor
    double latency_s = 0.0;
    int receiver = kNone;             // in receivers_; only with sharing fifo
    int first = kNone, last = kNone;  // letters that wait for their turn to cross the network, or cross it
    std::array<int, 4> path{};        // the cluster's links on the way, limited ones first
    std::uint8_t links = 0;
    std::uint8_t limited = 0;  // of them; 0: bytes cross the network in no time
  };

  /// A message under way.
  struct Letter {
    Message message;
    int connection = kNone;
    int next = kNone;  // on the same connection
  };

  /// What unwinds an actor when the run is over.
  struct Stopped {};

  /// A link that takes one transfer after the other.
  struct Receiver {
    bool busy = false;
    std::deque<int> waiting{};  // connections
  };

  struct Actor final : Port {
    Actor(FluidEngine& its_engine, int its_index, int its_host, ActorBody body);
    Seconds now() const override { return {engine.now_}; }
    void send(ActorId to, const Message& message) override;
    std::optional<Message> receive(Seconds until) override;
    void live(const ActorBody& body);

    FluidEngine& engine;
    int index;
    int host;
    Ring<Message> inbox;
    bool waiting = false;
    std::uint64_t timer = 0;  // the order of the one that would wake it; 0: none
    /// The actor's connections: of actor first_peer, first_peer + 1, … Those of a worker and of a server are dense.
    int first_peer = 0;
    std::vector<int> connections;
    Fiber fiber;
  };

  enum class Action : std::uint8_t { wake, deliver, start };  // of an actor, a letter, a connection
  struct Timer {
    double time;
    std::uint64_t order;  // in which they were set, from 1
    int index;
    Action action;
    bool operator<(const Timer& other) const {  // a priority queue has its largest on top
      return time > other.time || (time == other.time && order > other.order);
    }
  };

  /// Of the bandwidths that follow one profile.
  struct Change {
    double time;
    int profile;
    std::int64_t number;                         // of the change in the profile
    bool operator<(const Change& other) const {  // a priority queue has its largest on top
      return time > other.time || (time == other.time && profile > other.profile);
    }
  };

  int& connection_index(Actor& from, int to);
  int connection(Actor& from, int to);
  std::uint64_t set_timer(double time, Action action, int index);
  void set_change(int profile, std::int64_t number);
  void change_bandwidths();
  void fire_timer();
  int keep(const Message& message, int from, int connection);
  void stamp(Message& message, int from) const;
  Message& deliver(const Message& message, int to);
  static void add_carried(const Connection& connection, double bytes, std::vector<double>& sums);
  void start_first(Connection& connection, int index);
  void start_flow(Connection& connection, int index);
  void end_transfer();
  Receiver* receiver_of(const Connection& connection);
  void release_all();

  const Cluster cluster_;
  FlowNetwork network_;  // has the cluster's links
  StackPool stacks_ = make_stack_pool();
  std::deque<Actor> actors_;
  std::vector<Connection> connections_;
  std::vector<Letter> letters_;
  std::vector<int> free_letters_;
  std::vector<Receiver> receivers_;  // by link of the cluster; empty with sharing fair
  std::vector<int> flows_;           // the connection of each flow; kNone: none
  std::priority_queue<Timer> timers_;
  std::priority_queue<Change> changes_;
  Ring<int> ready_;                // actors
  std::vector<double> completed_;  // bytes of finished transfers, by link of the cluster
  std::uint64_t timers_set_ = 0;
  double now_ = 0.0;
  std::exception_ptr failure_;
  bool stopped_ = false;
};

}  // namespace stagger
