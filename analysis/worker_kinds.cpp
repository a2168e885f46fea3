#include "analysis/worker_kinds.hpp"

#include <algorithm>
#include <cmath>

namespace stagger {
namespace {

bool equal(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(a, b); }

bool equal(const LoneStep& a, const LoneStep& b) {
  return equal(a.latency_s, b.latency_s) && equal(a.push_s, b.push_s) && equal(a.update_s, b.update_s) &&
         equal(a.pull_s, b.pull_s);
}

}  // namespace

std::vector<WorkerKind> kinds_of(const Layout& layout, const std::vector<LoneStep>& steps) {
  std::vector<WorkerKind> kinds;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Layout::Worker& worker = layout.workers[i];
    auto kind = std::ranges::find_if(kinds, [&](const WorkerKind& each) {
      const Layout::Worker& first = layout.workers[each.first];
      return first.compute_mean == worker.compute_mean && first.compute == worker.compute &&
             first.batch == worker.batch && equal(each.step, steps[i]);
    });
    if (kind == kinds.end()) {
      if (kinds.size() == kMostKinds) return {};
      kind = kinds.insert(kinds.end(), {i, 0, steps[i]});
    }
    ++kind->workers;
  }
  return kinds;
}

}  // namespace stagger
