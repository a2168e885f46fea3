// Dynamic synchronous parallel; sync.hpp has its rule.
#pragma once

#include "sim/policy/sync.hpp"

namespace stagger {

/// Requires 0 <= slack <= high, memory >= 1.
std::unique_ptr<SyncPolicy> make_dsp(long long slack, long long high, long long memory, int workers);

}  // namespace stagger
