// A worker: pulls parameters, computes a gradient, pushes it, for ever.
#pragma once

#include <vector>

#include "sim/config/layout.hpp"
#include "sim/engine/engine.hpp"
#include "sim/job/observer.hpp"
#include "sim/job/step_time.hpp"

namespace stagger {

struct WorkerSetup {
  int index = 0;
  Exchange exchange = Exchange::separate;
  int priority = 0;  ///< of its pushes
  std::vector<ActorId> servers;
  std::vector<Bytes> shards;  ///< of each server
  StepTime compute;
  std::vector<TimeWindow> away;  ///< in the order of time
};

/// The body of the worker's actor; returns never. Each step pulls from and pushes to all servers at once and goes on
/// when all have answered; a step of a fused exchange begins when the parameters of the one before are in. Who is to be
/// away goes while it computes, or else as soon as it begins to; the step is lost, and when the worker is back it reads
/// and begins that step anew.
void run_worker(Port& port, const WorkerSetup& setup, Observer& observer);

}  // namespace stagger
