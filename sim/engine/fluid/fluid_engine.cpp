#include "sim/engine/fluid/fluid_engine.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/input_error.hpp"
#include "sim/engine/fluid/fluid_engine_impl.hpp"

namespace stagger {

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
  const int link_index = engine.connection(*this, to.index);
  Connection& link = engine.connections_[static_cast<std::size_t>(link_index)];
  if (message.size.si > 0.0 && link.limited > 0) {
    const int letter = engine.keep(message, index, link_index);
    (link.first == kNone ? link.first : engine.letters_[static_cast<std::size_t>(link.last)].next) = letter;
    link.last = letter;
    if (link.first == letter) engine.start_first(link, link_index);
    return;
  }
  if (message.size.si > 0.0) engine.add_carried(link, message.size.si, engine.completed_);
  if (link.latency_s == 0.0) return engine.stamp(engine.deliver(message, to.index), index);
  engine.set_timer(engine.now_ + link.latency_s, Action::deliver, engine.keep(message, index, link_index));
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
    double timer_s = kInfinity;
    double change_s = kInfinity;
    if (!timers_.empty()) timer_s = timers_.top().time;
    if (!changes_.empty()) change_s = changes_.top().time;
    const double end_s = network_.next_end();
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

/// Returns the message as its receiver will find it.
Message& FluidEngine::deliver(const Message& message, int to) {
  Actor& receiver = actors_[static_cast<std::size_t>(to)];
  if (std::exchange(receiver.waiting, false)) {
    receiver.timer = 0;
    ready_.push(to);
  }
  return receiver.inbox.push(message);
}

std::unique_ptr<Engine> make_fluid_engine(const Cluster& cluster) { return std::make_unique<FluidEngine>(cluster); }

}  // namespace stagger
