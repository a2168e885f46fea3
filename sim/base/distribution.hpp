// Distributions of a duration: what a scenario may name, their parameters from mean and coefficient of variation (cv =
// standard deviation / mean), and draws.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/base/units.hpp"

namespace stagger {

enum class DistributionKind { deterministic, exponential, gamma, lognormal, uniform, weibull, empirical };

/// A shape without its mean; `cv` holds for every kind (0 for deterministic, 1 for exponential).
struct Distribution {
  DistributionKind kind = DistributionKind::deterministic;
  double cv = 0.0;
  /// empirical: samples relative to their mean, drawn with equal probability. Thousands of workers share them.
  std::shared_ptr<const std::vector<double>> values;

  bool operator==(const Distribution& other) const {
    return kind == other.kind && cv == other.cv &&
           (values == other.values || (values && other.values && *values == *other.values));
  }
};

/// Also as a gamma or Weibull distribution with a cv of 1.
bool is_exponential(const Distribution& shape);

/// The shape of the sum of n independent draws. Exact for deterministic, exponential and gamma; of the others the gamma
/// distribution with its cv. Requires n >= 1.
Distribution sum_shape(const Distribution& one, long long n);

/// The largest cv of a uniform distribution on positive numbers: 1/sqrt(3), when it starts at 0.
inline constexpr double kLargestUniformCv = 0.57735026918962576;

/// Draws a duration of mean 1 from `shape`. Requires: cv > 0 for gamma, lognormal, uniform (up to kLargestUniformCv)
/// and weibull; values, and not empty, for empirical. The same engine state gives the same draw.
using Sampler = std::function<double(DrawEngine&)>;
Sampler make_sampler(const Distribution& shape);

/// The value that a draw of mean 1 does not exceed with the probability `below`; `above` = 1 - below, which keeps its
/// digits in the upper tail. Requires a shape as make_sampler does, and 0 < below, above < 1.
using Quantile = std::function<double(double below, double above)>;
Quantile make_quantile(const Distribution& shape);

/// The durations of one worker's steps or one server's updates: draw `step` of `stream`, scaled to `mean`.
class Durations {
 public:
  Durations(const Distribution& shape, Seconds mean, RandomStream stream)
      : draw_(make_sampler(shape)), mean_(mean), stream_(stream) {}
  Seconds at(std::uint32_t step) const {
    DrawEngine engine = stream_.at(step);
    return draw_(engine) * mean_;
  }

 private:
  Sampler draw_;
  Seconds mean_;
  RandomStream stream_;
};

/// An empirical distribution of the given positive samples, and their mean. Requires at least one sample, all finite
/// and not negative, and a positive sum.
struct EmpiricalSamples {
  Distribution shape;
  double mean;
};
EmpiricalSamples empirical_distribution(std::vector<double> samples);

/// The shape parameter k of a Weibull distribution with the given cv: Gamma(1+2/k) / Gamma(1+1/k)^2 = 1 + cv^2
/// (Johnson, Kotz & Balakrishnan 1994, ch. 21). Requires 0.001 <= cv <= 1000; accurate to 1e-12.
double weibull_shape(double cv);

}  // namespace stagger
