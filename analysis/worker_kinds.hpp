// Workers that the model cannot tell apart: the classes of the queueing network.
#pragma once

#include <vector>

#include "analysis/lone_step.hpp"

namespace stagger {

/// Equal in compute times, batch and lone step.
struct WorkerKind {
  std::size_t first = 0;  ///< of them; index into the layout's workers
  int workers = 0;
  LoneStep step;
};
inline constexpr std::size_t kMostKinds = 8;

/// In the order of their first workers; `steps` are theirs. None: there are more than kMostKinds. O(workers).
std::vector<WorkerKind> kinds_of(const Layout& layout, const std::vector<LoneStep>& steps);

}  // namespace stagger
