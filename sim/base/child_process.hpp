// Runs a function in a forked child: SimGrid allows one simulation per process, and its clock survives an Engine.
#pragma once

#include <functional>
#include <string>

namespace stagger {

/// How a child ended and what it returned.
struct ChildOutcome {
  std::string output;  ///< what the function returned; empty unless `succeeded`
  std::string error;   ///< why it failed: an exception's text, or the signal that ended it
  bool succeeded = false;
  bool interrupted = false;  ///< ended by SIGINT
};

/// Forks, calls `work` in the child and hands its result back through a pipe. Everything that the child writes to the
/// standard streams appears as usual. The child has a process group of its own; SIGINT and SIGTERM that reach this
/// process meanwhile are handed to it, and this process goes on. Call it before this process has a SimGrid engine or a
/// second thread. Throws std::system_error when the system refuses a pipe or a process.
ChildOutcome run_in_child(const std::function<std::string()>& work);

}  // namespace stagger
