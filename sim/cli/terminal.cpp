// The progress line and the interrupt key.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "sim/cli/options.hpp"

namespace stagger {
namespace {

// A signal handler can reach nothing but a global.
std::atomic<bool> interrupted{false};

void on_interrupt(int) {
  if (interrupted.exchange(true)) ::_exit(kInterrupted);
}

bool shows_progress(bool quiet) { return !quiet && ::isatty(STDERR_FILENO) != 0; }

std::string time_left(double fraction, double elapsed_s) {
  if (fraction < 0.01) return "";
  return fmt::format(", {:.0f} s left", elapsed_s * (1.0 - fraction) / fraction);
}

}  // namespace

RunHooks terminal_hooks(bool quiet) {
  RunHooks hooks;
  hooks.ready = [] { (void)std::signal(SIGINT, on_interrupt); };
  hooks.interrupted = [] { return interrupted.load(); };
  if (shows_progress(quiet))
    hooks.progress = [began = std::chrono::steady_clock::now()](const Progress& progress) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
      fmt::print(stderr, "\r\033[K{:3.0f} %  {:.0f} updates, {} simulated{}", 100.0 * progress.fraction,
                 progress.updates, to_human(Seconds{progress.simulated_s}),
                 time_left(progress.fraction, elapsed.count()));
      (void)std::fflush(stderr);
    };
  return hooks;
}

void end_progress(bool quiet) {
  if (shows_progress(quiet)) fmt::print(stderr, "\r\033[K");
}

}  // namespace stagger
