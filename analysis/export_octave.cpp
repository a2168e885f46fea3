#include "analysis/export_octave.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/first_come_updates.hpp"
#include "analysis/long_run.hpp"
#include "analysis/octave_solvers.hpp"
#include "analysis/solve_job.hpp"
#include "sim/base/input_error.hpp"

namespace stagger {
namespace {

/// The network in the terms of the script: a row of `demands_s` for each class.
struct Exported {
  MulticlassNetwork network;
  std::vector<std::string> classes;
  int workers = 0;
  bool load_dependent = false;  ///< some station is neither a delay nor has one server
};

bool is_load_dependent(const MulticlassStation& station, int workers) {
  return station.parallelism > 1.0 && station.parallelism < workers;
}

/// Without the stations where nobody has a demand.
MulticlassNetwork without_idle_stations(const MulticlassNetwork& all) {
  MulticlassNetwork network;
  network.customers = all.customers;
  network.demands_s.resize(all.demands_s.size());
  for (std::size_t k = 0; k < all.stations.size(); ++k) {
    if (std::ranges::all_of(all.demands_s, [k](const std::vector<double>& d) { return d[k] == 0.0; })) continue;
    network.stations.push_back(all.stations[k]);
    for (std::size_t c = 0; c < all.demands_s.size(); ++c) network.demands_s[c].push_back(all.demands_s[c][k]);
  }
  return network;
}

MulticlassNetwork one_class(const Network& stations, int workers) {
  MulticlassNetwork network;
  network.customers = {workers};
  network.demands_s.resize(1);
  for (const Station& station : stations) {
    network.stations.push_back({station.name, station.parallelism});
    network.demands_s[0].push_back(station.demand_s);
  }
  return network;
}

Exported exported(const SolvedJob& job, const Layout& layout) {
  Exported result;
  result.workers = static_cast<int>(layout.workers.size());
  if (job.classes.customers.empty()) {
    result.network = one_class(job.model.stations, result.workers);
    result.classes = {"workers"};
  } else {
    result.network = without_idle_stations(job.classes);
    for (const KindRate& each : job.kinds) result.classes.push_back(layout.workers[each.kind.first].name);
  }
  result.load_dependent = std::ranges::any_of(
      result.network.stations, [&](const MulticlassStation& s) { return is_load_dependent(s, result.workers); });
  return result;
}

[[noreturn]] void refuse(std::string what, std::string expected) {
  throw InputError({"--export octave", std::move(what), "", 0, std::move(expected)});
}

double states(const std::vector<int>& customers) {
  return std::accumulate(customers.begin(), customers.end(), 1.0, [](double n, int c) { return n * (c + 1.0); });
}

void check_size(const Exported& e, const SolvedJob& job) {
  if (e.classes.size() > 1 && !job.exact)
    refuse(fmt::format("the network of {} kinds of workers is too large for an exact solution", e.classes.size()),
           "fewer workers or kinds");
  if (!e.load_dependent) return;
  constexpr const char* kWhy = "where several workers together are served faster than one";
  if (e.workers > kMostConvolved)
    refuse(fmt::format("{} workers are too many {}: the numbers would overflow", e.workers, kWhy),
           fmt::format("at most {} workers", kMostConvolved));
  if (e.classes.size() > 1 && states(e.network.customers) > kMostConvolvedStates)
    refuse(fmt::format("{} workers of {} kinds are too many {}", e.workers, e.classes.size(), kWhy),
           fmt::format("at most {:.0f} combinations, the product of the workers of each kind plus 1",
                       kMostConvolvedStates));
}

/// One line of text, whatever a file or a host is called.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return text;
}

/// A string of Octave: in single quotes nothing is special but the quote.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : one_line(text)) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

std::string number(double value) { return std::isinf(value) ? "Inf" : fmt::format("{:.17g}", value); }

template <class Values, class F>
std::string list(const Values& values, const char* separator, F each) {
  std::vector<std::string> words;
  words.reserve(values.size());
  for (const auto& value : values) words.push_back(each(value));
  return fmt::format("{}", fmt::join(words, separator));
}

/// The solution to compare with, as comments.
std::string own_solution(const SolvedJob& job, const Exported& e) {
  std::string text =
      fmt::format("% Stagger's solution, {}:\n%   steps/s  {:.17g}\n", method_text(job), job.gradients_per_s);
  if (e.classes.size() > 1)
    for (std::size_t c = 0; c < e.classes.size(); ++c)
      text += fmt::format("%   steps/s of the {} workers like {}  {:.17g}\n", e.network.customers[c],
                          one_line(e.classes[c]), e.network.customers[c] * job.kinds[c].per_worker_per_s);
  for (std::size_t i = 0; i < job.stations.size(); ++i) {
    const MvaStation& station = job.stations[i];
    text +=
        fmt::format("%   {}: utilization {:.17g}, queue {:.17g}, residence {:.17g} s\n",
                    one_line(job.model.stations[i].name), station.utilization, station.queue_mean, station.residence_s);
  }
  if (e.network.stations.size() > job.stations.size())
    text += "% There a station's queue and residence contain those of its \"own part\".\n";
  return text;
}

/// What the prediction has beyond the network, as comments.
std::string correction(const SolvedJob& network, const SolvedJob& predicted) {
  if (predicted.gradients_per_s == network.gradients_per_s) return "";
  return fmt::format("% That is the network alone. Stagger's prediction, {}:\n%   steps/s  {:.17g}\n",
                     method_text(predicted), predicted.gradients_per_s);
}

std::string data(const Exported& e) {
  const MulticlassNetwork& n = e.network;
  const auto row = [](const std::vector<double>& demands_s) { return list(demands_s, " ", number); };
  return fmt::format("stations = {{{}}};\n", list(n.stations, ", ", [](const auto& s) { return quoted(s.name); })) +
         "% Kinds of workers, each named after its first.\n" +
         fmt::format("kinds = {{{}}};\n", list(e.classes, ", ", quoted)) +
         fmt::format("N = [{}];  % workers of each kind\n",
                     list(n.customers, " ", [](int count) { return std::to_string(count); })) +
         "% Demands: seconds per step of a lone worker, a row for each kind, a column for each station.\n" +
         fmt::format("D = [{}];\n", list(n.demands_s, "\n     ", row)) +
         "% With n workers there a station works min(n, c) times as fast as for one: 1 is one server, Inf a delay.\n" +
         fmt::format("c = [{}];\n", list(n.stations, " ", [](const auto& s) { return number(s.parallelism); }));
}

std::string solution(const Exported& e, const SolvedJob& job) {
  if (!e.load_dependent) return e.classes.size() == 1 ? kOneServer : kClasses;
  if (e.classes.size() == 1) return fmt::format("unit = {:.17g};  % s\n", 1.0 / job.gradients_per_s) + kConvolution;
  const auto unit = [](const KindRate& each) { return number(1.0 / (each.kind.workers * each.per_worker_per_s)); };
  return fmt::format("unit = [{}];  % s\n", list(job.kinds, " ", unit)) + kClassesConvolution;
}

}  // namespace

std::string octave_script(const Layout& given, const std::string& scenario) {
  const Layout layout = in_the_long_run(given);
  const SolvedJob job = solve_network(layout);
  const Exported e = exported(job, layout);
  check_size(e, job);
  SolvedJob predicted = job;
  correct_for_first_come(layout, predicted);
  return fmt::format("% The closed queueing network of {}, by stagger predict --export octave.\n", one_line(scenario)) +
         "% For GNU Octave with its package queueing (Debian: octave-queueing); prints steps per second, and of each\n"
         "% station its utilization, the workers there and their seconds there per step.\n%\n" +
         own_solution(job, e) + correction(job, predicted) +
         "\npkg load queueing\nwarning('off', 'Octave:deprecated-syntax');  % the package's own\n\n" + data(e) +
         solution(e, job) + kPrint;
}

}  // namespace stagger
