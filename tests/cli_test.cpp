// The program as its users see it: commands, options, exit status, and what it writes where.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/data/temporary_folder.hpp"

namespace stagger {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

constexpr std::chrono::milliseconds kPause{10};

/// A running program; its output goes to two files.
class Program {
 public:
  /// Ends by itself after a minute. `out` replaces the file of its standard output.
  Program(const Arguments& arguments, const char* out = nullptr) : child_(::fork()) {
    if (child_ != 0) return;
    ::setpgid(0, 0);  // a group of its own, as a shell gives it
    ::alarm(60);
    (void)std::signal(SIGINT, SIG_DFL);  // whoever started the tests may ignore it
    redirect(STDOUT_FILENO, out != nullptr ? out : (folder_.path() / "out").c_str());
    redirect(STDERR_FILENO, (folder_.path() / "err").c_str());
    std::vector<char*> words{const_cast<char*>(STAGGER_PROGRAM)};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execv(STAGGER_PROGRAM, words.data());
    ::_exit(127);
  }

  /// As Ctrl-C does: to the whole group.
  void interrupt() const { ::kill(-child_, SIGINT); }

  /// What it has printed so far.
  std::string out() const { return read_text(folder_.path() / "out"); }
  /// Whether it has ended, waiting up to `patience` for that.
  bool ends_within(std::chrono::milliseconds patience) const {
    siginfo_t info{};
    for (auto waited = std::chrono::milliseconds(0); waited < patience; waited += kPause) {
      ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT);
      if (info.si_pid == child_) return true;
      std::this_thread::sleep_for(kPause);
    }
    return false;
  }

  struct Outcome {
    int status;  ///< or the signal that ended it, negative
    std::string out, err;
  };
  Outcome wait() const {
    int status = 0;
    ::waitpid(child_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), out(), read_text(folder_.path() / "err")};
  }

 private:
  static void redirect(int descriptor, const char* file) {
    ::dup2(::open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600), descriptor);
  }

  TemporaryFolder folder_;
  pid_t child_;
};

Program::Outcome run(const Arguments& arguments) { return Program(arguments).wait(); }

/// A small scenario and what surrounds it.
struct Files {
  TemporaryFolder folder;
  std::string scenario = folder.write("s.yaml", R"(platform:
  hosts:
    worker: {nic: 10 Gbps}
    server: {nic: 10 Gbps}
model: {bytes: 100 MB}
job:
  workers: {on: worker, count: 4}
  servers: {on: server, count: 1}
  batch: 32
  compute: {mean: 300 ms, distribution: gamma, cv: 0.2}
run: {updates: 1000}
)");
  std::string other = folder.write("other.yaml", read_text(scenario));
  std::string broken = folder.write("broken.yaml", "job: {}\nmodel: {bytes: 100}\nplatform: {hosts: {a: {}}}\n");
  std::string path(const char* name) const { return folder.path() / name; }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

long lines_in(const std::string& text) { return std::ranges::count(text, '\n'); }

const std::string kForEver = "run.updates=100000000";
const std::string kLone = "job.workers.count=1";  // waits for nobody, so that a short run is precise

// ---- help and wrong use

TEST(Cli, EveryCommandHasHelp) {
  for (const char* command : {"run", "predict", "check", "validate"}) {
    const auto [status, out, err] = run({command, "--help"});
    EXPECT_EQ(status, 0) << command;
    EXPECT_EQ(err, "");
    EXPECT_TRUE(out.starts_with(fmt::format("usage: stagger {} ", command))) << out;
    for (const char* option : {"--set", "--seed", "--engine", "--json", "--quiet"})
      EXPECT_TRUE(contains(out, option)) << command << " " << option;
    EXPECT_EQ(contains(out, "--out"), std::string_view(command) == "run");
    EXPECT_EQ(contains(out, "--export"), std::string_view(command) == "predict");
    EXPECT_EQ(contains(out, "--measured"), std::string_view(command) == "predict");
    EXPECT_EQ(contains(out, "--stations"), std::string_view(command) == "check");
    EXPECT_TRUE(contains(run({"--help"}).out, fmt::format("  {} ", command)));
  }
}

TEST(Cli, WithoutACommandItShowsTheHelpAsAnError) {
  const auto [status, out, err] = run({});
  EXPECT_EQ(status, 2);
  EXPECT_EQ(out, "");
  EXPECT_TRUE(contains(err, "usage: stagger COMMAND"));
}

TEST(Cli, TellsItsVersion) { EXPECT_TRUE(run({"--version"}).out.starts_with("stagger 0.")); }

TEST(Cli, WrongUseIsExplained) {
  const Files files;
  struct Case {
    Arguments arguments;
    const char* says;
  };
  for (const auto& [arguments, says] :
       {Case{{"predcit", files.scenario}, "there is no command 'predcit'; did you mean 'predict'?"},
        Case{{"destroy", files.scenario}, "there is no command 'destroy'"},
        Case{{"run"}, "no file given"},
        Case{{"run", files.scenario, files.other}, "is one file too many"},
        Case{{"run", files.scenario, "--jsn", "-"}, "there is no option '--jsn'"},
        Case{{"run", files.scenario, "--qui"}, "there is no option '--qui'"},
        Case{{"predict", files.scenario, "--out", "x"}, "there is no option '--out'"},
        Case{{"run", files.scenario, "--export", "octave"}, "there is no option '--export'"},
        Case{{"predict", files.scenario, "--export", "excel"}, "--export: there is no format 'excel'"},
        Case{{"predict", files.scenario, "--export", "octave", "--json", "-"}, "both go to standard output"},
        Case{{"predict", files.scenario, "--export", "octave", "--measured", "m.csv"},
             "both print instead of the summary"},
        Case{{"predict", files.scenario, "--measured", "none.csv"}, "none.csv: there is no such file"},
        Case{{"run", files.scenario, "--json"}, "--json"},
        Case{{"run", files.scenario, "--seed", "1", "--seed", "2"}, "--seed"},
        Case{{"run", files.scenario, "--seed", "many"}, "'many' is not a count"},
        Case{{"run", files.scenario, "--engine", "quantum"}, "'quantum' is not available here"},
        Case{{"run", files.scenario, "--set", "job.batch"}, "no 'key=value'"},
        Case{{"run", files.path("none.yaml")}, "there is no such file"},
        Case{{"run", "/"}, "this is a directory"},
        Case{{"run", ""}, "'': there is no such file"}}) {
    const auto [status, out, err] = run(arguments);
    EXPECT_EQ(status, 2) << says;
    EXPECT_EQ(out, "") << says;
    EXPECT_TRUE(contains(err, says)) << says << "\n" << err;
    EXPECT_TRUE(contains(err, "expected: ")) << err;
    EXPECT_FALSE(err.starts_with(":")) << "nobody is named: " << err;
  }
}

TEST(Cli, AllProblemsOfAllFilesAreShown) {
  const Files files;
  for (const char* command : {"check", "validate"}) {
    const auto [status, out, err] = run({command, files.broken, files.scenario, files.path("none.yaml")});
    EXPECT_EQ(status, 2) << command;
    for (const std::string& says :
         {files.broken + ":2:16: '100' has no unit", std::string("the key 'workers' is missing"),
          std::string("the key 'servers' is missing"), files.path("none.yaml") + ": there is no such file"})
      EXPECT_TRUE(contains(err, says)) << says << "\n" << err;
  }
}

// ---- run

TEST(CliRun, PrintsASummary) {
  const Files files;
  const auto [status, out, err] = run({"run", files.scenario});
  EXPECT_EQ(status, 0);
  EXPECT_EQ(err, "");
  for (const char* part : {"4 workers, 1 server, 100 MB", "updates/s", "mean staleness", "Verdict: "})
    EXPECT_TRUE(contains(out, part)) << out;
  EXPECT_EQ(run({"run", files.scenario, "--quiet"}).out, "");
}

TEST(CliRun, WritesPureJsonToStandardOutput) {
  const Files files;
  for (const auto& [arguments, schema] :
       {std::pair{Arguments{"run", files.scenario, "--json", "-"}, "stagger.result/1"},
        std::pair{Arguments{"predict", files.scenario, "--json", "-"}, "stagger.result/1"}}) {
    const auto [status, out, err] = run(arguments);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(err, "");
    const Json json = Json::parse(out, nullptr, false);
    ASSERT_TRUE(json.is_object()) << out;
    EXPECT_EQ(json["schema"], schema);
    EXPECT_EQ(json["scenario"], files.scenario);
    EXPECT_EQ(json.contains("simulated"), arguments[0] == "run");
  }
}

TEST(CliRun, WritesJsonToAFileBesideTheSummary) {
  const Files files;
  const auto [status, out, err] = run({"run", files.scenario, "--json", files.path("r.json"), "--seed", "9", "--engine",
                                       "simgrid", "--set", "job.batch=7"});
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(contains(out, "Verdict: "));
  const Json json = Json::parse(read_text(files.path("r.json")));
  EXPECT_EQ(json["seed"], 9);
  EXPECT_EQ(json["effective"]["job"]["batch"], 7);
  EXPECT_GE(json["simulated"]["updates"], 1000);
}

TEST(CliRun, FillsAFolder) {
  const Files files;
  const auto [status, out, err] =
      run({"run", files.scenario, "--out", files.path("a/b"), "--json", files.path("r.json")});
  EXPECT_EQ(status, 0) << err;
  EXPECT_EQ(read_text(files.path("a/b/result.json")), read_text(files.path("r.json")));
  const Json json = Json::parse(read_text(files.path("r.json")));
  const auto updates = json["simulated"]["updates"].get<long>() + json["simulated"]["warmup_updates"].get<long>();
  EXPECT_EQ(lines_in(read_text(files.path("a/b/updates.csv"))), updates + 1);
  EXPECT_GT(lines_in(read_text(files.path("a/b/steps.csv"))), updates - 8);  // the last steps are not complete
  const Json again = Json::parse(run({"run", files.path("a/b/scenario.yaml"), "--json", "-"}).out);
  EXPECT_EQ(again["simulated"], json["simulated"]);
}

TEST(CliRun, TheSameSeedGivesTheSameBytesAndAnotherOneOthers) {
  const Files files;
  const auto bytes = [&](const char* seed, const char* folder) {
    EXPECT_EQ(run({"run", files.scenario, "--seed", seed, "--out", files.path(folder)}).status, 0);
    std::vector<std::string> contents;
    for (const char* name : {"/result.json", "/updates.csv", "/steps.csv", "/scenario.yaml"})
      contents.push_back(read_text(files.path(folder) + name));
    return contents;
  };
  const auto first = bytes("3", "a");
  EXPECT_TRUE(bytes("3", "b") == first);
  EXPECT_NE(bytes("4", "c")[1], first[1]);
}

TEST(CliRun, WhatCannotBeWrittenIsRefusedBeforeSimulating) {
  const Files files;
  for (const Arguments& where :
       {Arguments{"--out", files.scenario}, Arguments{"--out", files.scenario + "/x"}, Arguments{"--out", "/proc/x"},
        Arguments{"--json", "/proc/x.json"}, Arguments{"--json", files.folder.path().string()}}) {
    Arguments arguments{"run", files.scenario, "--set", kForEver};
    arguments.insert(arguments.end(), where.begin(), where.end());
    const Program program(arguments);
    EXPECT_TRUE(program.ends_within(std::chrono::seconds(2))) << where[0] << " " << where[1];
    program.interrupt();
    EXPECT_EQ(program.wait().status, 2) << where[0] << " " << where[1];
  }
}

TEST(CliRun, AFullDiskIsTold) {
  const Files files;
  EXPECT_EQ(Program({"run", files.scenario}, "/dev/full").wait().status, 2);
  EXPECT_EQ(run({"run", files.scenario, "--json", "/dev/full"}).status, 2);
}

TEST(CliRun, AJobThatTakesNoTimeIsRefused) {
  const Files files;
  for (const char* command : {"run", "check", "predict"}) {
    const auto [status, out, err] =
        run({command, files.scenario, "--set", "model={bytes: 0 B}", "--set", "job.compute={mean: 0 s}"});
    EXPECT_EQ(status, 2) << command;
    EXPECT_TRUE(contains(err, "worker worker-0.0: a step takes no time")) << err;
  }
}

TEST(CliRun, ASimulationWithoutAResultFails) {
  const Files files;
  const auto [status, out, err] = run({"run", files.scenario, "--set", "run.updates=1"});
  EXPECT_EQ(status, 3) << "one update tells no rate";
  EXPECT_EQ(lines_in(err), 1) << err;
}

// ---- interrupts

/// Runs until it simulates, and then gets Ctrl-C.
Program::Outcome interrupted(Arguments arguments, const Files& files) {
  arguments.insert(arguments.end(), {"--out", files.path("out")});
  const Program program(arguments);
  while (!fs::exists(files.path("out/result.json")) && !program.ends_within(kPause)) {
  }
  EXPECT_FALSE(program.ends_within(std::chrono::milliseconds(500)));
  program.interrupt();
  return program.wait();
}

TEST(CliInterrupt, KeepsWhatIsFinishedAndSaysSo) {
  const Files files;
  const auto [status, out, err] = interrupted({"run", files.scenario, "--set", kForEver}, files);
  EXPECT_EQ(status, 130) << err;
  EXPECT_TRUE(contains(out, "INCOMPLETE")) << out;
  const Json json = Json::parse(read_text(files.path("out/result.json")), nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["incomplete"], true);
  EXPECT_GT(json["simulated"]["updates"], 0);
  EXPECT_GT(lines_in(read_text(files.path("out/updates.csv"))), 1);
}

TEST(CliInterrupt, DuringTheWarmUpIsNoFailure) {
  const Files files;
  const auto [status, out, err] =
      interrupted({"run", files.scenario, "--set", kForEver, "--set", "run.warmup=100000000"}, files);
  EXPECT_EQ(status, 130) << err;
}

TEST(CliInterrupt, OfACheckKeepsTheScenariosThatAreDone) {
  const Files files;
  std::string text = read_text(files.other);
  text.replace(text.find("updates: 1000"), 13, "updates: 100000000");
  const std::string endless = files.folder.write("endless.yaml", text);
  const Program program({"check", files.scenario, endless, "--json", files.path("r.json")});
  while (lines_in(program.out()) < 2 && !program.ends_within(kPause)) {
  }
  EXPECT_FALSE(program.ends_within(std::chrono::milliseconds(500)));
  program.interrupt();
  const auto [status, out, err] = program.wait();
  EXPECT_EQ(status, 130) << err;
  EXPECT_TRUE(contains(out, "s.yaml")) << out;
  const Json json = Json::parse(read_text(files.path("r.json")), nullptr, false);
  ASSERT_TRUE(json.is_array());
  EXPECT_EQ(json.at(0)["scenario"], files.scenario);
}

// ---- the other commands

TEST(CliPredict, NeedsNoSimulation) {
  const Files files;
  const auto begin = std::chrono::steady_clock::now();
  const auto [status, out, err] = run({"predict", files.scenario, "--set", kForEver});
  EXPECT_EQ(status, 0) << err;
  EXPECT_TRUE(contains(out, "predicted")) << out;
  EXPECT_FALSE(contains(out, "simulated"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(CliPredict, ExportsAScriptInsteadOfTheSummary) {
  const Files files;
  const auto [status, out, err] =
      run({"predict", files.scenario, "--export", "octave", "--quiet", "--json", files.path("r.json")});
  EXPECT_EQ(status, 0) << err;
  EXPECT_EQ(err, "");
  EXPECT_TRUE(out.starts_with("% The closed queueing network of " + files.scenario)) << out;
  EXPECT_TRUE(contains(out, "\npkg load queueing\n")) << out;
  EXPECT_FALSE(contains(out, "mean staleness")) << out;
  const double predicted = Json::parse(read_text(files.path("r.json")))["predicted"]["updates_per_s"];
  EXPECT_TRUE(contains(out, fmt::format("%   steps/s  {:.17g}\n", predicted))) << out;
}

TEST(CliPredict, ComparesWithWhatWasMeasured) {
  const Files files;
  const std::string measured = files.folder.write("m.csv", "workers,examples_per_s\n1,60\n2,115\n8,300\n");
  const auto [status, out, err] =
      run({"predict", files.scenario, "--measured", measured, "--json", files.path("r.json")});
  EXPECT_EQ(status, 0) << err;
  EXPECT_TRUE(out.starts_with("Examples/s, measured and by four methods")) << out;
  EXPECT_FALSE(contains(out, "mean staleness")) << out;
  const Json json = Json::parse(read_text(files.path("r.json")))["predicted"];
  EXPECT_EQ(json["measured"]["points"].size(), 3U);
  EXPECT_GT(json["updates_per_s"], 0.0) << "the scenario's own prediction is there too";
  const auto wrong =
      run({"predict", files.scenario, "--measured", files.folder.write("w.csv", "workers,updates_per_s\n1,x\n")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_TRUE(contains(wrong.err, "w.csv:2:3: 'x'")) << wrong.err;
}

TEST(CliPredict, WhatOctaveCannotSolveIsRefused) {
  const Files files;
  const auto [status, out, err] = run({"predict", files.scenario, "--export", "octave", "--set",
                                       "job.workers.count=1000", "--set", "platform.hosts.server.nic=20Gbps"});
  EXPECT_EQ(status, 2);
  EXPECT_EQ(out, "");
  EXPECT_TRUE(contains(err, "1000 workers are too many")) << err;
}

TEST(CliCheck, HasALineForEachScenario) {
  const Files files;
  const auto [status, out, err] = run({"check", files.scenario, files.other, "--set", kLone});
  EXPECT_EQ(err, "");
  EXPECT_EQ(lines_in(out), 4) << out;
  EXPECT_EQ(status, 0) << out;
  EXPECT_TRUE(contains(out, "  agree\n")) << out;
  EXPECT_TRUE(out.ends_with("of the two rankings of 2 scenarios: none, all are equal\n")) << out;
}

TEST(CliCheck, ShowsTheStationsWhenAsked) {
  const Files files;
  const auto [status, out, err] = run({"check", files.scenario, "--set", kLone, "--stations"});
  EXPECT_EQ(err, "");
  EXPECT_EQ(status, 0) << out;
  for (const char* station : {"\n  compute  ", "\n  server-0 receive link ", "\n  server-0 send link "})
    EXPECT_TRUE(contains(out, station)) << out;
  EXPECT_FALSE(contains(out, "Kendall")) << "there is one scenario";
}

TEST(CliCheck, TellsHowFarTheRankingsAgree) {
  const Files files;
  std::string text = read_text(files.other);
  text.replace(text.find("300 ms"), 6, "900 ms");
  const auto [status, out, err] = run({"check", files.scenario, files.folder.write("slow.yaml", text), "--set", kLone});
  EXPECT_TRUE(out.ends_with("of the two rankings of 2 scenarios: 1.000\n")) << out << err;
}

TEST(CliCheck, WritesAListOfResults) {
  const Files files;
  const auto [status, out, err] = run({"check", files.scenario, files.other, "--set", kLone, "--json", "-"});
  const Json json = Json::parse(out, nullptr, false);
  ASSERT_TRUE(json.is_array()) << out;
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[1]["scenario"], files.other);
  EXPECT_EQ(json[1]["check"]["verdict"], "agree");
}

TEST(CliCheck, FailsOnlyWhenModelAndSimulationDisagree) {
  // 20 updates leave an interval far wider than the margin of 2 %: that is no agreement.
  const Files files;
  const auto [status, out, err] = run({"check", files.scenario, "--set", "run.updates=20"});
  EXPECT_EQ(status, 1) << out << err;
  EXPECT_TRUE(contains(out, "  disagree\n")) << out;
  const auto bsp = run({"check", files.scenario, "--set", "run.updates=20", "--set", "job.sync=bsp"});
  EXPECT_EQ(bsp.status, 0) << bsp.out;
  EXPECT_TRUE(contains(bsp.out, "  not_covered\n")) << bsp.out;
}

TEST(CliCheck, AFailedSimulationDoesNotStopTheOthers) {
  const Files files;
  std::string text = read_text(files.other);
  text.replace(text.find("updates: 1000"), 13, "updates: 1");
  const std::string failing = files.folder.write("failing.yaml", text);
  const auto [status, out, err] = run({"check", failing, files.scenario});
  EXPECT_EQ(status, 3);
  EXPECT_TRUE(err.starts_with(failing + ": ")) << err;
  EXPECT_TRUE(contains(out, "s.yaml")) << out;
}

TEST(CliValidate, ShowsAnyFileWithTheOriginOfEachValue) {
  const Files files;
  const std::string platform = files.folder.write("p.yaml", "hosts:\n  a: {nic: 1 Gbps}\n");
  const std::string model = files.folder.write("m.yaml", "layers:\n  - {name: a, params: 5, forward_flops: 7}\n");
  EXPECT_TRUE(contains(run({"validate", platform}).out, "up: 125000000 Bps  # " + platform + ":2\n"));
  EXPECT_TRUE(contains(run({"validate", platform}).out, "efficiency: 1  # default\n"));
  EXPECT_TRUE(contains(run({"validate", model}).out, "bytes: 20 B  # " + model + ":2\n"));
  const auto [status, out, err] = run({"validate", files.scenario, "--set", "job.batch=7"});
  EXPECT_EQ(status, 0) << err;
  EXPECT_TRUE(contains(out, "batch: 7  # --set\n")) << out;
  EXPECT_TRUE(contains(out, "mean: 0.3 s  # " + files.scenario + ":10\n")) << out;
  EXPECT_EQ(run({"run", files.folder.write("again.yaml", out)}).status, 0) << "what is shown is a scenario";
}

TEST(CliValidate, WritesTheEffectiveConfigurationAsJson) {
  const Files files;
  const Json one = Json::parse(run({"validate", files.scenario, "--json", "-"}).out, nullptr, false);
  ASSERT_TRUE(one.is_object());
  EXPECT_EQ(one["job"]["batch"], 32);
  const Json two = Json::parse(run({"validate", files.scenario, files.other, "--json", "-"}).out, nullptr, false);
  ASSERT_TRUE(two.is_array());
  EXPECT_EQ(two.size(), 2U);
}

}  // namespace
}  // namespace stagger
