// job.disturbances: who is meant, and what it comes to for each worker, server and link.
#pragma once

#include "sim/config/layout.hpp"

namespace stagger {

/// "slow", "regimes", …
const char* name_of(const Disturbance& disturbance);

/// Applies `disturbances` to the workers, servers and links of `layout`. Reports to `context` names of nobody, windows
/// that end before they begin, links without a bandwidth to share, and workers that all leave for good.
void disturb(Layout& layout, const std::vector<Disturbance>& disturbances, ReadContext& context);

}  // namespace stagger
