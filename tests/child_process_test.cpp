// A function in a forked child: its text comes back whole, and every way to end is told.
#include "sim/base/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <stdexcept>

namespace stagger {
namespace {

TEST(ChildProcess, HandsBackWhatTheFunctionReturns) {
  const ChildOutcome child = run_in_child([] { return std::string("done"); });
  EXPECT_TRUE(child.succeeded);
  EXPECT_EQ(child.output, "done");
  EXPECT_EQ(child.error, "");
}

TEST(ChildProcess, HandsBackAMegabyteOfAnyBytes) {
  std::string bytes;  // far more than a pipe holds
  for (int i = 0; i < 1'000'000; ++i) bytes.push_back(static_cast<char>(i % 257));
  const ChildOutcome child = run_in_child([&] { return bytes; });
  EXPECT_TRUE(child.succeeded);
  EXPECT_TRUE(child.output == bytes) << child.output.size() << " bytes";
}

TEST(ChildProcess, LeavesTheParentsMemoryAlone) {
  int value = 1;
  const ChildOutcome child = run_in_child([&] { return std::to_string(++value); });
  EXPECT_EQ(child.output, "2");
  EXPECT_EQ(value, 1);
}

TEST(ChildProcess, TellsAnExceptionsText) {
  const ChildOutcome child = run_in_child([]() -> std::string { throw std::runtime_error("no time passes"); });
  EXPECT_FALSE(child.succeeded);
  EXPECT_EQ(child.output, "");
  EXPECT_EQ(child.error, "no time passes");
}

TEST(ChildProcess, NamesTheSignalThatEndedIt) {
  const auto end_by = [](int signal) {
    const ChildOutcome child = run_in_child([&]() -> std::string { return std::raise(signal), "unreachable"; });
    EXPECT_FALSE(child.succeeded);
    EXPECT_EQ(child.output, "");
    return child.error;
  };
  EXPECT_EQ(end_by(SIGKILL), "ended by signal: Killed");
  EXPECT_EQ(end_by(SIGTERM), "ended by signal: Terminated");
  EXPECT_EQ(run_in_child([]() -> std::string { std::abort(); }).error, "ended by signal: Aborted");
}

TEST(ChildProcess, AnythingElseThatIsThrownFails) {
  const ChildOutcome child = run_in_child([]() -> std::string { throw 1; });
  EXPECT_FALSE(child.succeeded);
  EXPECT_NE(child.error, "");
  EXPECT_NE(run_in_child([]() -> std::string { throw std::runtime_error(""); }).error, "");
}

TEST(ChildProcess, TellsTheStatusOfAnEarlyExit) {
  const ChildOutcome child = run_in_child([]() -> std::string { std::_Exit(7); });
  EXPECT_FALSE(child.succeeded);
  EXPECT_EQ(child.error, "ended with status 7");
}

TEST(ChildProcess, PrintsOnceAndInOrder) {
  testing::internal::CaptureStdout();
  std::printf("before, ");  // still in the buffer when the process forks
  (void)run_in_child([] { return std::printf("within, "), std::string(); });
  std::printf("after");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before, within, after");
}

TEST(ChildProcess, LeavesNeitherProcessesNorDescriptorsBehind) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = descriptors();
  for (int i = 0; i < 20; ++i) (void)run_in_child([] { return std::string("done"); });
  EXPECT_EQ(descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace stagger
