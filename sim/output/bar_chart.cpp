#include "sim/output/bar_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagger {
namespace {

constexpr double kRare = 0.001;

struct Bar {
  std::string label;
  double share;
};

double sum(const std::vector<double>& pmf, std::size_t from, std::size_t to) {
  return std::accumulate(pmf.begin() + static_cast<std::ptrdiff_t>(from), pmf.begin() + static_cast<std::ptrdiff_t>(to),
                         0.0);
}

}  // namespace

std::string pmf_chart(const std::vector<double>& pmf, int rows, int width) {
  std::size_t first = 0;
  std::size_t last = pmf.size();  // one past
  for (double below = pmf[first]; first + 1 < last && below < kRare; below += pmf[first]) ++first;
  for (double above = pmf[last - 1]; last > first + 1 && above < kRare; above += pmf[last - 1]) --last;
  const std::size_t group = (last - first + static_cast<std::size_t>(rows) - 1) / static_cast<std::size_t>(rows);

  std::vector<Bar> bars;
  double largest = 0.0;
  for (std::size_t from = first; from < last; from += group) {
    const std::size_t to = std::min(from + group, last);
    const std::string label = to - from == 1 ? fmt::format("{}", from) : fmt::format("{}-{}", from, to - 1);
    bars.push_back({label, sum(pmf, from, to)});
    largest = std::max(largest, bars.back().share);
  }
  std::string text;
  const int longest = width - 22;
  for (const Bar& bar : bars) {
    const int length = largest > 0.0 ? static_cast<int>(std::lround(bar.share / largest * longest)) : 0;
    text += fmt::format("{:>11} {:5.1f} % {}\n", bar.label, 100.0 * bar.share,
                        std::string(static_cast<std::size_t>(length), '#'));
  }
  if (const double rest = 1.0 - sum(pmf, first, last); rest > 1e-12)
    text += fmt::format("{:>11} {:5.2f} % (largest: {})\n", "other", 100.0 * rest, pmf.size() - 1);
  return text;
}

}  // namespace stagger
