// What stands between a command and the user: every failure becomes a message and an exit status, and a simulation that
// takes its process down takes only a child.
#pragma once

#include <functional>

namespace stagger {

/// Runs `work`; returns its exit status, or that of the exception it throws, whose text goes to standard error.
/// Standard output that cannot be written is wrong input too.
int guarded(const std::function<int()>& work);

/// Runs `guarded(work)` in a child process and returns its status. SimGrid ends its process on what it thinks
/// impossible: that is reported as a failed simulation. Interrupts reach the child.
int guarded_in_child(const std::function<int()>& work);

}  // namespace stagger
