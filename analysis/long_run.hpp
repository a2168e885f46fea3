// A job whose world changes, as the model takes it: what it is in the long run.
#pragma once

#include <string>
#include <vector>

#include "sim/config/layout.hpp"

namespace stagger {

/// The same job without what changes. Bandwidths have their long-run mean. Workers compute at their pace at the end of
/// all windows; with regimes, a step takes its time over the mean speed, (healthy + slow / factor) / (healthy + slow).
/// Workers that leave for good are not there; others that leave, and servers that stall, always are. Step times are
/// independent.
Layout in_the_long_run(Layout layout);

/// One sentence, without full stop, for each kind of change that in_the_long_run leaves out.
std::vector<std::string> changes(const Layout& layout);

}  // namespace stagger
