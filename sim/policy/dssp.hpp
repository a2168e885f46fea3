// Dynamic stale synchronous parallel; sync.hpp has its rule.
#pragma once

#include "sim/policy/sync.hpp"

namespace stagger {

/// Requires low < high.
std::unique_ptr<SyncPolicy> make_dssp(long long low, long long high, bool cap, int workers);

}  // namespace stagger
