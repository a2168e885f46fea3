// What must hold of the reader whatever it is given: run over random inputs by reader_fuzz.cpp, and over those that
// were once of interest by fuzz_corpus_test.cpp.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/config/scenario.hpp"

namespace stagger {

inline void expect(bool holds, const std::string& claim) {
  if (!holds) throw std::logic_error("it does not hold that " + claim);
}

/// Reads `input` as a scenario that lies in `folder`, its first lines as `--set` options where they start with `#set `.
/// True: it is one. Throws std::logic_error, or whatever the reader throws, when it breaks a promise.
inline bool read_anything(std::string input, const std::filesystem::path& folder) {
  std::vector<std::string> sets;
  for (const std::string start = "#set "; input.starts_with(start);) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    sets.push_back(input.substr(start.size(), end - start.size()));
    input.erase(0, end + 1);
  }
  try {
    const Scenario scenario = read_scenario_text("input", input, folder, sets);
    const std::string effective = to_yaml(effective_tree(scenario.spec));
    const Scenario again = read_scenario_text("effective", effective, folder);
    expect(to_yaml(effective_tree(again.spec)) == effective, "the effective scenario reads back as the same");
    const Layout& layout = scenario.layout;
    expect(!layout.workers.empty() && !layout.servers.empty(), "a job has workers and servers");
    const auto has_host = [&](const auto& process) {
      return process.host >= 0 && process.host < std::ssize(layout.hosts);
    };
    expect(std::ranges::all_of(layout.workers, has_host) && std::ranges::all_of(layout.servers, has_host),
           "everybody has a host");
    double bytes = 0.0;
    for (const Layout::Server& server : layout.servers) bytes += server.shard.si;
    expect(bytes == scenario.spec.model.bytes.si, "the shards add up to the model");
    return true;
  } catch (const InputError& error) {
    expect(!error.problems().empty(), "an error has a problem");
    for (const InputProblem& problem : error.problems()) {
      expect(!problem.where.empty() && !problem.what.empty(), "a problem has a place and words");
      expect(problem.what.size() < 2000, "a message is short");
    }
    return false;
  }
}

}  // namespace stagger
