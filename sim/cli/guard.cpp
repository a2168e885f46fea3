#include "sim/cli/guard.hpp"

#include <iostream>

#include "sim/base/child_process.hpp"
#include "sim/cli/options.hpp"
#include "sim/study/run.hpp"

namespace stagger {

int guarded(const std::function<int()>& work) {
  int status = kDone;
  try {
    status = work();
  } catch (const InputError& error) {
    std::cerr << error.what();
    return kWrongInput;
  } catch (const Interrupted& error) {
    std::cerr << "stagger: " << error.what() << "\n";
    return kInterrupted;
  } catch (const std::exception& error) {
    std::cerr << "stagger: the simulation failed: " << error.what() << "\n";
    return kSimulationFailed;
  }
  std::cout.flush();
  if (std::cout) return status;
  std::cerr << "stagger: standard output cannot be written\n";
  return kWrongInput;
}

int guarded_in_child(const std::function<int()>& work) {
  const ChildOutcome child = run_in_child([&] { return std::to_string(guarded(work)); });
  if (child.succeeded) return std::stoi(child.output);
  std::cerr << "stagger: the simulation failed: its process " << child.error << "\n";
  return child.interrupted ? kInterrupted : kSimulationFailed;
}

}  // namespace stagger
