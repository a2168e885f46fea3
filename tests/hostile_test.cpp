// Input that is wrong or made to do harm. Whatever it is, it ends soon and in a clear error with exit status 2: never
// in an abort, a stack trace, a number without meaning, or a terminal that obeys it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "sim/base/child_process.hpp"
#include "sim/config/scenario.hpp"
#include "tests/data/temporary_folder.hpp"
#include "tests/fuzz/read_anything.hpp"

namespace stagger {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

/// Complete in itself; the tests change one thing.
const std::string kGood = R"(platform:
  hosts:
    worker: {count: 4, nic: 10 Gbps}
    server: {count: 1, nic: 10 Gbps}
model: {bytes: 100 MB}
job:
  workers: {on: worker, count: 4}
  servers: {on: server, count: 1}
  batch: 32
  compute: {mean: 300 ms, distribution: gamma, cv: 0.2}
run: {updates: 100}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the text has no " + from);
  return text.replace(at, from.size(), to);
}

/// The first line of what is wrong with a text; empty: nothing.
std::string first_line(const std::string& text, const std::vector<std::string>& sets = {}) {
  try {
    (void)read_scenario_text("s.yaml", text, "/nowhere", sets);
  } catch (const InputError& error) {
    return std::string(error.what()).substr(0, std::string_view(error.what()).find('\n'));
  }
  return "";
}

/// The same of a file, whose folder is left out.
std::string first_line_of(const fs::path& file) {
  try {
    (void)read_scenario(file);
  } catch (const InputError& error) {
    std::string line = std::string(error.what()).substr(0, std::string_view(error.what()).find('\n'));
    const std::string folder = file.parent_path().string() + "/";
    while (line.find(folder) != std::string::npos) line.erase(line.find(folder), folder.size());
    return line;
  }
  return "";
}

struct Case {
  std::string right;  ///< of kGood
  std::string wrong;  ///< what stands there instead
  std::string line;   ///< the first line of the error, without "s.yaml:"; empty: it is fine
};

void expect_lines(const std::vector<Case>& cases) {
  for (const auto& [right, wrong, line] : cases)
    EXPECT_EQ(first_line(replaced(kGood, right, wrong)), line.empty() ? "" : "s.yaml:" + line) << wrong;
}

// ---- bytes that are no text

TEST(HostileText, ThatIsNotUtf8IsPlacedByLineAndColumn) {
  for (const auto& [bytes, line] : std::vector<std::pair<std::string, std::string>>{
           {"a: b\n# caf\xE9\n", "2:6: the byte 0xE9 is not UTF-8"},
           {"# \u00B5\u00B5 \xFF\n", "1:6: the byte 0xFF is not UTF-8"},     // characters count, not bytes
           {"# \xC0\x80", "1:3: the byte 0xC0 is not UTF-8"},                // an overlong NUL
           {"# \xED\xA0\x80", "1:3: the byte 0xED is not UTF-8"},            // half of a surrogate pair
           {"# \xF4\x90\x80\x80", "1:3: the byte 0xF4 is not UTF-8"},        // beyond U+10FFFF
           {"# \xE2\x82", "1:3: the byte 0xE2 is not UTF-8"},                // cut off
           {"\xFF\xFEp\0l\0"s, "1:1: the byte 0xFF is not UTF-8"},           // UTF-16
           {"p\0l\0"s, "1:2: the control character U+0000"},                 // UTF-16 without its mark
           {kGood + "\x04 batch: 1", "12:1: the control character U+0004"},  // where yaml-cpp would stop reading
           {"# \x1B[2J", "1:3: the control character U+001B"},
           {"# \x7F", "1:3: the control character U+007F"},
           {"# \u009B2J", "1:3: the control character U+009B"},
           {"\x7F"s + "ELF\2\1\1\0"s, "1:1: the control character U+007F"}})
    EXPECT_EQ(first_line(bytes), "s.yaml:" + line);
  EXPECT_EQ(first_line(kGood, {"platform.name=\xE9"}), "--set platform.name=\xE9: the byte 0xE9 is not UTF-8");
}

TEST(HostileText, NeverReachesTheTerminalAsItIs) {
  for (const std::string& text :
       {"# \x1B[2J"s, "\xE9\x9B"s, replaced(kGood, "32", R"("\e[2J")"), replaced(kGood, "batch", R"("\e[2J")"),
        replaced(kGood, "32", R"("\x9b2J")"), replaced(kGood, "  hosts:", "  ? \"\\e\"\n  hosts:")}) {
    try {
      (void)read_scenario_text("s.yaml", text, "/nowhere");
      ADD_FAILURE() << "it was read: " << text;
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_TRUE(std::ranges::all_of(what, [](unsigned char c) { return c == '\n' || (c >= ' ' && c < 0x7F); }))
          << what;
    }
  }
}

TEST(HostileText, ByteOrderMarkAndEveryLineEndAreRead) {
  const TemporaryFolder folder;
  for (const std::string& end : {"\n"s, "\r\n"s, "\r"s})
    for (const std::string& mark : {""s, "\xEF\xBB\xBF"s}) {
      std::string good = mark;
      for (const char c : kGood) good += c == '\n' ? end : std::string(1, c);
      EXPECT_EQ(first_line_of(folder.write("s.yaml", good)), "");
      EXPECT_EQ(first_line_of(folder.write("s.yaml", replaced(good, "batch", "bacth"))),
                "s.yaml:9:3: unknown key 'bacth' in 'job'; did you mean 'batch'?");
      EXPECT_EQ(first_line_of(folder.write("s.yaml", replaced(good, "platform", "paltform"))),
                "s.yaml:1:1: the key 'platform' is missing");
    }
}

TEST(HostileText, OfAnyLengthGivesAShortMessage) {
  for (const std::string& text :
       {std::string(1 << 20, 'a'), std::string(1 << 20, '\''), replaced(kGood, "32", std::string(900'000, '9')),
        replaced(kGood, "batch", std::string(900'000, 'b')),
        replaced(kGood, "on: worker", "on: " + std::string(900'000, 'w'))})
    try {
      (void)read_scenario_text("s.yaml", text, "/nowhere");
      ADD_FAILURE() << "it was read";
    } catch (const InputError& error) {
      EXPECT_LT(std::string_view(error.what()).size(), 2000U);
    }
}

TEST(HostileText, ManyProblemsAreCutOff) {
  std::string text = kGood;
  for (int i = 0; i < 1000; ++i) text += fmt::format("x{}: 1\n", i);
  try {
    (void)read_scenario_text("s.yaml", text, "/nowhere");
    ADD_FAILURE() << "it was read";
  } catch (const InputError& error) {
    ASSERT_EQ(error.problems().size(), 51U);
    EXPECT_EQ(error.problems().back().what, "there are too many problems; the rest is not read");
  }
}

// ---- YAML

TEST(HostileYaml, ThatIsNoScenarioIsNamed) {
  for (const auto& [text, line] : std::vector<std::pair<std::string, std::string>>{
           {"", ": found nothing"},
           {"\n\n", ": found nothing"},
           {"# nothing\n", ": found nothing"},
           {"~", ":1:1: found nothing"},
           {"---\n", ":2:1: found nothing"},
           {"[]", ":1:1: found a list"},
           {"{}", ":1:1: the key 'platform' is missing"},
           {"{", ":1:1: a list or mapping as a key"},
           {"\"", ":1:1: found ''"},
           {"a: b: c", ":1:5: not valid YAML: illegal map value"},
           {"---\na: b\n---\nc: d\n", ":4:1: a second YAML document"},
           {"%YAML 3.0\n---\n" + kGood, ":1:1: not valid YAML: YAML major version too large"},
           {"<?xml version='1.0'?>\n<platform/>", ":1:1: found '<?xml version='1.0'?> <platform/>'"}})
    EXPECT_EQ(first_line(text), "s.yaml" + line) << text;
}

TEST(HostileYaml, TagsMergeKeysAndTheLikeAreRefused) {
  expect_lines({{"batch: 32", "batch: !!int 32", "9:10: the YAML tag '!!int' has no meaning here"},
                {"batch: 32", "batch: !!python/object/apply:os.system [id]",
                 "9:10: the YAML tag '!!python/object/apply:os.system' has no meaning here"},
                {"100 MB", "!!binary aGVsbG8=", "5:16: the YAML tag '!!binary' has no meaning here"},
                {"batch: 32", "batch: !mine", "9:10: the YAML tag '!mine' has no meaning here"},
                {"platform:", "!!map\nplatform:", "1:1: the YAML tag '!!map' has no meaning here"},
                {"batch: 32", "<<: {batch: 32}", "9:3: '<<' merges nothing here"},
                {"batch: 32", "? [batch]\n  : 32", "9:5: a list or mapping as a key"},
                {"batch: 32", "? |\n    batch\n  : 32", "9:5: unknown key 'batch ' in 'job'; did you mean 'batch'?"},
                {"batch: 32", "~: 32", "9:3: an empty, list or mapping key"},
                {"  batch: 32", "\tbatch: 32", "9:2: not valid YAML: end of map not found"},
                {"batch: 32", "batch: *none", "9:10: not valid YAML: the referenced anchor is not defined"},
                {"batch: 32", "batch: &a [*a]", "9:14: an alias inside its own anchor"},
                {"batch: 32", "batch: 32\n  batch: 32", "10:3: the key 'batch' stands twice; first in line 9"}});
}

TEST(HostileYaml, OtherWaysToWriteTheSameAreFine) {
  expect_lines({{"batch: 32", "batch:\t32", ""},
                {"batch: 32", "\"batch\": \"32\"", ""},
                {"batch: 32", "? batch\n  : 32", ""},
                {"batch: 32", "batch: >-\n    32", ""},
                {"batch: 32", "batch: ! 32", ""},
                {"platform:", "---\nplatform:", ""},
                {"{updates: 100}\n", "{updates: 100}\n...\n", ""},
                {"{updates: 100}", "{\"updates\":100}", ""},
                {"nic: 10 Gbps}\n", "nic: &n {up: 1 Gbps}}\n    spare: {nic: *n}\n", ""}});
}

/// Runs `text` through the reader in a child with a minute to live. Returns the first line, and the child's memory.
std::string first_line_in_child(const std::string& text) {
  const ChildOutcome child = run_in_child([&] {
    ::alarm(60);
    return "read: " + first_line(text);
  });
  return child.succeeded ? child.output.substr(6) : child.error;
}

TEST(HostileYaml, BombsAreDefused) {
  std::string wide = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  std::string text = "a0: &a0 " + std::string(100'000, 'x') + "\na1: &a1 [";
  std::string deep = "a0: &a0 [x]\n";
  for (int i = 1; i < 12; ++i) {
    wide += fmt::format("a{0}: &a{0} [", i);
    for (int k = 0; k < 10; ++k) wide += fmt::format("*a{}, ", i - 1);
    wide += "]\n";
  }
  for (int i = 0; i < 100'000; ++i) text += "*a0, ";
  for (int i = 1; i < 30'000; ++i) deep += fmt::format("a{0}: &a{0} [*a{1}]\n", i, i - 1);
  for (const std::string& bomb : {wide, text + "]\n", deep}) {
    const std::string line = first_line_in_child(bomb);
    EXPECT_TRUE(line.ends_with(": the file is too large once its aliases are expanded")) << line;
  }
  for (const std::string& open : {"["s, "{"s, "[{"s, "- "s, "? "s, "a: ["s + std::string(9999, '[')}) {
    std::string nested;
    while (nested.size() < 10'000) nested += open;
    const std::string line = first_line_in_child(nested);
    EXPECT_TRUE(line.ends_with(": nested too deeply") || line.ends_with(": a list or mapping as a key")) << line;
  }
}

TEST(HostileYaml, AFileAsLargeAsItMayBeCostsLittle) {
  const auto repeated = [](std::string start, const std::string& part, const std::string& end = "") {
    while (start.size() + part.size() + end.size() <= kLargestYaml) start += part;
    return start + end;
  };
  std::string keys = "{";
  for (int i = 0; i < 80'000; ++i) keys += fmt::format("k{}: 1, ", i);
  for (const std::string& text :
       {repeated("a: ", "["), repeated("", "{"), repeated("[", "[], ", "]"), repeated("", "\"\" "),
        repeated("[", "&a "), repeated("[", ","), repeated("{", "? a,", "}"), repeated("", "a:\n"),
        repeated("a:\n", "- b\n"), repeated("", "a\n"), repeated("'", "''", "'"), repeated("", "%A\n"), keys + "}"})
    EXPECT_NE(first_line_in_child(text), "") << text.substr(0, 10);
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  EXPECT_LT(usage.ru_maxrss, 1'500'000) << "KiB of the greediest; without sanitizers 300,000";
}

// ---- keys

TEST(HostileKey, InTheWrongMappingIsToldWhereItBelongs) {
  const std::string worker = "worker: {count: 4";
  expect_lines(
      {{worker, worker + ", bandwidth: 1 Gbps",
        "3:24: unknown key 'bandwidth' in 'platform.hosts.worker'; it belongs in 'platform.hosts.worker.nic'"},
       {worker, worker + ", efficiency: 1",
        "3:24: unknown key 'efficiency' in 'platform.hosts.worker'; it belongs in 'platform.network'"},
       {"  hosts:", "  racks: {size: 8}\n  hosts:",
        "2:3: unknown key 'racks' in 'platform'; it belongs in 'platform.topology'"},
       {"batch: 32", "update: {fixed: 1 ms}", "9:3: unknown key 'update' in 'job'; it belongs in 'job.servers'"},
       {"batch: 32", "cv: 0.2", "9:3: unknown key 'cv' in 'job'; it belongs in 'job.compute'"},
       {"batch: 32", "count: 3", "9:3: unknown key 'count' in 'job'; it belongs in 'job.servers' or in 'job.workers'"},
       {"batch: 32", "run: {}", "9:3: unknown key 'run' in 'job'; it belongs at the top"},
       {"{updates", "{batch: 32, updates", "11:7: unknown key 'batch' in 'run'; it belongs in 'job'"},
       {"{updates", "{confidence: 95 %, updates",
        "11:7: unknown key 'confidence' in 'run'; it belongs in 'run.precision'"},
       {"run:", "seed: 3\nrun:", "11:1: unknown key 'seed'; it belongs in 'run'"},
       {"on: worker", "mean: 1 s, on: worker",
        "7:13: unknown key 'mean' in 'job.workers'; it belongs in 'job.workers.compute'"},
       {"{on: worker, count: 4}", "[{rate: 1 GBps, on: worker, count: 4}]",
        "7:14: unknown key 'rate' in 'job.workers'; it belongs in 'job.servers.update'"},
       {"mean:", "values: [1 s], mean:",
        "10:13: unknown key 'values' in 'job.compute'; it does not go with the other keys here"},
       // A slip of the finger is nearer.
       {"{updates", "{update", "11:7: unknown key 'update' in 'run'; did you mean 'updates'?"},
       {"batch: 32", "disturbance: []", "9:3: unknown key 'disturbance' in 'job'; did you mean 'disturbances'?"}});
}

TEST(HostileKey, OfAPlatformOrModelFileIsToldTheSame) {
  const TemporaryFolder folder;
  for (const auto& [text, line] : std::vector<std::pair<std::string, std::string>>{
           {"hosts: {a: {latency: 1 us}}", "unknown key 'latency' in 'hosts.a'; it belongs in 'hosts.a.nic'"},
           {"hosts: {a: {}}\nefficiency: 0.9", "unknown key 'efficiency'; it belongs in 'network'"},
           {"bytes: 1 MB\nparams: 3", "unknown key 'params'; it belongs in 'totals'"}}) {
    try {
      (void)describe_file(folder.write("f.yaml", text));
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.problems()[0].what, line);
    }
  }
}

// ---- values

TEST(HostileValue, CountsArePlainWholeNumbers) {
  for (const char* wrong : {"1.5", "1e3", "0x10", "1_000", "1,000", "+5", "yes", "nan", "inf", "32 examples", "\u0663",
                            "99999999999999999999", "9007199254740993", "'3 2'"})
    expect_lines(
        {{"batch: 32", fmt::format("batch: {}", wrong),
          fmt::format("9:10: '{}' is not a count", std::string_view(wrong).starts_with('\'') ? "3 2" : wrong)}});
  for (const char* wrong : {"0", "-1", "1000001"})
    expect_lines(
        {{"batch: 32", fmt::format("batch: {}", wrong), fmt::format("9:10: '{}' is out of range for 'batch'", wrong)}});
  for (const auto& [wrong, found] :
       {std::pair{"~", "nothing"}, std::pair{"[32]", "a list"}, std::pair{"{}", "a mapping"}})
    expect_lines({{"batch: 32", fmt::format("batch: {}", wrong), fmt::format("9:10: found {}", found)}});
  EXPECT_EQ(read_scenario_text("s.yaml", replaced(kGood, "batch: 32", "batch: 010"), "").spec.job.batch, 10)
      << "nothing is octal";
}

TEST(HostileValue, QuantitiesArePhysical) {
  const auto mean = [](const std::string& value, const std::string& says) {
    expect_lines({{"300 ms", value, says.empty() ? "" : "10:19: '" + value + "' " + says}});
  };
  for (const char* fine : {"0 s", "-0 s", "1 ns", "1e9 s", ".5 s", "1e-3 s"}) mean(fine, "");
  for (const char* absurd : {"-1 s", "0.9 ns", "1e-300 s", "1e-320 s", "1.1e9 s", "1e300 s"})
    mean(absurd, "is out of range for 'mean'");
  mean("1e400 s", "is out of all range");

  const auto bandwidth = [](const std::string& value, const std::string& says) {
    const auto line = [&](const char* place, const char* key) {
      return says.empty() ? "" : fmt::format("{} '{}' {}{}", place, value, says, says.ends_with("for ") ? key : "");
    };
    expect_lines({{"nic: 10 Gbps", "nic: " + value, line("3:29:", "'nic'")},
                  {"nic: 10 Gbps", "nic: {up: " + value + "}", line("3:34:", "'up'")}});
  };
  for (const char* fine : {"unlimited", "1 bps", "1e15 Bps"}) bandwidth(fine, "");
  for (const char* absurd : {"0 Gbps", "-1 GBps", "0.9 bps", "1e-300 Bps", "1.1e15 Bps"})
    bandwidth(absurd, "is out of range for ");
  bandwidth("1e308 GBps", "is out of all range");

  expect_lines(
      {{"100 MB", "1e16 B", "5:16: '1e16 B' is out of range for 'bytes'"},
       {"100 MB", "0.5 B", "5:16: a fraction of a byte"},
       {"100 MB", "1e-320 B", "5:16: a fraction of a byte"},
       {"100 MB", "0 B", ""},
       {"100 MB}", "1 MB, forward_flops: 1e19 FLOP}", "5:37: '1e19 FLOP' is out of range for 'forward_flops'"},
       {"nic: 10 Gbps", "speed: 1e19 FLOPS", "3:31: '1e19 FLOPS' is out of range for 'speed'"},
       {"nic: 10 Gbps", "price: $1e7/h", "3:31: '$1e7/h' is out of range for 'price'"},
       {"nic: 10 Gbps", "price: $0/h", ""},
       {"  hosts:", "  network: {efficiency: 1e-7}\n  hosts:", "2:25: '1e-7' is out of range for 'efficiency'"},
       {"updates: 100", "time: 0 s", "11:13: '0 s' is out of range for 'time'"}});
}

TEST(HostileValue, WhatFollowsFromSeveralIsPhysicalToo) {
  const std::string compute = "{mean: 300 ms, distribution: gamma, cv: 0.2}";
  expect_lines({{compute, "{examples_per_s: 1e-300}", "10:12: the mean comes to 3.2e+301 s"},
                {compute, "{examples_per_s: 1e300}", "10:12: the mean comes to 3.2e-299 s"},
                {compute, "{distribution: empirical, values: [1e-320 s, 0 s]}", "10:12: the samples are no durations"},
                {compute, "{distribution: empirical, values: [1e300 s]}", "10:12: the samples are no durations"},
                {compute, "{distribution: empirical, values: []}", "10:12: the samples are no durations"},
                {"on: server, count: 1", "on: server, count: 1, update: {fixed: 1e9 s, rate: 1 bps}",
                 "8:43: the mean comes to 1.8e+09 s"}});
}

TEST(HostileValue, CountsAgree) {
  expect_lines(
      {{"count: 4}\n  servers", "count: 5}\n  servers",
        "7:32: 5 workers do not fit on the 4 hosts of 'worker' that are left, 1 on each"},
       {"{on: worker, count: 4}", "[{on: worker}, {on: worker, count: 1}]",
        "7:47: 1 workers do not fit on the 0 hosts of 'worker' that are left, 1 on each"},
       {"on: server, count: 1", "on: server, count: 2",
        "8:32: 2 servers do not fit on the 1 host of 'server' that are left, 1 on each"},
       {"worker: {count: 4, nic: 10 Gbps}", "worker: {nic: 10 Gbps}", ""},
       {"on: worker", "on: nobody", "7:17: there is no host group 'nobody'"},
       {"batch: 32", "sharding: {explicit: [0.5, 0.5]}", "9:24: 2 shares for 1 servers"},
       {"batch: 32", "sharding: {explicit: [0.9]}", "9:24: the shares add up to 0.9"},
       {"mean: 300 ms", "utilization: 0.3", "10:26: the host group 'worker' has no speed"},
       {"mean: 300 ms", "mean: 300 ms, examples_per_s: 3", "10:12: the mean of the compute time is given twice"},
       {"updates: 100", "updates: 100, time: 1 h", "11:6: more than one rule for the end of the run"}});
}

TEST(HostileValue, WhatAnEngineCannotDoIsRefused) {
  const std::string lv08 = "platform:\n  network: {model: lv08";
  const std::string refused = "the network model lv08 is SimGrid's; the engine fluid does not have it";
  expect_lines(
      {{"platform:", lv08 + "}", ""},
       {"platform:", lv08 + ", sharing: fifo}", "2:35: the network model lv08 shares fairly, as TCP does"},
       {"updates: 100", "updates: 100, engine: fluid", ""},
       {"batch: 32", "priority: pulls", "9:13: SimGrid's flows have no priorities; the engine fluid has them"}});
  EXPECT_EQ(first_line(replaced(kGood, "platform:", "platform:\n  network: {sharing: fifo}"),
                       {"job.priority=pushes", "run.engine=fluid"}),
            "--set job.priority=pushes: a link with sharing fifo takes transfers in the order in which they come");
  EXPECT_EQ(first_line(replaced(replaced(kGood, "platform:", lv08 + "}"), "{updates", "{engine: fluid, updates")),
            "s.yaml:12:15: " + refused);
  EXPECT_EQ(first_line(replaced(kGood, "platform:", lv08 + "}"), {"run.engine=fluid"}),
            "--set run.engine=fluid: " + refused);
}

TEST(HostileValue, ABandwidthProfileIsInOrder) {
  const std::string nic = "worker: {count: 4, nic: 10 Gbps}";
  const auto with = [](const char* bandwidth, const char* profile) {
    return fmt::format("worker: {{count: 4, nic: {{{}, profile: {}}}}}", bandwidth, profile);
  };
  const char* const full = "up: 1 Gbps, down: unlimited";
  expect_lines(
      {{nic, with(full, "{steps: [{at: 1 s, share: 0.5}]}"),
        "3:68: the engine simgrid cannot change the bandwidth of transfers under way"},
       {nic, with(full, "{steps: []}"), "3:76: a profile of 0 steps"},
       {nic, with(full, "{period: 2 s}"), "3:68: the key 'steps' is missing in 'platform.hosts.worker.nic.profile'"},
       {nic, with(full, "{steps: [{at: 1 s, share: 120 %}]}"), "3:94: '120 %' is out of range for 'share'"},
       {nic, with(full, "{steps: [{at: -1 s, share: 0.2}]}"), "3:82: '-1 s' is out of range for 'at'"},
       {nic, with(full, "{steps: [{at: 2 s, share: 0.2}, {at: 1 s, share: 0.3}]}"),
        "3:76: a step that does not come later than the one before"},
       {nic, with(full, "{period: 2 s, steps: [{at: 2 s, share: 0.2}]}"), "3:89: a step that comes after the period"},
       {nic, with(full, "{steps: [{at: 2 s, share: 0}]}"), "3:76: nothing is left of the bandwidth for ever"},
       {nic, with("latency: 1 ms", "{steps: [{at: 2 s, share: 0.2}]}"),
        "3:54: an unlimited bandwidth has no shares to give"},
       {"platform:\n",
        "platform:\n  topology: {racks: {size: 2, uplink: unlimited, profile: {steps: [{at: 1 s, share: 0.5}]}}}\n",
        "2:59: an unlimited uplink has no shares to give"},
       {"platform:\n",
        "platform:\n  topology: {racks: {size: 2, uplink: 1 Gbps, profile: {steps: [{at: 1 s, share: 0.5}]}}}\n",
        "2:56: the engine simgrid cannot change the bandwidth of transfers under way"}});
}

TEST(HostileValue, DisturbancesAreOfSomebodyAndPossible) {
  const auto with = [](const std::string& disturbance) { return "disturbances: [" + disturbance + "]"; };
  const char* const at = "batch: 32";
  expect_lines(
      {{at, with("slow"), "9:18: found 'slow'"},
       {at, with("{slow: {workers: a, factor: 2}, leave: {workers: a}}"), "9:18: found a mapping"},
       {at, with("{slwo: {workers: worker, factor: 2}}"), "9:19: 'slwo' is no disturbance; did you mean 'slow'?"},
       {at, with("{slow: {workers: wroker, factor: 2}}"), "9:35: 'wroker' names no worker; did you mean 'worker'?"},
       {at, with("{slow: {workers: [worker-0, worker-4], factor: 2}}"), "9:46: 'worker-4' names no worker; did you mean 'worker-0'?"},
       {at, with("{slow: {workers: [], factor: 2}}"), "9:35: found a list"},
       {at, with("{slow: {workers: server, factor: 2}}"), "9:35: 'server' names no worker; did you mean 'worker'?"},
       {at, with("{slow: {workers: worker, factor: 0.5}}"), "9:51: '0.5' is out of range for 'factor'"},
       {at, with("{slow: {workers: worker, factor: 1e4}}, {slow: {workers: worker-1, factor: 1e3}}"),
        "9:65: the factors multiply to 1e+07"},
       {at, with("{slow: {workers: worker, factor: 2, from: 3 s, until: 3 s}}"), "9:72: from 3 s until 3 s"},
       {at, with("{regimes: {workers: worker, healthy: 1 s, slow: 0 s, factor: 2}}"), "9:66: '0 s' is out of range for 'slow'"},
       {at,
        with("{regimes: {workers: worker, healthy: 1 s, slow: 1 s, factor: 2}},"
             "{regimes: {workers: worker-0, healthy: 1 s, slow: 1 s, factor: 2}}"),
        "9:93: worker-0.0 has regimes already"},
       {at, with("{correlation: {workers: worker, lag1: 1}}"), "9:56: '1' is out of range for 'lag1'"},
       {at, with("{leave: {workers: worker}}"), "9:26: all workers leave for good"},
       {at, with("{stall: {servers: server, from: 1 s}}"), "9:26: the key 'until' is missing in 'job.disturbances.0.stall'"},
       {at, with("{stall: {servers: worker, from: 1 s, until: 2 s}}"), "9:36: 'worker' names no server; did you mean 'server'?"},
       {at, with("{link: {of: server, steps: [{at: 1 s, share: 0.5}]}}"),
        "9:25: the engine simgrid cannot change the bandwidth of transfers under way"}});
  const auto on_fluid = [&](const std::string& disturbance) {
    return first_line(replaced(kGood, at, with(disturbance)), {"run.engine=fluid"});
  };
  EXPECT_EQ(on_fluid("{link: {of: rack-0, steps: [{at: 1 s, share: 0.5}]}}"),
            "s.yaml:9:30: 'rack-0' names no host or rack");
  EXPECT_EQ(on_fluid("{link: {of: server, steps: [{at: 1 s, share: 0}]}}"),
            "s.yaml:9:45: nothing is left of the bandwidth for ever");
  EXPECT_EQ(on_fluid("{link: {of: server, file: none.csv, column: x}}").substr(0, 36),
            "s.yaml:9:44: there is no file 'none.");
  EXPECT_EQ(on_fluid("{link: {of: [server, server-0], steps: [{at: 1 s, share: 0.5}]}},"
                     "{link: {of: server, direction: up, steps: [{at: 1 s, share: 0.5}]}}"),
            "s.yaml:9:90: server-0 has a bandwidth that changes already");
}

TEST(HostileValue, MoreThanAnyComputerHoldsIsRefused) {
  const std::string hosts = "worker: {count: 4, nic: 10 Gbps}";
  std::string groups;
  std::string list;
  for (int i = 0; i < 1001; ++i) groups += fmt::format("    g{}: {{}}\n", i), list += "{on: worker, count: 1}, ";
  std::string samples;
  for (int i = 0; i < 20'001; ++i) samples += "1 s,";
  expect_lines({{"count: 4}\n  servers", "per_host: 1000000}\n  servers",
                 "7:12: 4000000 workers are more than can be simulated"},
                {hosts, "worker: {count: 1000000}", "3:5: 1000001 hosts are more than can be simulated"},
                {"    worker: {", groups + "    worker: {", "3:5: 1003 host groups"},
                {"{on: worker, count: 4}", "[" + list + "]", "7:12: a list of 1001 mappings"},
                {"    worker: {", "    " + std::string(65, 'w') + ": {",
                 fmt::format("3:5: '{}' cannot name a host group", std::string(65, 'w'))},
                {"    worker: {", "    rack: {", "3:5: 'rack' cannot name a host group"},
                {"gamma, cv: 0.2", "empirical, values: [" + samples + "]", "10:12: 20001 samples"},
                {"updates: 100", "warmup: 100000001", "11:15: '100000001' is no warm-up"}});
}

TEST(HostileValue, CombinationsOfExtremesKeepTheReadersPromises) {
  const std::vector<std::string> sets{
      "platform.hosts.worker.count=1",
      "platform.hosts.worker.count=1000",
      "platform.hosts.worker.nic=1 bps",
      "platform.hosts.worker.nic=unlimited",
      "platform.hosts.worker.nic={up: 1e15 Bps, latency: 1 ns}",
      "platform.hosts.server.nic={bandwidth: 0.1 GBps, latency: 1e9 s}",
      "platform.hosts.worker.speed=1 FLOPS",
      "platform.hosts.worker.speed=1e18 FLOPS",
      "platform.hosts.worker.price=$1e6/h",
      "platform.hosts.server.count=9",
      "platform.hosts.worker.placement=spread",
      "platform.hosts.server.placement=own",
      "platform.hosts.spare={}",
      "platform.topology={racks: {size: 1, uplink: 1 bps, latency: 1e9 s}}",
      "platform.topology={racks: {size: 1000000, uplink: unlimited}}",
      "platform.network.efficiency=1e-6",
      "platform.network={model: lv08, loopback: 1 bps}",
      "platform.name='# \"a\": b'",
      "platform.name=\"\\n\\e\\0\"",
      "model={bytes: 0 B}",
      "model={bytes: 1 B, forward_flops: 1e18 FLOP}",
      "model={bytes: 9007199254740992 B}",
      "model={layers: [{name: a, params: 0, forward_flops: 0}]}",
      "model={layers: [{name: a, params: 1, forward_flops: 9007199254740992}], dtype_bytes: 16}",
      "job.workers={on: worker}",
      "job.workers={on: worker, per_host: 3}",
      "job.workers={on: server, count: 1}",
      "job.workers=[{on: worker, count: 1, batch: 1000000}, {on: worker, count: 1, compute: {mean: 1 ns}}]",
      "job.workers=[{on: worker, count: 2}]",
      "job.batch=1",
      "job.batch=1000000",
      "job.compute={mean: 0 s}",
      "job.compute={mean: 1e9 s, distribution: exponential}",
      "job.compute={examples_per_s: 1e-3}",
      "job.compute={examples_per_s: 1e15}",
      "job.compute={utilization: 1e-6}",
      "job.compute={utilization: 100 %, distribution: weibull, cv: 1000}",
      "job.compute={mean: 1 s, distribution: lognormal, cv: 0.001}",
      "job.compute={mean: 1 s, distribution: uniform, cv: 0.577}",
      "job.compute={distribution: empirical, values: [0 s, 1e9 s]}",
      "job.compute={distribution: empirical, values: [1e-8 s, 0.3 s, 1 us]}",
      "job.compute={mean: 1 ns, distribution: empirical, values: [3 s, 0.1 s, 1e12 s]}",
      "job.servers={on: server, count: 9, threads: 1000000}",
      "job.servers=[{on: server}, {on: worker, count: 2, per_host: 2}]",
      "job.servers.update={rate: 1 bps}",
      "job.servers.update={fixed: 1e9 s, distribution: exponential}",
      "job.servers.update={rate: 1e15 Bps, distribution: empirical, values: [1 s, 2 s]}",
      "job.sharding={explicit: [1]}",
      "job.sharding={explicit: [0.1, 0.2, 0.7]}",
      "job.exchange=fused",
      "job.sync=bsp",
      "run={}",
      "run={time: 1 ns}",
      "run={time: 1e9 s, warmup: 100000000}",
      "run={precision: {relative: 1e-6}}",
      "run.seed=9007199254740992",
      "run.updates=100000000"};
  std::mt19937 random(1);
  int scenarios = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t n = random() % 6; n > 0; --n) text += "#set " + sets[random() % sets.size()] + "\n";
    ASSERT_NO_THROW(scenarios += static_cast<int>(read_anything(text + kGood, "/nowhere"))) << text;
  }
  EXPECT_GT(scenarios, 1000);
}

TEST(HostileModel, ThatIsTooLargeIsRefusedWithoutOverflow) {
  const auto layers = [](const std::string& layer, int n, const std::string& before = "") {
    std::string rows;
    for (int i = 0; i < n; ++i) rows += "{name: a, " + layer + "}, ";
    return first_line(replaced(kGood, "{bytes: 100 MB}", "{" + before + "layers: [" + rows + "]}"));
  };
  EXPECT_EQ(layers("params: 1000, forward_flops: 1000", 3), "");
  EXPECT_EQ(layers("params: 9007199254740992, forward_flops: 0", 1200, "dtype_bytes: 16, "),
            "s.yaml:5:34: the parameters of all layers are too many");
  EXPECT_EQ(layers("params: 1, forward_flops: 9007199254740992", 1200),
            "s.yaml:5:17: the operations of all layers are too many");
  EXPECT_EQ(layers("params: -1, forward_flops: 0", 1), "s.yaml:5:36: '-1' is out of range for 'params'");
  EXPECT_EQ(layers("params: 1e9, forward_flops: 0", 1), "s.yaml:5:36: '1e9' is not a count");
  EXPECT_EQ(layers("params: nan, forward_flops: 0", 1), "s.yaml:5:36: 'nan' is not a count");
  EXPECT_EQ(layers("", 0), "s.yaml:5:17: a model without layers");
}

// ---- SimGrid's users' mistakes

// SimGrid 3.32 answers 76 mistakes with an exception, an abort, a crash or silence. These are the rows that a scenario
// can express; no number of ours reaches SimGrid with a unit missing or a sign wrong. The others are calls that Stagger
// makes itself and that no scenario changes: 3-5, 21, 28, 30, 31, 34-37, 46, 47, 65 (zones, routes, seals, engines), 27
// (routes in two directions), 29, 32, 33 (a host without a route: every host has a switch), 42, 59-64, 66-69, 73, 74
// (callbacks, actors, activities), 51 (an XML file's version), 70-72 (priorities and hosts that are off), and 52-58
// (profiles: a scenario has none).
TEST(SimgridMistake, EndsInAnErrorOfOurs) {
  const std::string nic = "nic: 10 Gbps";
  const std::string ten = "    worker: {count: 4, nic: 10 Gbps}\n";
  const std::string flops = "100 MB, forward_flops: ";
  expect_lines({
      {ten, ten + ten, "4:5: the key 'worker' stands twice; first in line 3"},         // 0: a host twice
      {"    worker: {", "    rack: {", "3:5: 'rack' cannot name a host group"},        // 1: a link twice
      {nic, "nic: 100", "3:29: '100' has no unit"},                                    // 6
      {nic, "nic: 1e9Xps", "3:29: 'Xps' is no unit of a bandwidth"},                   // 7
      {nic, "nic: -1GBps", "3:29: '-1GBps' is out of range for 'nic'"},                // 8
      {nic, "nic: 0 GBps", "3:29: '0 GBps' is out of range for 'nic'"},                // 9
      {nic, "nic: inf Bps", "3:29: 'inf Bps' is not a bandwidth"},                     // 10
      {nic, "nic: {latency: -1 ms}", "3:39: '-1 ms' is out of range for 'latency'"},   // 11
      {nic, "nic: {latency: inf s}", "3:39: 'inf s' is not a duration"},               // 12
      {nic, "nic: {latency: nan s}", "3:39: 'nan s' is not a duration"},               // 13
      {nic, "nic: {latency: 3 parsecs}", "3:39: 'parsecs' is no unit of a duration"},  // 14
      {nic, "speed: 0 FLOPS", "3:31: '0 FLOPS' is out of range for 'speed'"},          // 15
      {nic, "speed: -1 FLOPS", "3:31: '-1 FLOPS' is out of range for 'speed'"},        // 16
      {nic, "speed: nan FLOPS", "3:31: 'nan FLOPS' is not a speed"},                   // 17
      {nic, "speed: 12foo", "3:31: 'foo' is no unit of a speed"},                      // 18
      {nic, "speed: []", "3:31: found a list"},                                        // 19
      {"count: 1}\n  batch", "count: 1, threads: 0}\n  batch",
       "8:44: '0' is out of range for 'threads'"},                                       // 20: no core
      {"100 MB", flops + "nan FLOP", "5:39: 'nan FLOP' is not a number of operations"},  // 22
      {"100 MB", flops + "inf FLOP", "5:39: 'inf FLOP' is not a number of operations"},  // 23
      {"300 ms", "nan s", "10:19: 'nan s' is not a duration"},                           // 24
      {"300 ms", "inf s", "10:19: 'inf s' is not a duration"},                           // 25
      {"  hosts:", "  topology: {racks: {}}\n  hosts:",                                  // 26: an empty route
       "2:21: the key 'size' is missing in 'platform.topology.racks'"},
      {"  hosts:", "  topology: {racks: {size: 0, uplink: 1 Gbps}}\n  hosts:",  // 38: a torus of {0, 2}
       "2:28: '0' is out of range for 'size'"},
      {"  hosts:", "  topology: torus\n  hosts:", "2:13: 'torus' is not available here"},  // 39
      {"  hosts:", "  topology: {racks: {size: 2, uplink: 0 Gbps}}\n  hosts:",             // 40
       "2:39: '0 Gbps' is out of range for 'uplink'"},
      {"  hosts:", "  topology: {racks: {size: [2, 2], uplink: 1 Gbps}}\n  hosts:", "2:28: found a list"},  // 41
      {"{updates", "{network/modell: CM02, updates", "11:7: unknown key 'network/modell' in 'run'"},        // 43
      {"  hosts:", "  network: {model: FOO}\n  hosts:", "2:20: 'FOO' is not available here"},               // 44
      {"  hosts:", "  network: {efficiency: abc}\n  hosts:",                                                // 45
       "2:25: 'abc' is not a number without dimension"},
      {nic, "speed: 1Gfoo", "3:31: 'Gfoo' is no unit of a speed"},  // 50
  });
  EXPECT_EQ(first_line("platform: nonexistent.xml\n" + kGood.substr(kGood.find("model"))),  // 48
            "s.yaml:1:11: there is no file 'nonexistent.xml'");
  const TemporaryFolder folder;
  folder.write("bad.xml", "<?xml version='1.0'?>\n<platform version=\"4.1\">\n  <zone>\n");  // 49
  EXPECT_EQ(first_line_of(folder.write("s.yaml", "platform: bad.xml\n" + kGood.substr(kGood.find("model")))),
            "bad.xml:1:1: found '<?xml version='1.0'?> <platform version=\"4.1\"> <zone>'");
  EXPECT_EQ(first_line(std::string(100'000, '[')), "s.yaml:1:1: a list or mapping as a key");  // 75: the stack
}

// ---- files

class HostileFile : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::string rest_ = kGood.substr(kGood.find("model"));

  /// What is wrong with a scenario whose platform is `name`.
  std::string with_platform(const std::string& name) const {
    return first_line_of(folder_.write("s.yaml", "platform: " + name + "\n" + rest_));
  }
};

TEST_F(HostileFile, OfAnotherKindIsNamed) {
  folder_.write("scenario.yaml", kGood);
  folder_.write("platform.yaml", "hosts: {worker: {}, server: {}}");
  folder_.write("model.yaml", "bytes: 100 MB");
  folder_.write("name.yaml", "scenario.yaml");
  EXPECT_EQ(with_platform("platform.yaml"), "");
  EXPECT_EQ(with_platform("s.yaml"), "s.yaml:1:11: 's.yaml' is a scenario file") << "a cycle";
  EXPECT_EQ(with_platform("scenario.yaml"), "s.yaml:1:11: 'scenario.yaml' is a scenario file");
  EXPECT_EQ(with_platform("model.yaml"), "s.yaml:1:11: 'model.yaml' is a model file");
  EXPECT_EQ(with_platform("name.yaml"), "name.yaml:1:1: found 'scenario.yaml'");
  EXPECT_EQ(first_line_of(folder_.write("s.yaml", replaced(kGood, "{bytes: 100 MB}", "platform.yaml"))),
            "s.yaml:5:8: 'platform.yaml' is a platform file");
  for (const char* kind : {"platform", "model"})
    EXPECT_EQ(first_line_of(folder_.path() / fmt::format("{}.yaml", kind)),
              fmt::format("{0}.yaml: this is a {0} file", kind));
}

TEST_F(HostileFile, ThatIsNoFileIsNamedWhereItIsNamed) {
  fs::create_symlink("loop", folder_.path() / "loop");
  fs::create_symlink("/dev/zero", folder_.path() / "zero");
  fs::create_directory(folder_.path() / "folder");
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  folder_.write("large.yaml", "# " + std::string(kLargestYaml, ' '));
  EXPECT_EQ(with_platform("none"), "s.yaml:1:11: there is no file 'none'");
  EXPECT_EQ(with_platform("\"none\\0\""), "s.yaml:1:11: there is no file 'none?'");
  EXPECT_EQ(with_platform("loop"), "s.yaml:1:11: 'loop' cannot be read: Too many levels of symbolic links");
  EXPECT_EQ(with_platform("folder"), "s.yaml:1:11: 'folder' cannot be read: this is a directory");
  EXPECT_EQ(with_platform("zero"), "s.yaml:1:11: 'zero' cannot be read: this is not a regular file");
  EXPECT_EQ(with_platform("pipe"), "s.yaml:1:11: 'pipe' cannot be read: this is not a regular file");
  EXPECT_EQ(with_platform("s.yaml/x"), "s.yaml:1:11: there is no file 's.yaml/x'");
  EXPECT_EQ(with_platform("large.yaml"), "s.yaml:1:11: 'large.yaml' cannot be read: the file is too large");
  EXPECT_EQ(with_platform("/proc/self/mem"),
            "s.yaml:1:11: '/proc/self/mem' cannot be read: Input/output error");  // a regular file, it says
  if (::geteuid() == 0) return;                                                   // whom no permission stops
  fs::permissions(folder_.write("secret", ""), fs::perms::none);
  EXPECT_EQ(with_platform("secret"), "s.yaml:1:11: 'secret' cannot be read: Permission denied");
}

TEST_F(HostileFile, OfSamplesIsReadAsCarefully) {
  const auto with_samples = [&](const std::string& name) {
    return first_line_of(
        folder_.write("s.yaml", replaced(kGood, "gamma, cv: 0.2", "empirical, file: " + name + ", column: x_s")));
  };
  folder_.write("good.csv", "\xEF\xBB\xBFx_s\r\n1\r\n2\r\n");
  folder_.write("binary.csv", "x_s\n\x1B[2J\n"s);
  EXPECT_EQ(with_samples("good.csv"), "");
  EXPECT_EQ(with_samples("none.csv"), "s.yaml:10:58: there is no file 'none.csv'");
  EXPECT_EQ(with_samples("/dev/zero"), "s.yaml:10:58: '/dev/zero' cannot be read: this is not a regular file");
  EXPECT_EQ(with_samples("binary.csv"), "s.yaml:10:58: binary.csv:2: '?[2J' is not a number without dimension");
}

// ---- --set

TEST(HostileSet, IsReadAsCarefully) {
  std::string path = "a";
  for (int i = 0; i < 50'000; ++i) path += ".a";
  for (const auto& [set, says] : std::vector<std::pair<std::string, std::string>>{
           {path + "=1", "a path of too many keys"},
           {"job.batch=" + std::string(1000, '['), "a list or mapping as a key"},
           {"job.batch=!!int 3", "the YAML tag '!!int' has no meaning here"},
           {"platform=/dev/zero", "'/dev/zero' cannot be read: this is not a regular file"},
           {"job.workers.per_host=1e9", "'1e9' is not a count"},
           {"seed=3", "unknown key 'seed'; it belongs in 'run'"}}) {
    const std::string line = first_line(kGood, {set});
    EXPECT_EQ(line.substr(std::min(line.size(), set.size() + 8)), says) << line.substr(0, 200);
  }
}

// ---- the whole program

/// The exit status of a shell command in which $stagger is the program and $s a good scenario, and what it printed.
struct Shell {
  int status;
  std::string err;
};
Shell shell(const std::string& command, const TemporaryFolder& folder) {
  const std::string line = fmt::format("cd '{}' && stagger='{}' s=s.yaml && ({}) >out 2>err", folder.path().string(),
                                       STAGGER_PROGRAM, command);
  (void)folder.write("s.yaml", kGood);
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_text(folder.path() / "err")};
}

TEST(HostilePlace, StandardOutputThatIsClosedOrFullIsTold) {
  const TemporaryFolder folder;
  for (const char* command : {"run $s", "run $s --json -", "predict $s", "check $s", "validate $s", "--help"})
    for (const char* where : {">&-", ">/dev/full"}) {
      const Shell result = shell(fmt::format("$stagger {} {}", command, where), folder);
      EXPECT_EQ(result.status, 2) << command << where;
      EXPECT_EQ(result.err, "stagger: standard output cannot be written\n") << command << where;
    }
  EXPECT_EQ(shell("$stagger run $s >&- 2>&-", folder).status, 2);
  EXPECT_EQ(shell("$stagger run none.yaml 2>&-", folder).status, 2);
  EXPECT_EQ(shell("$stagger run $s --json r.json >&-", folder).status, 2);
  EXPECT_TRUE(read_text(folder.path() / "r.json").ends_with("}\n")) << "nothing else is written into it";
}

TEST(HostilePlace, AFolderWithoutRoomIsTold) {
  const TemporaryFolder folder;
  const Shell full = shell("trap '' XFSZ; ulimit -f 4; $stagger run $s --out results", folder);  // files of 2 or 4 KiB
  EXPECT_EQ(full.status, 2);
  EXPECT_TRUE(full.err.starts_with("results/result.json: the file cannot be written\n")) << full.err;
  EXPECT_EQ(shell("$stagger run $s --json /dev/full", folder).status, 2);
  EXPECT_EQ(shell("$stagger run $s --out $s", folder).status, 2);
}

TEST(HostilePlace, AScenarioThatIsNoFileIsRefusedAtOnce) {
  const TemporaryFolder folder;
  for (const char* file : {"/dev/zero", "/dev/stdin </dev/zero", "pipe", "loop", ".", "''", "none.yaml", "$s/x"})
    EXPECT_EQ(shell(fmt::format("mkfifo pipe; ln -s loop loop; timeout 20 $stagger run {}", file), folder).status, 2)
        << file;
}

TEST(HostilePlace, WhatIsFineByOurContractRuns) {
  const TemporaryFolder folder;
  for (const auto& [right, fine] : std::vector<std::pair<std::string, std::string>>{
           {"nic: 10 Gbps", "nic: unlimited"},                   // SimGrid aborts on an infinite bandwidth
           {"nic: 10 Gbps", "nic: {up: 1 Gbps, latency: 0 s}"},  // and weighs flows by 1/latency
           {", nic: 10 Gbps", ""},
           {"nic: 10 Gbps", "nic: 1e15 Bps"},
           {"nic: 10 Gbps", "nic: 1 bps"},
           {"nic: 10 Gbps", "nic: {latency: 1 ns}"},
           {"mean: 300 ms", "mean: 1e9 s"},
           {"mean: 300 ms", "mean: 1 ns"},
           {"100 MB", "0 B"},
           {"100 MB", "1 B"},
           {"100 MB", "9000 TB"},
           {"worker: {", "core: {}\n    worker: {"},  // the name of a zone
           {"worker: {", "maestro: {}\n    worker: {"}}) {
    (void)folder.write("fine.yaml", replaced(replaced(kGood, right, fine), "updates: 100", "updates: 1000"));
    const Shell result = shell("$stagger run fine.yaml --quiet", folder);
    EXPECT_EQ(result.status, 0) << fine << ": " << result.err;
  }
}

// ---- the fuzzer's inputs

TEST(HostileCorpus, KeepsTheReadersPromises) {
  const fs::path fuzz = fs::path(STAGGER_SOURCE_DIR) / "tests/fuzz";
  const fs::path before = fs::current_path();
  fs::current_path(STAGGER_SOURCE_DIR);  // as for the fuzzer: options name files from there
  int inputs = 0;
  for (const char* folder : {"corpus", "seeds"})
    for (const auto& entry : fs::directory_iterator(fuzz / folder)) {
      bool is_scenario = false;
      EXPECT_NO_THROW(is_scenario = read_anything(read_text(entry.path()), fuzz / "files")) << entry.path();
      EXPECT_TRUE(is_scenario || folder == "corpus"s) << entry.path();
      ++inputs;
    }
  fs::current_path(before);
  EXPECT_GT(inputs, 100);
}

}  // namespace
}  // namespace stagger
