// A small engine for unit tests of actors: no SimGrid, no fork. The network has latency and a rate per message, without
// sharing; actors are threads of which exactly one runs at a time, so that what happens is the same on every run.
#pragma once

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "sim/engine/engine.hpp"

namespace stagger {

class TestEngine final : public Engine {
 public:
  TestEngine(Seconds latency, BytesPerSecond rate) : latency_(latency), rate_(rate) {}

  ActorId add_actor(int, std::string, ActorBody body) override {
    actors_.push_back(std::make_unique<Actor>(*this, static_cast<int>(actors_.size())));
    Actor& actor = *actors_.back();
    actor.thread = std::thread([&actor, work = std::move(body)] {
      actor.turn.acquire();
      try {
        if (!actor.engine.stopped_) work(actor);
      } catch (const Stopped&) {
      } catch (...) {
        actor.engine.failure_ = std::current_exception();
        actor.engine.stopped_ = true;
      }
      actor.wakes = kNever;
      actor.done = true;
      actor.engine.turn_.release();
    });
    return {actor.index};
  }

  void run() override {
    // The first of the actors with the earliest wake-up goes on; a message wakes its receiver when it arrives.
    while (!stopped_) {
      const auto next = std::ranges::min_element(actors_, {}, [](const auto& actor) { return actor->wake_time(); });
      if ((*next)->wake_time() == kNever) break;
      now_ = std::max(now_, (*next)->wake_time());
      give_turn(**next);
    }
    stopped_ = true;
    for (const auto& actor : actors_) {
      if (!actor->done) give_turn(*actor);
      actor->thread.join();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

  void stop() override {
    stopped_ = true;
    throw Stopped{};
  }

  std::vector<double> carried_bytes() const override { return {}; }

 private:
  struct Stopped {};
  struct Arrival {
    Seconds time;
    Message message;
  };

  struct Actor final : Port {
    Actor(TestEngine& its_engine, int its_index) : engine(its_engine), index(its_index) {}

    Seconds now() const override { return engine.now_; }
    void send(ActorId to, const Message& sent) override {
      Message message = sent;
      message.from = {index};
      message.sent = engine.now_;
      auto& receiver = engine.actors_.at(static_cast<std::size_t>(to.index))->inbox;
      const Arrival arrival{engine.now_ + engine.latency_ + message.size / engine.rate_, message};
      receiver.insert(std::ranges::upper_bound(receiver, arrival.time, {}, &Arrival::time), arrival);
    }
    std::optional<Message> receive(Seconds until) override {
      wakes = until;
      engine.turn_.release();
      turn.acquire();
      if (engine.stopped_) throw Stopped{};
      if (inbox.empty() || inbox.front().time > engine.now_) return std::nullopt;
      const Message message = inbox.front().message;
      inbox.pop_front();
      return message;
    }
    Seconds wake_time() const { return done ? kNever : inbox.empty() ? wakes : std::min(wakes, inbox.front().time); }

    TestEngine& engine;
    int index;
    std::deque<Arrival> inbox;
    Seconds wakes{};
    bool done = false;
    std::binary_semaphore turn{0};
    std::thread thread;
  };

  void give_turn(Actor& actor) {
    actor.turn.release();
    turn_.acquire();
  }

  Seconds latency_;
  BytesPerSecond rate_;
  Seconds now_{};
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::vector<std::unique_ptr<Actor>> actors_;
  std::binary_semaphore turn_{0};
};

}  // namespace stagger
