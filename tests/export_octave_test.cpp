// What is exported for GNU Octave, and what is refused; tests/octave/check-export runs such scripts.
#include "analysis/export_octave.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/solve_job.hpp"
#include "sim/base/input_error.hpp"
#include "tests/wired.hpp"

namespace stagger {
namespace {

/// One server with a NIC of `ratio` times a worker's; a worker computes 1 s and moves 0.125 s each way.
Layout star(int workers, double ratio) {
  const BytesPerSecond rate{1e9};
  const BytesPerSecond wide{1e9 * ratio};
  Layout layout;
  layout.hosts.push_back({"server-0", {wide, wide, Seconds{}}, {}});
  layout.servers.push_back({"server-0", 0, 1, Bytes{1.25e8}, Seconds{}, {}});
  for (int i = 0; i < workers; ++i) {
    layout.hosts.push_back({fmt::format("worker-{}", i), {rate, rate, Seconds{}}, {}});
    layout.workers.push_back({fmt::format("worker-{}.0", i), 1 + i, 1, Seconds{1.0}, {}});
  }
  return layout;
}

/// The same, the first `slow` of whom take 3 s.
Layout two_kinds(int workers, int slow, double ratio) {
  Layout layout = star(workers, ratio);
  for (int i = 0; i < slow; ++i) layout.workers[static_cast<std::size_t>(i)].compute_mean = Seconds{3.0};
  return layout;
}

std::string script(const Layout& layout, const std::string& name = "s.yaml") {
  return octave_script(wired(layout), name);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ExportOctave, HoldsTheNetworkAndItsSolution) {
  // One worker: a step takes 1.25 s.
  const std::string text = script(star(1, 1.0));
  EXPECT_TRUE(text.starts_with("% The closed queueing network of s.yaml,")) << text;
  for (const char* part :
       {"pkg load queueing\n", "stations = {'compute', 'server-0 receive link', 'server-0 send link'};\n",
        "kinds = {'workers'};\n", "N = [1];", "\nD = [1 0.125 0.125];\n", "\nc = [Inf 1 1];\n",
        "%   steps/s  0.80000000000000004\n", "%   compute: utilization 0.80000000000000004, queue"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(ExportOctave, TellsWhatThePredictionHasBeyondTheNetwork) {
  Layout layout = star(8, 1.0);
  layout.servers[0].update_mean = Seconds{0.2};
  layout.servers[0].update = {DistributionKind::deterministic, 0.0, {}};
  const std::string text = script(layout);
  const auto network = text.find(fmt::format("%   steps/s  {:.17g}\n", solve_network(wired(layout)).gradients_per_s));
  const auto predicted = text.find(fmt::format("%   steps/s  {:.17g}\n", solve_job(wired(layout)).gradients_per_s));
  EXPECT_LT(network, text.find("% That is the network alone.")) << text;
  EXPECT_GT(predicted, text.find("% That is the network alone.")) << text;
  EXPECT_NE(predicted, std::string::npos) << text;
  layout.servers[0].update = {DistributionKind::exponential, 1.0, {}};
  EXPECT_FALSE(contains(script(layout), "network alone"));
}

TEST(ExportOctave, EachKindOfWorkersIsAClass) {
  const std::string text = script(two_kinds(5, 2, 1.0));
  for (const char* part : {"kinds = {'worker-0.0', 'worker-2.0'};\n", "N = [2 3];", "D = [3 ", "\n     1 ",
                           "%   steps/s of the 2 workers like worker-0.0  "})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(ExportOctave, ChoosesASolverThatStaysExact) {
  struct Case {
    Layout layout;
    const char* solver;
  };
  for (const auto& [layout, solver] :
       {Case{star(4, 1.0), "qncsmva("}, Case{star(4, 2.5), "qncsconvld("}, Case{star(4, 4.0), "qncsmva("},
        Case{star(kMostConvolved + 100, 1.0), "qncsmva("}, Case{two_kinds(4, 2, 1.0), "qncmmva("},
        Case{two_kinds(4, 2, 2.5), "convn("}, Case{two_kinds(4, 2, 4.0), "qncmmva("}}) {
    const std::string text = script(layout);
    for (const char* each : {"qncsmva(", "qncsconvld(", "qncmmva(", "convn("})
      EXPECT_EQ(contains(text, each), std::string_view(each) == solver) << each << "\n" << text;
  }
}

TEST(ExportOctave, RefusesWhatOctaveCannotSolve) {
  EXPECT_NO_THROW(script(star(kMostConvolved, 2.0)));
  EXPECT_THROW(script(star(kMostConvolved + 1, 2.0)), InputError);
  EXPECT_NO_THROW(script(two_kinds(198, 99, 2.0)));
  EXPECT_THROW(script(two_kinds(199, 99, 2.0)), InputError);
  EXPECT_NO_THROW(script(two_kinds(199, 99, 1.0)));
  EXPECT_THROW(script(two_kinds(3'000, 1'000, 1.0)), InputError) << "only approximated";
}

TEST(ExportOctave, NoNameEndsACommentOrAString) {
  Layout layout = two_kinds(4, 2, 1.0);
  layout.workers[0].name = "a'b\n";
  const std::string text = script(layout, "s\nexit(1)\r%.yaml");
  EXPECT_TRUE(text.starts_with("% The closed queueing network of s exit(1) %.yaml, by")) << text;
  EXPECT_TRUE(contains(text, "kinds = {'a''b ', 'worker-2.0'};\n")) << text;
}

}  // namespace
}  // namespace stagger
