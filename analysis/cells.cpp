#include "analysis/cells.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <span>

namespace stagger {
namespace {

std::vector<Cell> cells_of_samples(std::vector<double> samples, std::size_t cells) {
  std::ranges::sort(samples);
  const std::size_t n = samples.size();
  cells = std::min(cells, n);
  std::vector<Cell> result;
  for (std::size_t i = 0; i < cells; ++i) {
    const auto its = std::span(samples).subspan(i * n / cells, (i + 1) * n / cells - i * n / cells);
    double sum = 0.0;
    for (const double sample : its) sum += sample;
    result.push_back({static_cast<double>(its.size()) / static_cast<double>(n), sum / static_cast<double>(its.size())});
  }
  return result;
}

std::vector<Cell> cells_by_quantiles(const Distribution& shape, int cells) {
  constexpr double kEnd = 6.0;
  const boost::math::normal normal;
  const Quantile quantile_of = make_quantile(shape);
  const double width = 2.0 * kEnd / cells;
  std::vector<Cell> result;
  for (int i = 0; i < cells; ++i) {
    const double low = -kEnd + i * width;
    const double middle = low + width / 2.0;
    // In each half, differences of what is small there.
    const double probability = middle < 0.0 ? cdf(normal, low + width) - cdf(normal, low)
                                            : cdf(complement(normal, low)) - cdf(complement(normal, low + width));
    result.push_back({probability, quantile_of(cdf(normal, middle), cdf(complement(normal, middle)))});
  }
  return result;
}

}  // namespace

std::vector<Cell> cells_of(const Distribution& shape, int cells) {
  if (shape.kind == DistributionKind::deterministic) return {{1.0, 1.0}};
  std::vector<Cell> result = shape.kind == DistributionKind::empirical
                                 ? cells_of_samples(*shape.values, static_cast<std::size_t>(cells))
                                 : cells_by_quantiles(shape, cells);
  double probability = 0.0;
  double mean = 0.0;
  for (const Cell& cell : result) probability += cell.probability, mean += cell.probability * cell.value;
  for (Cell& cell : result) {
    cell.probability /= probability;
    cell.value *= probability / mean;
  }
  return result;
}

}  // namespace stagger
