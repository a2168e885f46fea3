#include "analysis/solve_job.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagger {
namespace {

/// As a worker sees it: with one customer less (arrival theorem).
double utilization_of(const Model& model, const MvaResult& solution, StationRole role) {
  const std::vector<double>& x = solution.throughput_per_s;
  const double fewer = x[x.size() - 2] / x.back();
  for (std::size_t i = 0; i < model.roles.size(); ++i)
    if (model.roles[i] == role || model.roles[i] == StationRole::network)
      return fewer * solution.stations[i].utilization;
  return 0.0;
}

/// The fixed point's map is a contraction, 5 % of a utilization on a utilization.
SolvedJob solve(const Layout& layout) {
  const int workers = static_cast<int>(layout.workers.size());
  CrossTraffic cross;
  for (;;) {
    Model model = make_model(layout, cross);
    MvaResult solution = solve_mva(model.stations, workers);
    if (layout.cluster.model != NetworkModel::lv08) return {std::move(model), std::move(solution)};
    const CrossTraffic next{utilization_of(model, solution, StationRole::push),
                            utilization_of(model, solution, StationRole::pull)};
    const double change =
        std::max(std::abs(next.of_pushes - cross.of_pushes), std::abs(next.of_pulls - cross.of_pulls));
    if (change < 1e-9) return {std::move(model), std::move(solution)};
    cross = next;
  }
}

Layout steady(Layout layout) {
  layout.cluster = with_mean_bandwidths(std::move(layout.cluster));
  return layout;
}

}  // namespace

SolvedJob solve_job(const Layout& layout) {
  return layout.cluster.profiles.empty() ? solve(layout) : solve(steady(layout));
}

}  // namespace stagger
