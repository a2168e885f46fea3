#include "sim/base/child_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace stagger {
namespace {

volatile std::sig_atomic_t child_to_signal = 0;  // a signal handler can reach nothing but a global

void hand_on(int signal) {
  if (child_to_signal > 0) ::kill(child_to_signal, signal);
}

/// While it lives, SIGINT and SIGTERM go to the child.
class HandingOn {
 public:
  explicit HandingOn(pid_t child) {
    child_to_signal = child;
    struct sigaction action {};
    action.sa_handler = hand_on;
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
  }
  ~HandingOn() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    child_to_signal = 0;
  }
  HandingOn(const HandingOn&) = delete;
  HandingOn& operator=(const HandingOn&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

constexpr int kThrew = 70;  // the child's exit status when `work` threw; its text is in the pipe

void write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) std::_Exit(kThrew);
    done += static_cast<std::size_t>(n);
  }
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

[[noreturn]] void be_the_child(int fd, const std::function<std::string()>& work) {
  int status = 0;
  try {
    write_all(fd, work());
  } catch (const std::exception& error) {
    write_all(fd, error.what());
    status = kThrew;
  } catch (...) {
    write_all(fd, "an exception of unknown type");
    status = kThrew;
  }
  (void)std::fflush(nullptr);
  std::_Exit(status);  // no destructors: they belong to the parent
}

}  // namespace

ChildOutcome run_in_child(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  (void)std::fflush(nullptr);  // or the child would print what is still buffered here once more
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    ::setpgid(0, 0);
    ::close(ends[0]);
    be_the_child(ends[1], work);
  }
  ::close(ends[1]);
  const HandingOn handing_on(child);
  std::string text = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {std::move(text), "", true, false};
  if (WIFSIGNALED(status))
    return {"", std::string("ended by signal: ") + ::strsignal(WTERMSIG(status)), false, WTERMSIG(status) == SIGINT};
  if (text.empty()) text = "ended with status " + std::to_string(WEXITSTATUS(status));
  return {"", std::move(text), false, false};
}

}  // namespace stagger
