// What worker and server see of an engine, and how a run is put together. Nothing of SGD in here.
//
// Actors talk in messages. A message of size 0 takes the latency of its path and nothing else. A larger one waits its
// latency from the moment it was sent, then for the transfers before it on the same connection (sender, receiver), then
// crosses the network, which all transfers under way share.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/base/units.hpp"

namespace stagger {

/// Actors are numbered from 0 in the order in which they were added.
struct ActorId {
  int index = -1;
  bool operator==(const ActorId&) const = default;
};

/// A value of any trivially copyable type up to 48 bytes, on its way from one actor to another.
struct Message {
  Bytes size{};      ///< what crosses the network, whole bytes; 0: latency only
  int priority = 0;  ///< a transfer has what those of higher priorities leave of the links; an engine may not have it
  ActorId from{};    ///< filled in by the engine
  Seconds sent{};    ///< filled in by the engine
  std::array<std::byte, 48> body{};

  template <class T>
  static Message of(const T& value, Bytes size, int priority = 0) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(body));
    Message message{.size = size, .priority = priority};
    std::memcpy(message.body.data(), &value, sizeof(T));
    return message;
  }
  template <class T>
  T as() const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(body));
    T value;
    std::memcpy(&value, body.data(), sizeof(T));
    return value;
  }
};

/// An actor's view of the world.
class Port {
 public:
  virtual Seconds now() const = 0;
  /// Never blocks; the engine models latency, queueing and sharing.
  virtual void send(ActorId to, const Message& message) = 0;
  /// The oldest message that has arrived, waiting for one until `until`; none: the time was reached. Computing for a
  /// while is receive(until = finish).
  virtual std::optional<Message> receive(Seconds until = kNever) = 0;

 protected:
  ~Port() = default;
};

using ActorBody = std::function<void(Port&)>;

class Engine {
 public:
  virtual ~Engine() = default;
  /// Before run().
  virtual ActorId add_actor(int host, std::string name, ActorBody body) = 0;
  /// Runs until stop() is called or all actors have returned. Throws SimulationError when all that are left wait for
  /// ever, and whatever an actor threw.
  virtual void run() = 0;
  /// From within an actor: ends the run at the current instant; actors that still wait are unwound.
  virtual void stop() = 0;
  /// Bytes that each link of the network has carried so far, exact at the current instant, transfers under way
  /// included. From within an actor.
  virtual std::vector<double> carried_bytes() const = 0;
};

}  // namespace stagger
