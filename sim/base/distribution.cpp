#include "sim/base/distribution.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/lognormal_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <boost/random/uniform_real_distribution.hpp>
#include <boost/random/weibull_distribution.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>

namespace stagger {

bool is_exponential(const Distribution& shape) {
  const bool family = shape.kind == DistributionKind::gamma || shape.kind == DistributionKind::weibull;
  return shape.kind == DistributionKind::exponential || (family && shape.cv == 1.0);
}

Distribution sum_shape(const Distribution& one, long long n) {
  if (n == 1 || one.cv == 0.0) return one;
  return {DistributionKind::gamma, one.cv / std::sqrt(static_cast<double>(n)), {}};
}

Sampler make_sampler(const Distribution& shape) {
  // A fresh distribution object per draw: some of Boost's keep a spare value, which would tie a draw to the one before.
  const double cv = shape.cv;
  switch (shape.kind) {
    case DistributionKind::deterministic:
      return [](DrawEngine&) { return 1.0; };
    case DistributionKind::exponential:
      return [](DrawEngine& engine) { return boost::random::exponential_distribution<>(1.0)(engine); };
    case DistributionKind::gamma: {
      const double k = 1.0 / (cv * cv);
      return [k](DrawEngine& engine) { return boost::random::gamma_distribution<>(k, 1.0 / k)(engine); };
    }
    case DistributionKind::lognormal: {
      const double s2 = std::log1p(cv * cv);
      return [s2](DrawEngine& engine) {
        return boost::random::lognormal_distribution<>(-s2 / 2.0, std::sqrt(s2))(engine);
      };
    }
    case DistributionKind::uniform: {
      const double half = std::sqrt(3.0) * cv;
      return [half](DrawEngine& engine) {
        return boost::random::uniform_real_distribution<>(1.0 - half, 1.0 + half)(engine);
      };
    }
    case DistributionKind::weibull: {
      const double k = weibull_shape(cv);
      const double scale = 1.0 / boost::math::tgamma(1.0 + 1.0 / k);
      return [k, scale](DrawEngine& engine) { return boost::random::weibull_distribution<>(k, scale)(engine); };
    }
    case DistributionKind::empirical:
      return [values = shape.values](DrawEngine& engine) {
        return (*values)[boost::random::uniform_int_distribution<std::size_t>(0, values->size() - 1)(engine)];
      };
  }
  throw std::logic_error("unknown distribution");
}

Quantile make_quantile(const Distribution& shape) {
  const double cv = shape.cv;
  switch (shape.kind) {
    case DistributionKind::deterministic:
      return [](double, double) { return 1.0; };
    case DistributionKind::exponential:
      return [](double, double above) { return -std::log(above); };
    case DistributionKind::gamma:
      return [k = 1.0 / (cv * cv)](double below, double above) {
        return (below < above ? boost::math::gamma_p_inv(k, below) : boost::math::gamma_q_inv(k, above)) / k;
      };
    case DistributionKind::lognormal:
      return [s2 = std::log1p(cv * cv)](double below, double above) {
        const boost::math::normal z;
        return std::exp(std::sqrt(s2) * (below < above ? quantile(z, below) : quantile(complement(z, above))) -
                        s2 / 2.0);
      };
    case DistributionKind::uniform:
      return [cv](double below, double above) { return 1.0 + std::sqrt(3.0) * cv * (below - above); };
    case DistributionKind::weibull:
      return [k = weibull_shape(cv)](double, double above) {
        return std::pow(-std::log(above), 1.0 / k) / boost::math::tgamma(1.0 + 1.0 / k);
      };
    case DistributionKind::empirical: {
      std::vector<double> sorted = *shape.values;
      std::ranges::sort(sorted);
      return [sorted = std::move(sorted)](double below, double) {
        const auto index = static_cast<std::size_t>(below * static_cast<double>(sorted.size()));
        return sorted[std::min(index, sorted.size() - 1)];
      };
    }
  }
  throw std::logic_error("unknown distribution");
}

EmpiricalSamples empirical_distribution(std::vector<double> samples) {
  const auto n = static_cast<double>(samples.size());
  double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / n;
  if (std::abs(mean - 1.0) < 1e-12) mean = 1.0;  // relative already: reading a shape again gives the same shape
  double squares = 0.0;
  for (double& sample : samples) {
    sample /= mean;
    squares += (sample - 1.0) * (sample - 1.0);
  }
  return {{DistributionKind::empirical, std::sqrt(squares / n),
           std::make_shared<const std::vector<double>>(std::move(samples))},
          mean};
}

double weibull_shape(double cv) {
  const auto excess = [cv](double log_k) {
    const double k = std::exp(log_k);
    return boost::math::lgamma(1.0 + 2.0 / k) - 2.0 * boost::math::lgamma(1.0 + 1.0 / k) - std::log1p(cv * cv);
  };
  std::uintmax_t iterations = 200;
  const auto [low, high] = boost::math::tools::toms748_solve(excess, std::log(0.05), std::log(2000.0),
                                                             boost::math::tools::eps_tolerance<double>(50), iterations);
  return std::exp((low + high) / 2.0);
}

}  // namespace stagger
