#include "sim/engine/fluid/fluid_engine.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/input_error.hpp"
#include "sim/engine/fluid/fiber.hpp"
#include "sim/engine/fluid/flow_network.hpp"
#include "sim/engine/fluid/ring.hpp"

namespace stagger {
namespace {

constexpr int kNone = -1;

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

void add_carried(const Connection& link, double bytes, std::vector<double>& sums) {
  for (const int each : std::span(link.path).first(link.links)) sums[static_cast<std::size_t>(each)] += bytes;
}

/// A message under way.
struct Letter {
  Message message;
  int connection = kNone;
  int next = kNone;  // on the same connection
};

class FluidEngine final : public Engine {
 public:
  explicit FluidEngine(const Cluster& cluster);

  ActorId add_actor(int host, std::string name, ActorBody body) override;
  void run() override;
  [[noreturn]] void stop() override;
  std::vector<double> carried_bytes() const override;

 private:
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
  int keep(const Message& message, int connection);
  Message& deliver(const Message& message, int to);
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

FluidEngine::Actor::Actor(FluidEngine& its_engine, int its_index, int its_host, ActorBody body)
    : engine(its_engine),
      index(its_index),
      host(its_host),
      fiber(its_engine.stacks_, [this, work = std::move(body)] { live(work); }) {}

void FluidEngine::Actor::live(const ActorBody& body) {
  try {
    if (!engine.stopped_) body(*this);
  } catch (const Stopped&) {
  } catch (...) {
    engine.failure_ = std::current_exception();
    engine.stopped_ = true;
  }
}

void FluidEngine::Actor::send(ActorId to, const Message& message) {
  const auto stamp = [this](Message& under_way) {
    under_way.from = {index};
    under_way.sent = {engine.now_};
  };
  const int link_index = engine.connection(*this, to.index);
  Connection& link = engine.connections_[static_cast<std::size_t>(link_index)];
  if (message.size.si > 0.0 && link.limited > 0) {
    const int letter = engine.keep(message, link_index);
    stamp(engine.letters_[static_cast<std::size_t>(letter)].message);
    (link.first == kNone ? link.first : engine.letters_[static_cast<std::size_t>(link.last)].next) = letter;
    link.last = letter;
    if (link.first == letter) engine.start_first(link, link_index);
    return;
  }
  if (message.size.si > 0.0) add_carried(link, message.size.si, engine.completed_);
  if (link.latency_s == 0.0) return stamp(engine.deliver(message, to.index));
  const int letter = engine.keep(message, link_index);
  stamp(engine.letters_[static_cast<std::size_t>(letter)].message);
  engine.set_timer(engine.now_ + link.latency_s, Action::deliver, letter);
}

std::optional<Message> FluidEngine::Actor::receive(Seconds until) {
  while (inbox.empty()) {
    if (until.si <= engine.now_) return std::nullopt;
    if (until < kNever) timer = engine.set_timer(until.si, Action::wake, index);
    waiting = true;
    fiber.suspend();
    timer = 0;
    if (engine.stopped_) throw Stopped{};
  }
  const Message message = inbox.front();
  inbox.pop();
  return message;
}

FluidEngine::FluidEngine(const Cluster& cluster) : cluster_(cluster), completed_(cluster.links.size(), 0.0) {
  for (const Cluster::Link& link : cluster_.links) network_.add_link(link.goodput.si);
  for (std::size_t k = 0; k < cluster_.profiles.size(); ++k) set_change(static_cast<int>(k), 0);
}

ActorId FluidEngine::add_actor(int host, std::string, ActorBody body) {
  const int index = static_cast<int>(actors_.size());
  actors_.emplace_back(*this, index, host, std::move(body));
  ready_.push(index);
  return {index};
}

void FluidEngine::run() {
  while (!stopped_) {
    if (!ready_.empty()) {
      Actor& actor = actors_[static_cast<std::size_t>(ready_.front())];
      ready_.pop();
      actor.fiber.resume();
      continue;
    }
    const double timer_s = timers_.empty() ? kInfinity : timers_.top().time;
    const double end_s = network_.next_end();
    const double change_s = changes_.empty() ? kInfinity : changes_.top().time;
    if (timers_.empty() && (network_.empty() || std::min(end_s, change_s) == kInfinity)) break;
    if (change_s <= std::min(timer_s, end_s))
      change_bandwidths();
    else if (timer_s <= end_s)
      fire_timer();
    else
      end_transfer();
  }
  const bool deadlocked =
      !stopped_ && std::ranges::any_of(actors_, [](const Actor& actor) { return !actor.fiber.done(); });
  release_all();
  if (failure_) std::rethrow_exception(failure_);
  if (deadlocked) throw SimulationError("deadlock: all workers and servers wait, and nothing is under way");
}

void FluidEngine::stop() {
  stopped_ = true;
  throw Stopped{};
}

/// Lets all actors that still wait unwind and return.
void FluidEngine::release_all() {
  stopped_ = true;
  for (Actor& actor : actors_)
    if (!actor.fiber.done()) actor.fiber.resume();
}

int& FluidEngine::connection_index(Actor& from, int to) {
  std::vector<int>& known = from.connections;
  if (known.empty()) from.first_peer = to;
  if (to < from.first_peer) {
    known.insert(known.begin(), static_cast<std::size_t>(from.first_peer - to), kNone);
    from.first_peer = to;
  }
  const auto at = static_cast<std::size_t>(to - from.first_peer);
  if (at >= known.size()) known.resize(at + 1, kNone);
  return known[at];
}

int FluidEngine::connection(Actor& from, int to) {
  int& index = connection_index(from, to);
  if (index == kNone) {
    index = static_cast<int>(connections_.size());
    Connection& made = connections_.emplace_back();
    made.to = to;
    const int there = actors_.at(static_cast<std::size_t>(to)).host;
    made.latency_s = cluster_.latency(from.host, there).si;
    std::vector<int> path = cluster_.path(from.host, there);
    if (cluster_.sharing == Sharing::fifo && cluster_.link(path.back()).goodput < kUnlimited) {
      made.receiver = path.back();
      receivers_.resize(cluster_.links.size());
    }
    const auto is_limited = [this](int link) { return cluster_.link(link).goodput < kUnlimited; };
    made.limited = static_cast<std::uint8_t>(std::partition(path.begin(), path.end(), is_limited) - path.begin());
    made.links = static_cast<std::uint8_t>(path.size());
    std::ranges::copy(path, made.path.begin());
  }
  return index;
}

std::uint64_t FluidEngine::set_timer(double time, Action action, int index) {
  timers_.push({time, ++timers_set_, index, action});
  return timers_set_;
}

void FluidEngine::set_change(int profile, std::int64_t number) {
  if (const auto next = nth_change(cluster_.profiles[static_cast<std::size_t>(profile)], number))
    changes_.push({next->at.si, profile, number});
}

void FluidEngine::change_bandwidths() {
  const Change change = changes_.top();
  changes_.pop();
  now_ = change.time;
  const double share = nth_change(cluster_.profiles[static_cast<std::size_t>(change.profile)], change.number)->share;
  std::vector<FlowNetwork::Capacity> capacities;
  for (std::size_t i = 0; i < cluster_.links.size(); ++i)
    if (const Cluster::Link& link = cluster_.links[i]; link.profile == change.profile && link.goodput < kUnlimited)
      capacities.push_back({static_cast<int>(i), share * link.goodput.si});
  network_.set_capacities(now_, capacities);
  set_change(change.profile, change.number + 1);
}

void FluidEngine::fire_timer() {
  const Timer timer = timers_.top();
  timers_.pop();
  now_ = timer.time;
  const auto index = static_cast<std::size_t>(timer.index);
  switch (timer.action) {
    case Action::wake:
      if (actors_[index].timer != timer.order) return;  // something else woke the actor before
      actors_[index].waiting = false;
      ready_.push(timer.index);
      return;
    case Action::deliver:
      deliver(letters_[index].message, connections_[static_cast<std::size_t>(letters_[index].connection)].to);
      free_letters_.push_back(timer.index);
      return;
    case Action::start:
      return start_first(connections_[index], timer.index);
  }
}

int FluidEngine::keep(const Message& message, int connection) {
  int index = static_cast<int>(letters_.size());
  if (free_letters_.empty()) {
    letters_.emplace_back();
  } else {
    index = free_letters_.back();
    free_letters_.pop_back();
  }
  letters_[static_cast<std::size_t>(index)] = {message, connection, kNone};
  return index;
}

/// Returns the message as its receiver will find it.
Message& FluidEngine::deliver(const Message& message, int to) {
  Actor& receiver = actors_[static_cast<std::size_t>(to)];
  if (std::exchange(receiver.waiting, false)) {
    receiver.timer = 0;
    ready_.push(to);
  }
  return receiver.inbox.push(message);
}

/// Lets the first letter of a connection cross the network as soon as its latency is over.
void FluidEngine::start_first(Connection& link, int index) {
  const Message& message = letters_[static_cast<std::size_t>(link.first)].message;
  const double ready_s = message.sent.si + link.latency_s;
  if (now_ < ready_s) {
    set_timer(ready_s, Action::start, index);
    return;
  }
  if (Receiver* receiver = receiver_of(link)) {
    if (receiver->busy) return receiver->waiting.push_back(index);
    receiver->busy = true;
  }
  start_flow(link, index);
}

void FluidEngine::start_flow(Connection& link, int index) {
  const Message& message = letters_[static_cast<std::size_t>(link.first)].message;
  const auto flow = static_cast<std::size_t>(
      network_.start(now_, std::span(link.path).first(link.limited), message.size.si, message.priority));
  if (flow >= flows_.size()) flows_.resize(flow + 1, kNone);
  flows_[flow] = index;
}

/// The limited receiving link of a connection, where it takes one transfer after the other.
FluidEngine::Receiver* FluidEngine::receiver_of(const Connection& link) {
  return link.receiver == kNone ? nullptr : &receivers_[static_cast<std::size_t>(link.receiver)];
}

void FluidEngine::end_transfer() {
  now_ = network_.next_end();
  const int index = std::exchange(flows_[static_cast<std::size_t>(network_.end_next())], kNone);
  Connection& link = connections_[static_cast<std::size_t>(index)];
  const int letter = link.first;
  const Letter& arrived = letters_[static_cast<std::size_t>(letter)];
  add_carried(link, arrived.message.size.si, completed_);
  deliver(arrived.message, link.to);
  link.first = arrived.next;
  free_letters_.push_back(letter);
  if (Receiver* receiver = receiver_of(link)) {
    receiver->busy = !receiver->waiting.empty();
    if (receiver->busy) {
      const int next = receiver->waiting.front();
      receiver->waiting.pop_front();
      start_flow(connections_[static_cast<std::size_t>(next)], next);
    }
  }
  if (link.first != kNone) start_first(link, index);
}

std::vector<double> FluidEngine::carried_bytes() const {
  std::vector<double> sums = completed_;
  for (std::size_t flow = 0; flow < flows_.size(); ++flow)
    if (flows_[flow] != kNone) {
      const Connection& link = connections_[static_cast<std::size_t>(flows_[flow])];
      const double size = letters_[static_cast<std::size_t>(link.first)].message.size.si;
      add_carried(link, size - network_.remaining(static_cast<int>(flow), now_), sums);
    }
  return sums;
}

}  // namespace

std::unique_ptr<Engine> make_fluid_engine(const Cluster& cluster) { return std::make_unique<FluidEngine>(cluster); }

}  // namespace stagger
