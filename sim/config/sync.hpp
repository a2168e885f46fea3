// job.sync: what a policy with its parameters is called, and what it needs.
#pragma once

#include <string>

#include "sim/config/codec.hpp"
#include "sim/config/spec.hpp"

namespace stagger {

/// "ssp (slack 3)".
std::string describe(const SyncSpec& sync);

/// Whether nobody ever waits, and each gradient makes a version.
bool is_asynchronous(const SyncSpec& sync);

/// The gradients in a version, while so many workers are here. Requires a policy in which check_sync finds no problem.
long long gradients_per_version(const SyncSpec& sync, long long workers);

/// Whether a new version cancels the steps that are under way.
bool cancels_steps(const SyncSpec& sync);

/// Reports to `context` a policy that so many workers and servers cannot follow.
void check_sync(const SyncSpec& sync, long long workers, std::size_t servers, ReadContext& context);

}  // namespace stagger
