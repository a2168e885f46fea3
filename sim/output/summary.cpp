#include "sim/output/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "sim/base/utf8.hpp"
#include "sim/config/sync.hpp"
#include "sim/output/bar_chart.hpp"
#include "sim/result/statistics.hpp"

namespace stagger {
namespace {

constexpr int kWidth = 80;
constexpr int kChartRows = 10;
constexpr std::size_t kBottlenecks = 4;

int columns(const std::string& text) { return static_cast<int>(count_code_points(text)); }

/// The end of a long name, which tells names apart, behind an ellipsis.
std::string shortened(const std::string& name, int most) {
  if (columns(name) <= most) return name;
  return "…" + name.substr(byte_of_code_point(name, count_code_points(name) - static_cast<std::size_t>(most) + 1));
}

/// Pads by columns, not bytes.
std::string padded(const std::string& text, int width) {
  return text + std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ');
}

/// Breaks at spaces; the lines after the first are indented. Spaces at the start stay; a word that fits no line is
/// shortened.
std::string wrap(const std::string& text, int indent) {
  std::string lines(std::min(text.find_first_not_of(' '), text.size()), ' ');
  std::istringstream words(text);
  std::string word;
  int column = static_cast<int>(lines.size());
  bool starts = true;
  while (words >> word) {
    word = shortened(word, kWidth - indent);
    if (!starts && column + 1 + columns(word) > kWidth) {
      lines += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
      column = indent;
    } else if (!starts) {
      lines += " ";
      ++column;
    }
    starts = false;
    lines += word;
    column += columns(word);
  }
  return lines + "\n";
}

std::string plural(std::size_t n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string heading(const RunResult& result, const Scenario& scenario) {
  const ModelSpec& model = scenario.spec.model;
  const Layout& layout = scenario.layout;
  return wrap(fmt::format("{}: {}, {}, {}{}, {}, {} exchange", result.scenario, plural(layout.workers.size(), "worker"),
                          plural(layout.servers.size(), "server"), model.name.empty() ? "" : model.name + " of ",
                          to_human(model.bytes), describe(layout.sync),
                          layout.exchange == Exchange::fused ? "fused" : "separate"),
              2);
}

std::string with_error(double mean, double half_width) { return fmt::format("{:.4g} +- {:.2g}", mean, half_width); }

std::string row(const std::string& what, const std::string& simulated, const std::string& predicted,
                const std::string& bounds) {
  std::string line = fmt::format("{:<18}{:<22}{:<14}{}", what, simulated, predicted, bounds);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string comparison(const RunResult& result) {
  const PredictedResult& predicted = result.predicted;
  const std::string bounds =
      fmt::format("{:.4g} to {:.4g}", predicted.bounds.lower_updates_per_s, predicted.bounds.upper_updates_per_s);
  if (!result.simulated)
    return row("", "predicted", "", "bounds") +
           row("updates/s", fmt::format("{:.4g}", predicted.updates_per_s), "", bounds) +
           row("examples/s", fmt::format("{:.4g}", predicted.examples_per_s), "", "") +
           row("mean staleness", fmt::format("{:.4g}", predicted.staleness.mean), "", "");
  const SimulatedResult& simulated = *result.simulated;
  const Interval& updates = simulated.updates_per_s;
  const Interval& examples = simulated.examples_per_s;
  return row("", fmt::format("simulated ({:.3g} %)", 100.0 * updates.confidence), "predicted", "bounds") +
         row("updates/s", with_error(updates.mean, updates.ci_high - updates.mean),
             fmt::format("{:.4g}", predicted.updates_per_s), bounds) +
         row("examples/s", with_error(examples.mean, examples.ci_high - examples.mean),
             fmt::format("{:.4g}", predicted.examples_per_s), "") +
         row("mean staleness", with_error(simulated.staleness.mean, 1.96 * simulated.staleness.standard_error),
             fmt::format("{:.4g}", predicted.staleness.mean), "");
}

std::string spread(const std::vector<double>& pmf, double variance) {
  return fmt::format("median {}, 90 % at most {}, 99 % at most {}, standard deviation {:.3g}", percentile(pmf, 0.5),
                     percentile(pmf, 0.9), percentile(pmf, 0.99), std::sqrt(variance));
}

std::string difference(const std::optional<CheckResult>& check) {
  if (!check || !check->staleness_total_variation) return "";
  return fmt::format(" (total variation {:.2g})", *check->staleness_total_variation);
}

/// The chart is that of the simulation, where there is one.
std::string staleness_section(const RunResult& result) {
  const PredictedStaleness& predicted = result.predicted.staleness;
  std::string text = "\nStaleness: versions between a gradient's read and its apply\n";
  if (result.simulated)
    text += "  " + spread(result.simulated->staleness.pmf, result.simulated->staleness.variance) + "\n";
  if (predicted.pmf.empty())
    text += wrap("  model: " + predicted.method, 4);
  else if (!result.simulated)
    text += "  " + spread(predicted.pmf, *predicted.variance) + "\n" + wrap("  (" + predicted.method + ")", 4);
  else
    text += wrap("  model: " + spread(predicted.pmf, *predicted.variance) + difference(result.check), 4);
  const std::vector<double>& pmf = result.simulated ? result.simulated->staleness.pmf : predicted.pmf;
  return pmf.empty() ? text : text + pmf_chart(pmf, kChartRows, kWidth);
}

std::string bottleneck_section(const std::vector<Bottleneck>& bottlenecks) {
  std::string text = "\nBottlenecks, busiest first (of each kind the busiest)\n";
  for (std::size_t i = 0; i < std::min(bottlenecks.size(), kBottlenecks); ++i)
    text += fmt::format("  {} {:5.1f} % busy\n", padded(shortened(bottlenecks[i].resource, 40), 40),
                        100.0 * bottlenecks[i].utilization);
  return text;
}

std::string knee_line(const RunResult& result, std::size_t workers) {
  const double knee = result.predicted.knee_workers;
  if (std::isinf(knee)) return "Knee: none; nothing that the workers share can become a bottleneck.\n";
  const char* side = static_cast<double>(workers) < 0.8 * knee ? "below it: more workers add almost their full speed"
                     : static_cast<double>(workers) <= 1.25 * knee
                         ? "near it: each further worker adds less"
                         : "beyond it: more workers add staleness, hardly speed";
  return wrap(fmt::format("Knee N* = {:.3g} workers; the job has {}, {}.", knee, workers, side), 2);
}

/// Of the model, those that gain at least a tenth of a percent.
std::string sensitivity_line(const std::vector<Sensitivity>& sensitivities) {
  std::string text;
  for (const Sensitivity& each : sensitivities)
    if (each.gain >= 0.001)
      text += text.empty()
                  ? fmt::format("{:.3g} % more {} gives {:+.1f} %", 100.0 * each.more, each.resource, 100.0 * each.gain)
                  : fmt::format(", {} {:+.1f} %", each.resource, 100.0 * each.gain);
  return text.empty() ? text : wrap(text + ".", 2);
}

std::string verdict_section(const RunResult& result) {
  if (!result.check) {
    std::string text = wrap("Model: " + result.predicted.method, 2);
    for (const std::string& reason : result.predicted.not_covered) text += wrap("  not covered: " + reason, 4);
    return text;
  }
  const CheckResult& check = *result.check;
  const double error = 100.0 * check.throughput_relative_error;
  std::string text = wrap(fmt::format("Verdict: {} (updates/s: the model gives {:.2f} % {} than the simulation)",
                                      verdict_text(check.verdict), std::abs(error), error < 0.0 ? "less" : "more"),
                          2);
  for (const std::string& reason : check.reasons) text += wrap("  - " + reason, 4);
  return text;
}

/// A relative error, in at most eight columns.
std::string percent(double error) {
  return std::abs(error) < 9.9999 ? fmt::format("{:+.2f}%", 100.0 * error) : fmt::format("{:+.1g}%", 100.0 * error);
}

/// The name has the columns that the rest leaves.
std::string check_row(const std::string& name, const std::string& rest) {
  constexpr int kVerdict = 11;
  const int columns_left = kWidth - std::max(columns(rest), 17 + 12 + 9 + 2 + kVerdict);
  return padded(shortened(name, columns_left - 1), columns_left) + rest + "\n";
}

/// Both answers for each station, and the prediction's relative errors.
std::string station_rows(const RunResult& result) {
  const auto error = [](double simulated, double predicted) {
    return simulated > 0.0 ? percent(predicted / simulated - 1.0) : "";
  };
  std::string text;
  for (const StationResult& simulated : result.simulated->stations) {
    const auto predicted = std::ranges::find(result.predicted.stations, simulated.name, &StationResult::name);
    if (predicted == result.predicted.stations.end()) continue;
    text +=
        fmt::format("  {}{:>7.2f}%{:>9.2f}%{:>9}{:>9.3g}{:>10.3g}{:>9}\n", padded(shortened(simulated.name, 22), 23),
                    100.0 * simulated.utilization, 100.0 * predicted->utilization,
                    error(simulated.utilization, predicted->utilization), simulated.queue_mean, predicted->queue_mean,
                    error(simulated.queue_mean, predicted->queue_mean));
  }
  return text;
}

}  // namespace

std::string summary(const RunResult& result, const Scenario& scenario) {
  std::string text = heading(result, scenario);
  if (result.simulated)
    text += wrap(fmt::format("simulated {} of cluster time: {:.6g} updates after {:.6g} of warm-up, seed {}{}",
                             to_human(Seconds{result.simulated->time_s}), result.simulated->updates,
                             result.simulated->warmup_updates, result.seed,
                             result.incomplete ? "; INCOMPLETE: interrupted before its end" : ""),
                 2);
  text += "\n" + comparison(result);
  text += staleness_section(result);
  if (result.simulated) text += bottleneck_section(result.bottlenecks);
  text += "\n" + knee_line(result, scenario.layout.workers.size());
  text += sensitivity_line(result.predicted.sensitivities);
  if (result.cost)
    text += fmt::format("Cost ${:.4g}/h, ${:.3g} per million examples\n", result.cost->usd_per_hour,
                        result.cost->usd_per_million_examples);
  text += verdict_section(result);
  for (const std::string& warning : result.predicted.warnings) text += wrap("warning: " + warning, 2);
  if (result.simulated)
    for (const std::string& warning : result.simulated->warnings) text += wrap("warning: " + warning, 2);
  return text;
}

std::string check_heading(bool with_stations) {
  std::string text =
      check_row("scenario", fmt::format("{:>17}{:>12}{:>9}  verdict", "simulated/s", "predicted/s", "error"));
  if (with_stations)
    text += fmt::format("  {:<23}{:>8}{:>10}{:>9}{:>9}{:>10}{:>9}\n", "station", "busy", "predicted", "error",
                        "workers", "predicted", "error");
  return text;
}

std::string check_line(const RunResult& result, bool with_stations) {
  const Interval& simulated = result.simulated->updates_per_s;
  std::string text =
      check_row(result.scenario,
                fmt::format("{:>17}{:>12.4g}{:>9}  {}", with_error(simulated.mean, simulated.ci_high - simulated.mean),
                            result.predicted.updates_per_s, percent(result.check->throughput_relative_error),
                            verdict_text(result.check->verdict)));
  if (with_stations) text += station_rows(result);
  return text;
}

std::string ranking_line(const std::vector<double>& simulated, const std::vector<double>& predicted) {
  if (simulated.size() < 2) return "";
  const std::optional<double> tau = kendall_tau(simulated, predicted);
  return fmt::format("Kendall's tau-b of the two rankings of {} scenarios: {}\n", simulated.size(),
                     tau ? fmt::format("{:.3f}", *tau) : "none, all are equal");
}

}  // namespace stagger
