// How the bandwidth of a link changes while a job runs: maintenance, other tenants, a cloud's bursts and limits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/units.hpp"

namespace stagger {

/// What share of its bandwidth a link has: constant between steps. The first step is at 0 s, each later than the one
/// before; after `period`, which is longer than the last step's time, all begins anew. Some share is above 0; without a
/// period, the last.
struct BandwidthProfile {
  struct Step {
    Seconds at{};
    double share = 1.0;
    bool operator==(const Step&) const = default;
  };
  std::optional<Seconds> period;
  std::vector<Step> steps;
  bool operator==(const BandwidthProfile&) const = default;
};

/// The n-th change, from 0, the first one at 0 s; none: there are no more.
std::optional<BandwidthProfile::Step> nth_change(const BandwidthProfile& profile, std::int64_t n);
/// The mean share between two times, from < to.
double mean_share(const BandwidthProfile& profile, Seconds from, Seconds to);
/// The mean share in the long run.
double long_run_share(const BandwidthProfile& profile);

}  // namespace stagger
