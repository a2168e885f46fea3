// Policies that add up several gradients to a version; sync.hpp has their rules.
#pragma once

#include <functional>

#include "sim/policy/sync.hpp"

namespace stagger {

struct Rounds {
  std::function<long long(long long workers)> gradients;  ///< that make a version, when so many workers are here
  bool once = false;                                      ///< a worker contributes once to a version, and waits for it
  bool fresh = false;    ///< gradients of an older version, or beyond those that make this one, are dropped
  bool cancels = false;  ///< a new version cancels the steps under way
};

/// Requires 1 <= gradients(workers); with `once` at most as many as there are workers.
std::unique_ptr<SyncPolicy> make_rounds(const Rounds& rounds, int workers);

}  // namespace stagger
