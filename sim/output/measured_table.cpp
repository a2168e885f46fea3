#include "sim/output/measured_table.hpp"

#include <fmt/format.h>

#include <cmath>

namespace stagger {
namespace {

/// At most seven columns.
std::string rate(double per_s) {
  if (per_s >= 1000.0 && per_s < 9'999'999.0) return fmt::format("{:.0f}", per_s);
  const std::string text = fmt::format("{:.4g}", per_s);
  return text.size() <= 7 ? text : fmt::format("{:.2g}", per_s);
}

/// At most six columns.
std::string error(double relative) {
  if (std::abs(relative) < 0.9995) return fmt::format("{:+.1f}%", 100.0 * relative);
  return relative < 99.0 ? fmt::format("{:+.0f}%", 100.0 * relative) : ">9900%";
}

/// A cell for each method after the head; `cell` gives "" where there is nothing to say.
template <class Cell>
std::string row(std::string line, const MeasuredComparison& comparison, Cell cell) {
  for (const MethodResult& method : comparison.methods) line += fmt::format("{:>15}", cell(method));
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string share(const std::optional<double>& value) { return value ? error(*value).substr(1) : ""; }

}  // namespace

std::string measured_table(const MeasuredComparison& comparison) {
  std::string text = fmt::format("{}/s, measured and by four methods, with their errors\n\n",
                                 comparison.quantity == "examples_per_s" ? "Examples" : "Updates");
  text += fmt::format("{:>8}{:>10}{:>15}{:>15}{:>15}{:>15}\n", "workers", "measured", "MVA", "linear", "interpolation",
                      "regression");
  for (std::size_t i = 0; i < comparison.workers.size(); ++i) {
    const double measured = comparison.measured_per_s[i];
    text += row(fmt::format("{:>8}{:>10}", comparison.workers[i], rate(measured)), comparison, [&](const auto& method) {
      const std::optional<double>& said = method.per_s[i];
      return said ? fmt::format("{}{:>7}", rate(*said), error(*said / measured - 1.0)) : "";
    });
  }
  const auto last_row = [&](const char* name, auto cell) {
    text += row(fmt::format("{:<18}", name), comparison, cell);
  };
  last_row("mean |error|", [](const MethodResult& method) { return share(method.mean_error); });
  last_row("MVA, same points", [](const MethodResult& method) { return share(method.model_mean_error); });
  last_row("Kendall's tau", [](const MethodResult& method) {
    return method.kendall_tau ? fmt::format("{:.3f}", *method.kendall_tau) : "";
  });
  return text +
         "\nMVA: this scenario with as many workers. linear: in proportion to the smallest\n"
         "point. interpolation: between the neighbours. regression: Ernest's model (NSDI\n"
         "2016) of the points with fewer workers.\n";
}

}  // namespace stagger
