#include <cstddef>

#include "analysis/staleness.hpp"

namespace stagger {
namespace {

/// How many of `customers` are at the server, [0, customers]: that one is busy with n has the weight of n less, times
/// (customers - n + 1) * update / compute.
std::vector<double> equilibrium(int customers, double compute_s, double update_s) {
  std::vector<double> found{1.0};
  double sum = 1.0;
  for (int n = 1; n <= customers; ++n) {
    found.push_back(found.back() * (customers - n + 1) * update_s / compute_s);
    sum += found.back();
    if (sum > 1e200)
      for (double& each : found) each /= 1e200;
    if (sum > 1e200) sum /= 1e200;
  }
  for (double& each : found) each /= sum;
  return found;
}

/// The others at the server, 0 to size - 1 of them, while the tagged worker computes.
struct Others {
  double think_rate;   // of the tagged worker, and of each other
  double update_rate;  // of the server
  std::size_t last;    // size - 1

  double arrival_rate(std::size_t n) const { return static_cast<double>(last - n) * think_rate; }
  double out_rate(std::size_t n) const { return think_rate + arrival_rate(n) + (n > 0 ? update_rate : 0.0); }

  /// The mean time in each state until the next update or the end of computing, from what enters: time * out =
  /// entering + time one below * arrivals there.
  std::vector<double> times(const std::vector<double>& entering) const {
    std::vector<double> time(entering.size());
    for (std::size_t n = 0; n <= last; ++n)
      time[n] = (entering[n] + (n > 0 ? time[n - 1] * arrival_rate(n - 1) : 0.0)) / out_rate(n);
    return time;
  }
};

}  // namespace

std::vector<double> fifo_staleness(int workers, double compute_s, double update_s) {
  const Others others{1.0 / compute_s, 1.0 / update_s, static_cast<std::size_t>(workers - 1)};
  std::vector<double> pmf;
  std::vector<double> entering = equilibrium(workers - 1, compute_s, update_s);
  double computing = 1.0;  // the probability that the tagged worker still does
  for (std::size_t applied = 0; computing > kNegligibleTail; ++applied) {
    const std::vector<double> time = others.times(entering);
    pmf.resize(applied + others.last + 1, 0.0);
    for (std::size_t n = 0; n <= others.last; ++n) {
      const double joins = time[n] * others.think_rate;
      pmf[applied + n] += joins;
      computing -= joins;
      entering[n] = n < others.last ? time[n + 1] * others.update_rate : 0.0;
    }
  }
  normalize(pmf);
  return pmf;
}

}  // namespace stagger
