// Simulated distributions of staleness against exact ones.
#pragma once

#include <algorithm>

#include "sim/result/statistics.hpp"
#include "tests/simulation.hpp"

namespace stagger {

/// Of the updates after warm-up by workers `first` to before `end`, in the order of time.
inline std::vector<int> staleness_after_warmup(const Simulated& run, int first, int end) {
  std::vector<int> staleness;
  const auto warmup = run.result["simulated"]["warmup_updates"].get<std::size_t>();
  for (std::size_t i = warmup; i < run.updates.size(); ++i)
    if (const int worker = run.updates[i]["worker"]; worker >= first && worker < end)
      staleness.push_back(run.updates[i]["staleness"]);
  return staleness;
}

/// The share of those for which `holds`; its standard error from means over groups of 50 consecutive ones.
template <class Holds>
void expect_share_within_6_errors(const std::vector<int>& staleness, double exact, Holds holds) {
  constexpr std::size_t kGroup = 50;
  std::vector<double> shares;
  for (auto from = staleness.begin(); staleness.end() - from >= static_cast<long>(kGroup); from += kGroup)
    shares.push_back(static_cast<double>(std::count_if(from, from + kGroup, holds)) / kGroup);
  const BatchMeans measured = batch_means(shares);
  expect_within_6_errors(measured.mean, exact, measured.standard_error);
}

/// Each value, and all above it together, where at least 100 of the updates are expected to have them and, of the
/// latter, at least 100 not to. `exact` may end early.
inline void expect_staleness_within_6_errors(const std::vector<int>& staleness, const std::vector<double>& exact) {
  const auto n = static_cast<double>(staleness.size());
  double above = 1.0;
  for (std::size_t k = 0; k < exact.size() && n * above >= 100.0; ++k) {
    SCOPED_TRACE(fmt::format("staleness {} of {} updates", k, staleness.size()));
    const auto value = static_cast<int>(k);
    if (n * exact[k] >= 100.0)
      expect_share_within_6_errors(staleness, exact[k], [value](int each) { return each == value; });
    above -= exact[k];
    if (n * above >= 100.0 && n * (1.0 - above) >= 100.0)
      expect_share_within_6_errors(staleness, above, [value](int each) { return each > value; });
  }
}

}  // namespace stagger
