// What is wrong with the user's input, and where. Thrown as a whole, so that all problems of a file are shown at once.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace stagger {

/// One mistake in the user's input.
struct InputProblem {
  std::string where;     ///< "file:line:column", a file, or an option; never empty
  std::string what;      ///< what is wrong, in one sentence without full stop
  std::string excerpt;   ///< the offending line; may be empty
  int caret = 0;         ///< the column in `excerpt` to point at, from 1; 0: none
  std::string expected;  ///< what would have been right; may be empty
};

/// "where: what", the excerpt with a caret below the offending place, and what was expected; ends with a newline.
std::string to_text(const InputProblem& problem);

/// The user's input cannot be used (exit status 2). Holds at least one problem.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<InputProblem> problems);
  explicit InputError(InputProblem problem) : InputError(std::vector{std::move(problem)}) {}
  const std::vector<InputProblem>& problems() const { return problems_; }

 private:
  std::vector<InputProblem> problems_;
};

/// The simulation failed, or gave a result that is physically impossible (exit status 3).
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stagger
