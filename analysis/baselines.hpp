// What people use instead of a model of the system: throughputs that were measured with some numbers of workers say
// what another number would give. Pure functions: points in, value out.
#pragma once

#include <array>
#include <optional>
#include <span>

namespace stagger {

struct ScalingPoint {
  double workers = 0.0;  ///< > 0
  double per_s = 0.0;    ///< > 0
};

/// Each worker adds what each of the known ones has.
double linear_scaling(const ScalingPoint& known, double workers);

/// On the straight line between the nearest known points on either side; none when there are not both. Requires points
/// in ascending order of workers, each number once.
std::optional<double> interpolate(std::span<const ScalingPoint> known, double workers);

/// Ernest (Venkataraman, Yang, Franklin, Recht & Stoica, "Ernest: Efficient Performance Prediction for Large-Scale
/// Advanced Analytics", NSDI 2016, eq. 1, for a fixed amount of data): the time of a fixed amount of work,
///   1 / X(n) = theta_0 + theta_1 / n + theta_2 log n + theta_3 n,   all theta >= 0,
/// fitted to the known points by least squares. Where several are equally good, as with fewer points than terms, it is
/// that with the fewest terms, the first ones of the equation: two points give Amdahl's law, theta_0 and theta_1.
/// Requires at least one point, each number of workers once.
std::array<double, 4> fit_ernest(std::span<const ScalingPoint> known);
/// X(workers) of that fit; none from fewer than two points.
std::optional<double> ernest(std::span<const ScalingPoint> known, double workers);

}  // namespace stagger
