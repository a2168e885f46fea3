// What no job of this layout can exceed: limits from capacities and mean times alone, without a queueing model.
#pragma once

#include "sim/config/layout.hpp"

namespace stagger {

/// All in gradients per second of the whole job.
struct Limits {
  double lower_per_s = 0.0;
  double upper_per_s = 0.0;
  /// What the links and the update threads can carry, for any distribution and policy; infinite when nothing is
  /// limited.
  double capacity_per_s = 0.0;
};

/// capacity: the smallest of threads / mean update of each server, goodput / shard of each server's host in each
/// direction (plus the own rate of the workers on that host, who do not use its NIC), likewise of each rack, and the
/// sum over the workers' hosts of goodput / bytes per step. upper: min(capacity, sum over workers of 1 / lone step).
/// With several servers, whose transfers and updates may overlap, only the longest phase counts. lower: sum over
/// workers of 1 / (Z_i + N * the rest of the lone step): in the worst case everybody else goes first, everywhere. Holds
/// for asynchronous jobs in which nothing changes (long_run.hpp), on equally shared links, with one server whose update times are "new
/// better than used in expectation" (an update under way needs at most another mean: deterministic, exponential,
/// uniform, gamma and Weibull with cv <= 1), and is 0 otherwise. The other two hold for what is there at best: all workers, at full speed and bandwidth. Requires that every step takes time.
Limits physical_limits(const Layout& layout);

}  // namespace stagger
