#include "sim/base/bandwidth_profile.hpp"

#include <algorithm>
#include <cmath>

namespace stagger {
namespace {

/// The integral of the share over the first `until` seconds of one turn through the steps.
double one_turn_s(const BandwidthProfile& profile, double until) {
  double sum = 0.0;
  for (std::size_t i = 0; i < profile.steps.size(); ++i) {
    const double end = i + 1 < profile.steps.size() ? std::min(profile.steps[i + 1].at.si, until) : until;
    sum += profile.steps[i].share * std::max(0.0, end - profile.steps[i].at.si);
  }
  return sum;
}

double integral_s(const BandwidthProfile& profile, double until) {
  if (!profile.period) return one_turn_s(profile, until);
  const double turns = std::floor(until / profile.period->si);
  return turns * one_turn_s(profile, profile.period->si) + one_turn_s(profile, until - turns * profile.period->si);
}

}  // namespace

std::optional<BandwidthProfile::Step> nth_change(const BandwidthProfile& profile, std::int64_t n) {
  const auto steps = static_cast<std::int64_t>(profile.steps.size());
  const std::int64_t turn = n / steps;
  if (turn > 0 && !profile.period) return std::nullopt;
  BandwidthProfile::Step change = profile.steps[static_cast<std::size_t>(n % steps)];
  if (turn > 0) change.at += static_cast<double>(turn) * *profile.period;
  return change;
}

double mean_share(const BandwidthProfile& profile, Seconds from, Seconds to) {
  return (integral_s(profile, to.si) - integral_s(profile, from.si)) / (to - from).si;
}

double long_run_share(const BandwidthProfile& profile) {
  return profile.period ? mean_share(profile, {}, *profile.period) : profile.steps.back().share;
}

}  // namespace stagger
