// What happens in a job, told to observers: they record, trace, stop the run. The job does not know who listens.
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/policy/sync.hpp"
#include "sim/result/run_log.hpp"

namespace stagger {

/// A gradient whose apply has just ended.
struct ApplyEvent {
  int server = 0;
  int worker = 0;
  Clock clock = 0;  ///< steps the worker has completed with this gradient
  std::int64_t staleness = 0;
  bool new_version = false;
  Seconds arrived{};  ///< at the server
  Seconds started{};  ///< service
  Seconds ended{};
};

/// A step that a worker has just completed, with the tries of it that were cancelled. The four durations add up to
/// ended - began; with several servers they follow the one that answered last.
struct StepEvent {
  int worker = 0;
  Clock clock = 0;
  Seconds began{};
  Seconds ended{};
  Seconds pull{};  ///< request and parameters under way
  Seconds compute{};
  Seconds push{};  ///< gradient and acknowledgement under way
  Seconds wait{};  ///< at a server: queueing, update, held back by the policy
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// The exchange of `worker` with `server` enters `stage`. Stage::pull is the read.
  virtual void on_stage(int server, int worker, Stage stage, Seconds now) = 0;
  /// May end the run, and then does not return.
  virtual void on_apply(const ApplyEvent& event) = 0;
  virtual void on_step(const StepEvent& event) = 0;
  /// A gradient of `worker` has arrived too late and is dropped.
  virtual void on_drop(int server, int worker, Seconds now) = 0;
  /// A worker has left, and what `server` has applied so far is a version.
  virtual void on_version(int server) = 0;
};

}  // namespace stagger
