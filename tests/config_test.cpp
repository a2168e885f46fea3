// Reading scenarios, platforms and models: what the files say, what is wrong with them and where, and the way back.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>

#include "sim/base/child_process.hpp"
#include "sim/config/scenario.hpp"
#include "tests/data/temporary_folder.hpp"

namespace stagger {
namespace {

namespace fs = std::filesystem;
using Sets = std::vector<std::string>;

constexpr const char* kPlatform = R"(name: p2-xlarge-16
network:
  model: ideal          # ideal: exact equal sharing
  efficiency: 0.95      # goodput over line rate; default 1
  sharing: fair         # how transfers share a busy link
  loopback: unlimited   # between processes of one host
hosts:                  # groups of equal hosts
  worker: {count: 16, nic: {bandwidth: 1.25 Gbps, latency: 30 us}, speed: 4 TFLOPS, price: $0.90/h}
  server: {count: 2,  nic: {up: 10 Gbps, down: 10 Gbps, latency: 30 us}}
topology: star
)";

constexpr const char* kScenario = R"(platform: ../platforms/p2-xlarge.yaml      # or the mapping itself
model: models/inception-v3.yaml            # layer table; or {bytes: 100 MB}
job:
  workers: {on: worker, count: 16, per_host: 1}
  servers: {on: server, count: 2, threads: 1, update: {fixed: 100 us, rate: 4 GBps, distribution: deterministic}}
  batch: 64                                # examples per step and worker
  compute: {mean: 2.1 s, distribution: gamma, cv: 0.15}   # a step's time
  exchange: separate
  sync: asp                                # a name, or a mapping with its parameters
  sharding: even                           # or {explicit: [0.8, 0.2]}
run:
  engine: simgrid
  seed: 1
  updates: 20000                           # after warm-up
  warmup: auto
)";

constexpr const char* kModel = R"(name: two layers
dtype_bytes: 4
totals: {layers: 2, params: 1000, bytes: 4000, forward_flops: 2500}
layers:
  - {name: a, kind: conv, params: 600, out: [32, 149, 149], forward_flops: 1500}
  - {name: b, kind: fc, params: 400, out: [10], forward_flops: 1000}
)";

/// Complete in itself; the tests of mistakes change one thing.
constexpr const char* kSmall = R"(platform:
  hosts:
    worker: {count: 4, nic: 10 Gbps}
    server: {count: 1, nic: 10 Gbps}
model: {bytes: 100 MB}
job:
  workers: {on: worker, count: 4}
  servers: {on: server, count: 1}
  batch: 32
  compute: {mean: 300 ms, distribution: gamma, cv: 0.2}
  exchange: separate
run: {updates: 100}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the text has no " + from);
  return text.replace(at, from.size(), to);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The files of the contract's example in a folder.
struct Example {
  TemporaryFolder folder;
  fs::path scenario = folder.write("scenarios/first.yaml", kScenario);
  fs::path platform = folder.write("platforms/p2-xlarge.yaml", kPlatform);
  fs::path model = folder.write("scenarios/models/inception-v3.yaml", kModel);
};

ScenarioSpec spec_of(const std::string& text, const Sets& sets = {}) {
  const TemporaryFolder folder;
  return read_scenario(folder.write("s.yaml", text), sets).spec;
}

/// What is wrong with a text, read as the file s.yaml; none: nothing.
std::vector<InputProblem> problems_of(const std::string& text, const Sets& sets = {}) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("s.yaml", text);
  try {
    (void)read_scenario(file, sets);
  } catch (const InputError& error) {
    auto problems = error.problems();
    for (InputProblem& problem : problems)
      if (problem.where.starts_with(folder.path().string())) problem.where.erase(0, folder.path().string().size() + 1);
    return problems;
  }
  return {};
}

/// "line:column" of `word` in `text`.
std::string place_of(const std::string& text, const std::string& word) {
  const std::string before = text.substr(0, text.find(word));
  return fmt::format("{}:{}", 1 + std::ranges::count(before, '\n'), before.size() - before.rfind('\n'));
}

TEST(Config, ReadsTheExampleOfTheContract) {
  const Example example;
  const auto [name, spec, layout, origins] = read_scenario(example.scenario);
  EXPECT_EQ(name, example.scenario.string());

  EXPECT_EQ(spec.platform.name, "p2-xlarge-16");
  EXPECT_EQ(spec.platform.network.efficiency, 0.95);
  EXPECT_EQ(spec.platform.network.loopback, kUnlimited);
  ASSERT_EQ(spec.platform.hosts.size(), 2U);
  const HostGroupSpec& worker = spec.platform.hosts[0];
  EXPECT_EQ(worker.name, "worker");
  EXPECT_EQ(worker.count, 16);
  EXPECT_EQ(worker.nic.up.si, 1.25e9 / 8);
  EXPECT_EQ(worker.nic.down.si, 1.25e9 / 8);
  EXPECT_EQ(worker.nic.latency.si, 30e-6);
  EXPECT_EQ(worker.speed.value().si, 4e12);
  EXPECT_EQ(worker.price.value().si, 0.9);
  const HostGroupSpec& server = spec.platform.hosts[1];
  EXPECT_EQ(server.name, "server");
  EXPECT_EQ(server.count, 2);
  EXPECT_EQ(server.nic.up.si, 1.25e9);
  EXPECT_FALSE(server.speed || server.price);

  EXPECT_EQ(spec.model.name, "two layers");
  EXPECT_EQ(spec.model.bytes.si, 4000.0);
  EXPECT_EQ(spec.model.forward_flops.value().si, 2500.0);

  ASSERT_EQ(spec.job.workers.size(), 1U);
  EXPECT_EQ(spec.job.workers[0].on, "worker");
  EXPECT_EQ(spec.job.workers[0].count, 16);
  EXPECT_EQ(spec.job.workers[0].per_host, 1);
  ASSERT_EQ(spec.job.servers.size(), 1U);
  EXPECT_EQ(spec.job.servers[0].count, 2);
  EXPECT_EQ(spec.job.servers[0].threads, 1);
  EXPECT_EQ(spec.job.servers[0].update.fixed.si, 100e-6);
  EXPECT_EQ(spec.job.servers[0].update.rate.si, 4e9);
  EXPECT_EQ(spec.job.servers[0].update.distribution.kind, DistributionKind::deterministic);
  EXPECT_EQ(spec.job.batch, 64);
  EXPECT_EQ(spec.job.compute.value().mean.value().si, 2.1);
  EXPECT_EQ(spec.job.compute->distribution, (Distribution{DistributionKind::gamma, 0.15, {}}));
  EXPECT_EQ(spec.job.exchange, Exchange::separate);
  EXPECT_EQ(spec.job.sync.kind, SyncKind::asp);
  EXPECT_TRUE(spec.job.sharding.shares.empty());

  EXPECT_EQ(spec.run.seed, 1U);
  EXPECT_EQ(spec.run.updates, 20'000);
  EXPECT_FALSE(spec.run.time || spec.run.precision || spec.run.warmup.updates);
}

TEST(Config, LeavesOutWhatHasADefault) {
  const ScenarioSpec spec = spec_of(kSmall);
  EXPECT_EQ(spec.platform.network.efficiency, 1.0);
  EXPECT_EQ(spec.platform.network.loopback, kUnlimited);
  EXPECT_EQ(spec.platform.hosts[0].nic.latency.si, 0.0);
  EXPECT_EQ(spec.job.servers[0].update.fixed.si, 0.0);
  EXPECT_EQ(spec.job.servers[0].update.rate, kUnlimited);
  EXPECT_EQ(spec.job.sync.kind, SyncKind::asp);
  EXPECT_EQ(spec.run.seed, 1U);
}

TEST(Config, ReadsTheOtherFormsOfAValue) {
  const auto with = [](const std::string& set) { return spec_of(kSmall, {set}); };
  EXPECT_EQ(with("platform.hosts.worker.nic={up: 1 GBps}").platform.hosts[0].nic.down, kUnlimited);
  EXPECT_EQ(with("job.exchange=fused").job.exchange, Exchange::fused);
  EXPECT_EQ(spec_of(kSmall, {"job.priority=pulls", "run.engine=fluid"}).job.priority, Priority::pulls);
  EXPECT_EQ(with("job.sync=bsp").job.sync.kind, SyncKind::bsp);
  EXPECT_EQ(with("job.sync={bsp: {}}").job.sync.kind, SyncKind::bsp);
  EXPECT_EQ(with("job.sync={bsp: }").job.sync.kind, SyncKind::bsp);
  EXPECT_EQ(with("job.sharding={explicit: [1]}").job.sharding.shares, std::vector{1.0});
  EXPECT_EQ(with("model={bytes: 0 B}").model.bytes.si, 0.0);
  EXPECT_EQ(with("model={bytes: 4.1 MB}").model.bytes.si, 4'100'000.0);
  EXPECT_EQ(with("job.compute={examples_per_s: 30.5}").job.compute->examples_per_s, 30.5);
  EXPECT_EQ(with("run={time: 1 h}").run.time.value().si, 3600.0);
  EXPECT_EQ(with("run={precision: {relative: 1 %, confidence: 99 %}}").run.precision.value().confidence, 0.99);
  EXPECT_EQ(with("run.warmup=50").run.warmup.updates, 50);
  EXPECT_EQ(with("run.seed=9007199254740992").run.seed, 9007199254740992U);
}

TEST(Config, WorkersMayBeAListOfGroupsWithTheirOwnComputeAndBatch) {
  const ScenarioSpec spec = spec_of(replaced(kSmall, "{on: worker, count: 4}", R"(
    - {on: worker, count: 2, per_host: 2}
    - {on: worker, count: 1, batch: 8, compute: {mean: 1 s, distribution: exponential}})"));
  ASSERT_EQ(spec.job.workers.size(), 2U);
  EXPECT_EQ(spec.job.workers[0].per_host, 2);
  EXPECT_FALSE(spec.job.workers[0].batch || spec.job.workers[0].compute);
  EXPECT_EQ(spec.job.workers[1].batch, 8);
  EXPECT_EQ(spec.job.workers[1].compute.value().mean.value().si, 1.0);
  EXPECT_EQ(spec.job.workers[1].compute->distribution.cv, 1.0);
}

TEST(Config, ReadsEmpiricalSamples) {
  // Mean of 1, 2 and 6: 3.
  const std::vector<double> relative{1.0 / 3.0, 2.0 / 3.0, 2.0};
  const auto compute = [](const std::string& text, const std::string& csv = "") {
    const TemporaryFolder folder;
    folder.write("t.csv", csv);
    return read_scenario(folder.write("s.yaml", replaced(kSmall, "mean: 300 ms, distribution: gamma, cv: 0.2",
                                                         "distribution: empirical, " + text)))
        .spec.job.compute.value();
  };
  const ComputeSpec listed = compute("values: [1 s, 2000 ms, 6 s]");
  EXPECT_EQ(*listed.distribution.values, relative);
  EXPECT_EQ(listed.mean.value().si, 3.0);
  const ComputeSpec column =
      compute("file: t.csv, column: step_ms", "who,step_ms\r\n\"a, b\",1000\r\nc,2e3\r\n\r\nd,6000");
  EXPECT_EQ(*column.distribution.values, relative);
  EXPECT_EQ(column.mean.value().si, 3.0);
  EXPECT_EQ(compute("file: t.csv, column: t, unit: h", "t\n1\n2\n6\n").mean.value().si, 3 * 3600.0);
  EXPECT_EQ(compute("values: [1 s, 2 s, 6 s], mean: 5 s").mean.value().si, 5.0) << "samples may give the shape alone";
}

TEST(Config, ReadsEveryModelAndScenarioThatComesWithIt) {
  int files = 0;
  for (const char* folder : {"platforms", "scenarios", "scenarios/models"})
    for (const auto& entry : fs::directory_iterator(fs::path(STAGGER_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".yaml") {
        EXPECT_NO_THROW((void)describe_file(entry.path())) << entry.path();
        ++files;
      }
  EXPECT_GT(files, 20);
}

// ---- what is wrong, and where

struct Mistake {
  const char* right;  // of kSmall
  const char* wrong;  // what stands there instead
  const char* at;     // the word that the place must point at
  const char* says;   // a part of the message
};

TEST(ConfigMistake, IsNamedWithItsPlace) {
  for (const auto& [right, wrong, at, says] : std::vector<Mistake>{
           // keys
           {"batch: 32", "bacth: 32", "bacth", "unknown key 'bacth' in 'job'; did you mean 'batch'?"},
           {"run:", "rnu:", "rnu", "unknown key 'rnu'; did you mean 'run'?"},
           {"count: 4, nic", "cuont: 4, nic", "cuont", "did you mean 'count'?"},
           {"batch: 32", "colour: red", "colour", "unknown key 'colour'"},
           {"exchange:", "batch:", "batch: separate", "the key 'batch' stands twice; first in line 9"},
           {"on: worker, ", "", "{count: 4}", "the key 'on' is missing in 'job.workers'"},
           {"model: {bytes: 100 MB}\n", "", "platform", "the key 'model' is missing"},
           {", cv: 0.2", "", "{mean: 300", "the key 'cv' is missing in 'job.compute'"},
           // units and kinds
           {"300 ms", "300", "300", "'300' has no unit"},
           {"nic: 10 Gbps", "nic: 10 GB", "10 GB", "'GB' is the unit of a size"},
           {"nic: 10 Gbps", "nic: 10 gbps", "10 gbps", "did you mean 'Gbps'"},
           {"100 MB", "nan MB", "nan MB", "'nan MB' is not a size"},
           {"batch: 32", "batch: [32]", "[32]", "found a list"},
           {"batch: 32", "batch: {}", "{}", "found a mapping"},
           {"batch: 32", "batch: 32 examples", "32 examples", "is not a count"},
           {"batch: 32", "batch: 1.5", "1.5", "is not a count"},
           {"{on: server, count: 1}", "server", "server\n", "found 'server'"},
           {"{updates: 100}", "100", "100\n", "found '100' as 'run'"},
           // ranges
           {"count: 4}", "count: 0}", "0}", "'0' is out of range for 'count'"},
           {"count: 4}", "count: -4}", "-4}", "'-4' is out of range for 'count'"},
           {"300 ms", "-300 ms", "-300 ms", "out of range for 'mean'"},
           {"100 MB", "-1 B", "-1 B", "out of range for 'bytes'"},
           {"100 MB", "0.5 B", "0.5 B", "a fraction of a byte"},
           {"nic: 10 Gbps", "nic: 0 Gbps", "0 Gbps", "out of range"},
           {"nic: 10 Gbps", "nic: {bandwidth: 0 Gbps}", "0 Gbps", "out of range for 'bandwidth'"},
           {"nic: 10 Gbps", "nic: {up: -1 Gbps}", "-1 Gbps", "out of range for 'up'"},
           {"nic: 10 Gbps", "nic: {latency: -1 us}", "-1 us", "out of range for 'latency'"},
           {"nic: 10 Gbps", "price: $-1/h", "$-1/h", "out of range for 'price'"},
           {"cv: 0.2", "cv: 0", "0}\n  exchange", "out of range for 'cv'"},
           {"gamma, cv: 0.2", "uniform, cv: 0.6", "0.6", "out of range for 'cv'"},
           {"updates: 100", "updates: 0", "0}\n", "out of range for 'updates'"},
           {"updates: 100", "time: 0 s", "0 s}\n", "out of range for 'time'"},
           {"updates: 100", "seed: -1", "-1", "out of range for 'seed'"},
           {"updates: 100", "warmup: -1", "-1", "'-1' is no warm-up"},
           {"updates: 100", "precision: {confidence: 1}", "1}}", "out of range for 'confidence'"},
           {"  hosts:", "  network: {efficiency: 1.5}\n  hosts:", "1.5", "out of range for 'efficiency'"},
           // words
           {"separate", "seperate", "seperate", "did you mean 'separate'?"},
           {"gamma", "gama", "gama", "did you mean 'gamma'?"},
           {"batch: 32", "sync: never", "never", "'never' is not available here"},
           {"batch: 32", "sync: {bsp: {slack: 3}}", "slack", "unknown key 'slack' in 'job.sync.bsp'"},
           {"batch: 32", "sync: {ssp: {slack: -1}}", "-1", "'slack' is -1"},
           {"batch: 32", "sync: {ssp: {slack: 1.5}}", "1.5", "1.5"},
           {"batch: 32", "sync: {k_sync: {k: 0}}", "0}}", "'0' is out of range for 'k'"},
           {"batch: 32", "sync: {k_sync: {k: 5}}", "5}}", "5 k of 4 workers"},
           {"batch: 32", "sync: {backup_workers: {extra: 4}}", "4}}", "4 extra of 4 workers"},
           {"batch: 32", "sync: {n_softsync: {n: 5}}", "5}}", "5 n of 4 workers"},
           {"batch: 32", "sync: {asp: {}, bsp: {}}", "{asp", "several policies"},
           {"updates: 100", "engine: quantum", "quantum", "'quantum' is not available here"},
           {"  hosts:", "  topology: ring\n  hosts:", "ring", "'ring' is not available here"},
           // things that contradict each other
           {"gamma", "exponential", "0.2", "has no cv to choose"},
           {"nic: 10 Gbps", "nic: {bandwidth: 1 Gbps, up: 1 Gbps}", "{bandwidth", "given twice"},
           {"mean: 300 ms", "mean: 300 ms, examples_per_s: 3", "{mean", "the mean of the compute time is given twice"},
           {"mean: 300 ms, ", "", "{distribution", "the compute time has no mean"},
           {"  compute: {mean: 300 ms, distribution: gamma, cv: 0.2}\n", "", "{on: worker", "no compute time"},
           {"updates: 100", "updates: 100, time: 1 h", "{updates", "more than one rule for the end of the run"},
           {"on: worker", "on: wroker", "wroker", "there is no host group 'wroker'"},
           {"count: 4}", "count: 5}", "5}", "5 workers do not fit on the 4 hosts"},
           {"batch: 32", "sharding: {explicit: [0.8, 0.1]}", "[0.8", "the shares add up to 0.9"},
           {"batch: 32", "sharding: {explicit: [1.5, -0.5]}", "[1.5", "the shares"},
           {"batch: 32", "sharding: {explicit: [0.5, 0.5]}", "[0.5", "2 shares for 1 servers"},
           {"batch: 32", "sharding: {explicit: []}", "[]", "share"},
           {"batch: 32", "sharding: odd", "odd", "found 'odd'"},
           {"gamma, cv: 0.2", "empirical", "{mean", "needs its samples once"},
           {"gamma, cv: 0.2", "empirical, values: [1 s, -2 s]", "{mean", "the samples are no durations"},
           {"gamma, cv: 0.2", "empirical, file: none.csv, column: x_s", "", "there is no file"},
           {"    worker: {", "    two words: {", "two words", "'two words' cannot name a host group"},
           // YAML
           {"batch: 32", "batch: [32", "", "not valid YAML"},
           {"  batch: 32", "\tbatch: 32", "", "not valid YAML"},
           {"batch: 32", "batch: *nowhere", "", "not valid YAML"},
           {"batch: 32", "[1, 2]: 32", "[1, 2]", "a list or mapping as a key"},
           {"run: {updates: 100}", "---\nrun: {updates: 100}", "run", "a second YAML document"},
       }) {
    const std::string text = replaced(kSmall, right, wrong);
    const auto problems = problems_of(text);
    ASSERT_FALSE(problems.empty()) << wrong << ": no problem was found";
    EXPECT_EQ(problems.size(), 1U) << wrong << ": and also " << problems.back().what;
    EXPECT_TRUE(contains(problems[0].what, says)) << wrong << ": " << problems[0].what;
    if (std::string_view(at).empty()) continue;
    EXPECT_EQ(problems[0].where, "s.yaml:" + place_of(text, at)) << wrong << ": " << problems[0].what;
  }
}

TEST(ConfigMistake, IsShownWithItsLineAndWhatWasExpected) {
  const auto problems = problems_of(replaced(kSmall, "batch: 32", "bacth: 32"));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(to_text(problems[0]),
            "s.yaml:9:3: unknown key 'bacth' in 'job'; did you mean 'batch'?\n"
            "      bacth: 32\n"
            "      ^\n"
            "    expected: one of workers, servers, batch, local_steps, compute, exchange, priority, sync, sharding, disturbances\n");
}

TEST(ConfigMistake, HasItsCaretBelowTheWordAlsoAfterAMicroSign) {
  const auto problems = problems_of(replaced(kSmall, "nic: 10 Gbps", "nic: {latency: 50 \u00b5s, bandwith: 1 Gbps}"));
  ASSERT_EQ(problems.size(), 1U);
  // "    worker: {count: 4, nic: {latency: 50 µs, " has 45 characters.
  EXPECT_TRUE(contains(to_text(problems[0]), "\n" + std::string(4 + 45, ' ') + "^\n")) << to_text(problems[0]);
}

TEST(ConfigMistake, OfALongLineIsShownWithinEightyColumns) {
  std::string hosts;
  for (int i = 0; i < 40; ++i) hosts += fmt::format("group-{}: {{nic: 1 Gbps}}, ", i);
  const auto problems = problems_of("platform: {hosts: {" + hosts +
                                    "bad: {nik: 1 Gbps}}}\nmodel: {bytes: 1 B}\njob:\n"
                                    "  workers: {on: group-1, count: 1}\n  servers: {on: group-2, count: 1}\n"
                                    "  compute: {mean: 1 s}\n");
  ASSERT_EQ(problems.size(), 1U);
  const std::string text = to_text(problems[0]);
  EXPECT_TRUE(contains(text, "{nik: 1 Gbps}")) << text;
  const std::string excerpt = text.substr(text.find('\n') + 1);
  const auto line_end = excerpt.find('\n');
  const auto caret = excerpt.find('^') - line_end - 1;
  EXPECT_LE(line_end, 80U);
  EXPECT_EQ(excerpt.substr(caret, 3), "nik") << text;
}

TEST(ConfigMistake, AUtilizationNeedsTheSpeedOfTheHostsAndTheWorkOfTheModel) {
  const auto problems = problems_of(kSmall, {"job.compute={utilization: 35 %}"});
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_TRUE(contains(problems[0].what, "the host group 'worker' has no speed")) << problems[0].what;
  EXPECT_TRUE(contains(problems[1].what, "the model has no forward FLOPs")) << problems[1].what;
  EXPECT_EQ(problems_of(kSmall, {"job.compute={utilization: 35 %}", "platform.hosts.worker.speed=4 TFLOPS",
                                 "model.forward_flops=2 GFLOP"})
                .size(),
            0U);
}

TEST(ConfigMistake, DoesNotHideTheOthers) {
  std::string text = replaced(kSmall, "300 ms", "300");
  text = replaced(text, "batch: 32", "bacth: 32");
  text = replaced(text, "count: 1, nic", "count: none, nic");
  text = replaced(text, "{updates: 100}", "{updates: -1, sed: 1}");
  const auto problems = problems_of(text);
  ASSERT_EQ(problems.size(), 5U);
  for (const char* at : {"300", "bacth", "none", "-1", "sed"})
    EXPECT_TRUE(std::ranges::any_of(problems, [&](const InputProblem& problem) {
      return problem.where == "s.yaml:" + place_of(text, at);
    })) << at;
}

TEST(ConfigMistake, InAPlatformOrModelFileIsPlacedThere) {
  const Example example;
  const auto first_problem = [&](const fs::path& file) -> std::string {
    try {
      (void)read_scenario(example.scenario);
    } catch (const InputError& error) {
      return error.problems().size() == 1 ? error.what() : "several";
    }
    return "none in " + file.string();
  };
  const std::string model = replaced(kModel, "params: 1000", "params: 1001");
  (void)example.folder.write("scenarios/models/inception-v3.yaml", model);
  EXPECT_TRUE(first_problem(example.model)
                  .starts_with(example.model.string() + ":" + place_of(model, "1001") +
                               ": the total of params is 1001, but the layers add up to 1000"));
  (void)example.folder.write("scenarios/models/inception-v3.yaml", kModel);
  const std::string platform = replaced(kPlatform, "latency: 30 us", "latency: 30");
  (void)example.folder.write("platforms/p2-xlarge.yaml", platform);
  EXPECT_TRUE(first_problem(example.platform)
                  .starts_with(example.platform.string() + ":" + place_of(platform, "30},") + ": '30' has no unit"));
}

TEST(ConfigMistake, InAModelsTotalsIsFound) {
  for (const auto& [right, wrong, key] :
       {std::array{"layers: 2", "layers: 3", "layers"}, std::array{"params: 1000", "params: 999", "params"},
        std::array{"bytes: 4000", "bytes: 8000", "bytes"}, std::array{"flops: 2500", "flops: 0", "forward_flops"}}) {
    const TemporaryFolder folder;
    const fs::path file = folder.write("m.yaml", replaced(kModel, right, wrong));
    try {
      (void)describe_file(file);
      ADD_FAILURE() << wrong << " was accepted";
    } catch (const InputError& error) {
      EXPECT_TRUE(contains(error.what(), fmt::format("the total of {} is", key))) << error.what();
    }
  }
}

TEST(ConfigMistake, AModelBeyondAllNumbersIsRefused) {
  std::string layers = "dtype_bytes: 16\nlayers:\n";  // 2^53 * 16 * 64 = 2^63 bytes
  for (int i = 0; i < 64; ++i) layers += "  - {name: a, params: 9007199254740992, forward_flops: 9007199254740992}\n";
  const TemporaryFolder folder;
  EXPECT_THROW((void)describe_file(folder.write("m.yaml", layers)), InputError);
}

TEST(ConfigMistake, InACsvFileIsFound) {
  struct Case {
    const char* csv;
    const char* says;
  };
  for (const auto& [csv, says] :
       {Case{"a,b\n1,2\n", "'t.csv' has no column 'x_s'"}, Case{"x_s\n1\nfast\n", "t.csv:3: 'fast'"},
        Case{"a,x_s\n1,2\n1\n", "t.csv:3: the line is too short"}, Case{"", "x_s"}, Case{"x_s\n", "no durations"},
        Case{"x_s\n0\n0\n", "no durations"}, Case{"x_s\n-1\n", "no durations"}, Case{"a,x_s\nC:\\x,1\n", "t.csv"}}) {
    const TemporaryFolder folder;
    (void)folder.write("t.csv", csv);
    const std::string text = replaced(kSmall, "gamma, cv: 0.2", "empirical, file: t.csv, column: x_s");
    try {
      (void)read_scenario(folder.write("s.yaml", text));
      ADD_FAILURE() << "accepted: " << csv;
    } catch (const InputError& error) {
      EXPECT_TRUE(contains(error.what(), says)) << csv << ": " << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << csv << " is the user's mistake: " << error.what();
    }
  }
}

TEST(ConfigMistake, TheNameOfAFileThatCannotBeReadIsPlaced) {
  const TemporaryFolder folder;
  fs::create_symlink("loop.yaml", folder.path() / "loop.yaml");
  for (const std::string& name : {std::string("none.yaml"), std::string("loop.yaml"), std::string(300, 'a')}) {
    const std::string text =
        "platform: " + name + "\n" + std::string(kSmall).substr(std::string(kSmall).find("model:"));
    const fs::path file = folder.write("s.yaml", text);
    try {
      (void)read_scenario(file);
      ADD_FAILURE() << name << " was read";
    } catch (const InputError& error) {
      EXPECT_EQ(error.problems()[0].where, file.string() + ":1:11");
    } catch (const std::exception& error) {
      ADD_FAILURE() << "the user's mistake: " << error.what();
    }
  }
}

// ---- files that are no scenario at all

std::string refusal(const fs::path& file) {
  try {
    (void)read_scenario(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "it was read";
}

TEST(ConfigFile, ThatIsNoTextFileIsRefused) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(refusal(folder.path() / "none.yaml"), "there is no such file"));
  EXPECT_TRUE(contains(refusal(folder.path()), "this is a directory"));
  EXPECT_TRUE(contains(refusal("/dev/zero"), "not a regular file"));
  EXPECT_TRUE(contains(refusal(folder.write("empty.yaml", "")), "empty.yaml: found nothing"));
  EXPECT_TRUE(contains(refusal(folder.write("comment.yaml", "# nothing\n")), "found nothing"));
  EXPECT_TRUE(contains(refusal(folder.write("list.yaml", "- a\n")), "list.yaml:1:1: found a list"));
  EXPECT_TRUE(contains(refusal(folder.write("word.yaml", "a word\n")), "word.yaml:1:1: found 'a word'"));
  const fs::path large = folder.write("large.yaml", "");
  fs::resize_file(large, (16U << 20U) + 1);
  EXPECT_TRUE(contains(refusal(large), "too large"));
}

TEST(ConfigFile, APipeIsNotEvenOpened) {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe.yaml";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const ChildOutcome child = run_in_child([&] {
    ::alarm(10);  // opening a pipe that nobody writes to waits for ever
    return refusal(pipe);
  });
  EXPECT_TRUE(contains(child.output, "not a regular file")) << child.error;
}

TEST(ConfigFile, AnchorsAreReadAsWhatTheyStandFor) {
  const ScenarioSpec spec = spec_of(
      replaced(replaced(kSmall, "4, nic: 10 Gbps", "4, nic: &nic {up: 1 Gbps}"), "1, nic: 10 Gbps", "1, nic: *nic"));
  EXPECT_EQ(spec.platform.hosts[1].nic.up.si, 1e9 / 8);
}

TEST(ConfigFile, MadeToExhaustTheReaderIsRefusedQuickly) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";  // 10^10 values
  std::string inside = "a: ";                                     // 60 anchors around 150,000 values
  for (int i = 1; i < 10; ++i) {
    bomb += fmt::format("a{0}: &a{0} [*a{1}", i, i - 1);
    for (int k = 0; k < 9; ++k) bomb += fmt::format(", *a{}", i - 1);
    bomb += "]\n";
  }
  for (int i = 0; i < 60; ++i) inside += fmt::format("&a{} [", i);
  for (int i = 0; i < 150'000; ++i) inside += "x,";
  inside += std::string(60, ']') + "\n";
  std::string lists = "a: ";
  std::string mappings = "a:\n";
  lists += std::string(50'000, '[') + std::string(50'000, ']');
  for (int i = 1; i < 300; ++i) mappings += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  const TemporaryFolder folder;
  for (const auto& [text, says] : {std::pair{bomb, "too large once its aliases are expanded"}, std::pair{inside, ""},
                                   std::pair{lists, "nested too deeply"}, std::pair{mappings, "nested too deeply"}}) {
    const fs::path file = folder.write("s.yaml", text);
    const ChildOutcome child = run_in_child([&] {
      ::alarm(20);
      return refusal(file);
    });
    EXPECT_TRUE(contains(child.output, says)) << text.substr(0, 40) << ": " << child.output << child.error;
    EXPECT_NE(child.output, "it was read");
  }
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  EXPECT_LT(usage.ru_maxrss, 600'000) << "KiB";  // of the greediest
}

TEST(ConfigFile, DamagedAnyhowEndsInAListOfProblems) {
  std::mt19937 random(1);
  const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const TemporaryFolder folder;
  for (int i = 0; i < 300; ++i) {
    std::string text = kSmall;
    for (std::size_t n = 1 + pick(3); n > 0; --n) {
      const std::size_t at = pick(text.size());
      switch (pick(4)) {
        case 0:
          text.erase(at, 1 + pick(12));
          break;
        case 1:
          text.insert(at, text.substr(pick(text.size()), 1 + pick(12)));
          break;
        case 2:
          text[at] = "{}[]:,&*!|>'\"%@`#-? \n\t\r\0\x80\xff"[pick(26)];
          break;
        default:
          std::swap(text[at], text[pick(text.size())]);
      }
    }
    try {
      (void)read_scenario(folder.write("s.yaml", text));
    } catch (const InputError& error) {
      for (const InputProblem& problem : error.problems()) ASSERT_FALSE(problem.where.empty() || problem.what.empty());
    } catch (const std::exception& error) {
      FAIL() << error.what() << "\n" << text;
    }
  }
}

// ---- --set

TEST(ConfigSet, ReplacesAndCreatesValues) {
  const ScenarioSpec spec = spec_of(
      kSmall, {"job.workers.count=2", "platform.hosts.server.nic=25Gbps", "job.servers.update.fixed=1 ms",
               "platform.network.efficiency=0.9", "run={seed: 7, updates: 5}", "platform.hosts.spare.nic.up=1 Gbps"});
  EXPECT_EQ(spec.job.workers[0].count, 2);
  EXPECT_EQ(spec.platform.hosts[1].nic.up.si, 25e9 / 8);
  EXPECT_EQ(spec.job.servers[0].update.fixed.si, 1e-3);
  EXPECT_EQ(spec.platform.network.efficiency, 0.9);
  EXPECT_EQ(spec.run.seed, 7U);
  ASSERT_EQ(spec.platform.hosts.size(), 3U);
  EXPECT_EQ(spec.platform.hosts[2].name, "spare");
}

TEST(ConfigSet, TheLastOneWins) {
  EXPECT_EQ(spec_of(kSmall, {"job.batch=1", "job.batch=2"}).job.batch, 2);
  EXPECT_EQ(spec_of(kSmall, {"job={}", "job.workers={on: worker}", "job.servers={on: server}", "job.compute.mean=1 s"})
                .job.batch,
            1);
}

TEST(ConfigSet, CountsTheItemsOfAList) {
  const std::string text =
      replaced(kSmall, "{on: worker, count: 4}", "[{on: worker, count: 1}, {on: worker, count: 1}]");
  EXPECT_EQ(spec_of(text, {"job.workers.1.count=3"}).job.workers[1].count, 3);
  for (const char* index : {"2", "-1", "x", "1x", ""}) {
    const auto problems = problems_of(text, {fmt::format("job.workers.{}.count=3", index)});
    ASSERT_EQ(problems.size(), 1U) << index;
    EXPECT_EQ(problems[0].where, fmt::format("--set job.workers.{}.count=3", index));
  }
}

TEST(ConfigSet, ThatCannotBeIsRefusedUnderItsOwnName) {
  struct Case {
    const char* set;
    const char* says;
  };
  for (const auto& [set, says] :
       {Case{"job.batch", "no 'key=value'"}, Case{"=3", "no 'key=value'"}, Case{"job..batch=3", "an empty key"},
        Case{"job.batch.size=3", "'job.batch' is '32' and has no keys"}, Case{"job.bacth=3", "did you mean 'batch'?"},
        Case{"jbo.batch=3", "unknown key 'jbo'"}, Case{"job.batch=-3", "out of range"},
        Case{"job.batch=", "found nothing"}, Case{"job.compute.mean=3", "'3' has no unit"},
        Case{"job.workers.count=50", "50 workers do not fit"}, Case{"job.sync=\"asp", "not valid YAML"},
        Case{"job.batch=1\n---\n2", "a second YAML document"},
        Case{"platform=none.yaml", "there is no file 'none.yaml'"}}) {
    const auto problems = problems_of(kSmall, {set});
    ASSERT_EQ(problems.size(), 1U) << set;
    EXPECT_EQ(problems[0].where, fmt::format("--set {}", set));
    EXPECT_TRUE(contains(problems[0].what, says)) << set << ": " << problems[0].what;
  }
}

TEST(ConfigSet, APlatformOrModelMayBeAFileOfTheCurrentFolder) {
  const Example example;
  const fs::path before = fs::current_path();
  fs::current_path(example.folder.path());
  const ScenarioSpec spec = spec_of(kSmall, {"platform=platforms/p2-xlarge.yaml", "platform.hosts.worker.count=5",
                                             "model=scenarios/models/inception-v3.yaml"});
  fs::current_path(before);
  EXPECT_EQ(spec.platform.name, "p2-xlarge-16");
  EXPECT_EQ(spec.platform.hosts[0].count, 5);
  EXPECT_EQ(spec.model.bytes.si, 4000.0);
}

// ---- the way back

std::string effective_yaml(const fs::path& file, const Sets& sets = {}) {
  return to_yaml(effective_tree(read_scenario(file, sets).spec));
}

TEST(ConfigEffective, ReadsBackAsTheSame) {
  const Example example;
  const TemporaryFolder folder;
  std::vector<std::pair<fs::path, Sets>> cases{{example.scenario, {}}};
  for (const auto& entry : fs::directory_iterator(fs::path(STAGGER_SOURCE_DIR) / "scenarios"))
    if (entry.path().extension() == ".yaml") cases.push_back({entry.path(), {}});
  for (const char* set :
       {"job.workers=[{on: worker, count: 1, batch: 3}, {on: worker, count: 2, compute: {utilization: 0.25}}]",
        "job.sync=bsp", "job.sharding={explicit: [0.8, 0.2]}", "platform.hosts.worker.nic=unlimited",
        "job.compute={mean: 0.1 s, distribution: exponential}", "run={precision: {relative: 3 %}}", "run.warmup=10",
        "run={time: 1.1 h}", "job.exchange=fused", "platform.name=\"# a: 'b'\"", "platform.name=\"two\\nlines\"",
        "platform.name=\"\"", "platform.network.loopback=1 Gbps", "job.priority=none",
        "run={engine: fluid, updates: 10}", "job.servers.update={fixed: 1 ms, distribution: lognormal, cv: 0.7}",
        "job.compute={distribution: empirical, values: [0.1 s, 0.2 s, 0.7 s, 1.3 s, 3.1 s]}",
        "job.compute={mean: 1 s, distribution: empirical, values: [0.3 s, 0.7 s, 1.9 s]}"})
    cases.push_back({example.scenario, {set}});
  for (const auto& [file, sets] : cases) {
    const std::string first = effective_yaml(file, sets);
    const std::string second = effective_yaml(folder.write("again.yaml", first));
    EXPECT_EQ(second, first) << file << (sets.empty() ? "" : sets[0]);
  }
}

TEST(ConfigEffective, SamplesReadBackAsExactlyTheSame) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    std::string values;
    for (int k = 0; k < 5; ++k) values += fmt::format("{} ms, ", random() % 5000);
    const std::string set = "job.compute={distribution: empirical, values: [" + values + "]}";
    const std::string first = effective_yaml(folder.write("s.yaml", kSmall), {set});
    ASSERT_TRUE(effective_yaml(folder.write("again.yaml", first)) == first) << set;
  }
}

TEST(ConfigEffective, HasTheValuesThatWereRead) {
  const Example example;
  const std::string text = effective_yaml(example.scenario, {"job.batch=7"});
  for (const char* line :
       {"\n    efficiency: 0.95\n", "\n  bytes: 4000 B\n", "\n        latency: 3e-05 s\n", "\n      price: $0.9/h\n",
        "\n  batch: 7\n", "\n    mean: 2.1 s\n", "\n      fixed: 0.0001 s\n"})
    EXPECT_TRUE(contains(text, line)) << line << text;
}

TEST(ConfigOrigins, TellFileAndLineOptionOrDefault) {
  const Example example;
  const auto origins = describe_file(example.scenario, {"job.batch=7"}).origins;
  const auto origin = [&](const char* path) { return origins.contains(path) ? origins.at(path) : "nowhere"; };
  EXPECT_EQ(origin("job.compute.mean"), example.scenario.string() + ":7");
  EXPECT_EQ(origin("platform.hosts.worker.nic.up"), example.platform.string() + ":8");
  EXPECT_EQ(origin("platform.hosts.server.nic.up"), example.platform.string() + ":9");
  EXPECT_EQ(origin("model.bytes"), example.model.string() + ":5");
  EXPECT_EQ(origin("job.batch"), "--set");
  EXPECT_EQ(origin("job.servers.per_host"), "default");
}

/// Every value in a mapping must have an origin; those in a plain list have that of the list.
void expect_origins(const Tree& tree, const std::string& path, const std::map<std::string, std::string>& origins) {
  for (std::size_t i = 0; i < tree.items.size(); ++i) {
    const Tree& item = tree.items[i];
    const bool listed = tree.kind == Tree::Kind::sequence;
    const std::string at = (path.empty() ? "" : path + ".") + (listed ? std::to_string(i) : item.key);
    EXPECT_TRUE(item.kind != Tree::Kind::scalar || listed || origins.contains(at)) << at;
    expect_origins(item, at, origins);
  }
}

TEST(ConfigOrigins, AreKnownOfEveryValue) {
  const Example example;
  for (const char* set : {"run.seed=2", "job.workers=[{on: worker, count: 1}, {on: worker, count: 2}]"}) {
    const auto [effective, origins] = describe_file(example.scenario, {set});
    expect_origins(effective, "", origins);
  }
}

TEST(ConfigOrigins, OfAMeanFromSamplesIsNoDefault) {
  const Example example;
  const auto [effective, origins] =
      describe_file(example.scenario, {"job.compute={distribution: empirical, values: [1 s, 2 s]}"});
  EXPECT_EQ(origins.at("job.compute.mean"), "--set");
}

TEST(ConfigDescribe, TellsTheKindOfAFileByItsKeys) {
  const Example example;
  EXPECT_NE(describe_file(example.platform).effective.find("hosts"), nullptr);
  EXPECT_NE(describe_file(example.model).effective.find("bytes"), nullptr);
  EXPECT_NE(describe_file(example.scenario).effective.find("job"), nullptr);
}

}  // namespace
}  // namespace stagger
