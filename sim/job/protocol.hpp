// The messages between workers and servers.
//
// separate: request -> reply, compute, push -> acknowledgement. fused: the push is answered by a reply; only a worker's
// very first read has a request of its own. A server that ends a round may cancel the step under way of a worker, which
// then requests anew; a cancel that meets another message than the reply which it follows is too late, and has no
// effect. A worker that leaves while it computes tells so, and requests when it is back. Requests, cancels, farewells
// and acknowledgements carry 0 bytes, replies and pushes the shard.
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/engine/engine.hpp"
#include "sim/policy/sync.hpp"

namespace stagger {

enum class MessageKind : std::int32_t { request, reply, push, acknowledgement, cancel, farewell };

struct JobMessage {
  MessageKind kind{};
  std::int32_t server = 0;   ///< index of the server that sends or receives
  Clock clock = 0;           ///< steps the worker has completed; a push: with this one
  std::int64_t version = 0;  ///< reply, push: the version read; cancel: the one that has been made
  Seconds held{};            ///< reply, acknowledgement: how long the server had what it answers
};

}  // namespace stagger
