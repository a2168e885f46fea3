#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>

#include "sim/cli/guard.hpp"
#include "sim/cli/options.hpp"
#include "sim/config/codec.hpp"

namespace stagger {
namespace {

constexpr std::size_t kAny = static_cast<std::size_t>(-1);
constexpr std::array kCommands{
    Command{"run", "SCENARIO", "Simulate a job, predict it, and cross-check the two.", 1, {"out"}, run_command},
    Command{"predict",
            "SCENARIO",
            "The analytical model alone, in milliseconds.",
            1,
            {"export", "measured"},
            predict_command},
    Command{"check",
            "SCENARIO…",
            "Cross-check several scenarios, one line each; exits 1 when model and simulation disagree.",
            kAny,
            {"stations"},
            check_command},
    Command{"validate",
            "FILE…",
            "Read scenarios, platforms or models and show what was understood; run nothing.",
            kAny,
            {},
            validate_command}};

std::string help() {
  std::string text =
      "Stagger simulates distributed asynchronous SGD and cross-checks it with a queueing model.\n\n"
      "usage: stagger COMMAND FILE… [options]\n\n";
  for (const Command& command : kCommands)
    text += fmt::format("  {:<9} {:<11} {}\n", command.name, command.arguments, command.does);
  return text +
         "\n`stagger COMMAND --help` lists its options. `stagger --version` tells the version.\n"
         "Exit status: 0 done, 1 a check failed, 2 wrong input, 3 the simulation failed, 130 interrupted.\n";
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    (arguments.empty() ? std::cerr : std::cout) << help();
    return arguments.empty() ? kWrongInput : kDone;
  }
  if (arguments[0] == "--version") {
    std::cout << "stagger " STAGGER_VERSION "\n";
    return kDone;
  }
  const auto* command = std::ranges::find(kCommands, arguments[0], &Command::name);
  if (command == kCommands.end()) {
    std::vector<std::string> names;
    std::ranges::transform(kCommands, std::back_inserter(names), &Command::name);
    const std::string close = nearest(arguments[0], names);
    throw InputError({"stagger",
                      fmt::format("there is no command '{}'{}", arguments[0],
                                  close.empty() ? "" : "; did you mean '" + close + "'?"),
                      "", 0, "one of " + join_words(names)});
  }
  const Options options = parse_options(*command, {arguments.begin() + 1, arguments.end()});
  if (options.help) {
    std::cout << usage(*command);
    return kDone;
  }
  return command->execute(options);
}

/// A standard descriptor that the caller closed would go to the next file or pipe opened, and what is printed into
/// that. Made useless, it stays as good as closed.
void occupy_closed_descriptors() {
  for (const int descriptor : {0, 1, 2})
    if (::fcntl(descriptor, F_GETFD) < 0) (void)::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}

}  // namespace
}  // namespace stagger

int main(int argc, char** argv) {
  stagger::occupy_closed_descriptors();
  return stagger::guarded([&] { return stagger::dispatch({argv + 1, argv + argc}); });
}
