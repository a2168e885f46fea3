#include "analysis/baselines.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace stagger {
namespace {

constexpr int kTerms = 4;

Eigen::Vector4d terms(double workers) { return {1.0, 1.0 / workers, std::log(workers), workers}; }

/// The sets of terms, as bits: those of few terms first, and of these the one with the first terms.
std::vector<unsigned> sets_of_terms() {
  std::vector<unsigned> sets;
  for (unsigned set = 1; set < 1U << unsigned{kTerms}; ++set) sets.push_back(set);
  std::ranges::stable_sort(sets, {}, [](unsigned set) { return std::popcount(set); });
  return sets;
}

std::vector<int> members(unsigned set) {
  std::vector<int> columns;
  for (int i = 0; i < kTerms; ++i)
    if ((set >> static_cast<unsigned>(i) & 1U) != 0) columns.push_back(i);
  return columns;
}

}  // namespace

double linear_scaling(const ScalingPoint& known, double workers) { return known.per_s * workers / known.workers; }

std::optional<double> interpolate(std::span<const ScalingPoint> known, double workers) {
  const auto above = std::ranges::lower_bound(known, workers, {}, &ScalingPoint::workers);
  if (above == known.end()) return std::nullopt;
  if (above->workers == workers) return above->per_s;
  if (above == known.begin()) return std::nullopt;
  const auto below = above - 1;
  return std::lerp(below->per_s, above->per_s, (workers - below->workers) / (above->workers - below->workers));
}

// The least squares with theta >= 0 are the unconstrained ones on the terms that are not 0 (the Karush-Kuhn-Tucker
// conditions), and there are only 15 sets of terms. Eigen 3.4 has no non-negative least squares.
std::array<double, 4> fit_ernest(std::span<const ScalingPoint> known) {
  const auto rows = static_cast<Eigen::Index>(known.size());
  Eigen::MatrixX4d all(rows, kTerms);
  Eigen::VectorXd work_s(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const ScalingPoint& point = known[static_cast<std::size_t>(i)];
    all.row(i) = terms(point.workers);
    work_s[i] = 1.0 / point.per_s;
  }
  std::array<double, 4> best{};
  double least = work_s.norm();
  const double rounding = 1e-12 * least;
  for (const unsigned set : sets_of_terms()) {
    const std::vector<int> columns = members(set);
    if (std::ssize(columns) > rows) continue;
    const Eigen::MatrixXd some = all(Eigen::all, columns);
    const Eigen::VectorXd theta = some.colPivHouseholderQr().solve(work_s);
    const double residual = (some * theta - work_s).norm();
    if (theta.minCoeff() < 0.0 || residual >= least - rounding) continue;
    least = residual;
    best = {};
    for (std::size_t k = 0; k < columns.size(); ++k)
      best[static_cast<std::size_t>(columns[k])] = theta[static_cast<Eigen::Index>(k)];
  }
  return best;
}

std::optional<double> ernest(std::span<const ScalingPoint> known, double workers) {
  if (known.size() < 2) return std::nullopt;
  const std::array<double, 4> theta = fit_ernest(known);
  return 1.0 / Eigen::Map<const Eigen::Vector4d>(theta.data()).dot(terms(workers));
}

}  // namespace stagger
