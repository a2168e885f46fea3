// A parameter server: holds a shard, applies gradients first come, first served over its threads, hands out snapshots.
#pragma once

#include <vector>

#include "sim/base/distribution.hpp"
#include "sim/config/layout.hpp"
#include "sim/engine/engine.hpp"
#include "sim/job/observer.hpp"
#include "sim/policy/sync.hpp"

namespace stagger {

struct ServerSetup {
  int index = 0;
  Exchange exchange = Exchange::separate;
  int priority = 0;  ///< of its replies
  Bytes shard{};
  int threads = 1;
  SyncSpec sync{};
  int workers = 1;
  Durations update;  ///< of the first, second, … gradient that begins its service
  std::vector<TimeWindow> stalls{};  ///< in the order of time
};

/// The body of the server's actor; returns never. Pulls do not occupy an update thread and do not wait behind updates;
/// a read that the policy holds back is answered as soon as the policy allows it. In a stall the server handles
/// nothing: what arrives waits for its end, and updates in service take so much longer.
void run_server(Port& port, const ServerSetup& setup, Observer& observer);

}  // namespace stagger
