// Synchronisation policies: when a worker may read, and what an applied gradient does to the version. Pure state
// machines, one object per server, which see only what that server receives. A new policy is one class here and one row
// in make_sync.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/config/spec.hpp"

namespace stagger {

/// Steps that a worker has completed.
using Clock = std::int64_t;

class SyncPolicy {
 public:
  virtual ~SyncPolicy() = default;
  /// Whether `worker`, which has completed `clock` steps, may read now. May turn from false to true only by on_applied.
  virtual bool may_read(int worker, Clock clock) const = 0;
  /// A gradient's apply has ended; `clock` counts the steps that the worker has completed with it. True: the version
  /// counts up.
  virtual bool on_applied(int worker, Clock clock) = 0;
};

/// Requires workers >= 1.
std::unique_ptr<SyncPolicy> make_sync(SyncKind kind, int workers);

}  // namespace stagger
