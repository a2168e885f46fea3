#include "analysis/long_run.hpp"

#include <algorithm>

namespace stagger {
namespace {

bool leaves_for_good(const Layout::Worker& worker) {
  return !worker.away.empty() && worker.away.back().until == kNever;
}

void settle(Layout::Worker& worker) {
  double factor = worker.slowness.empty() ? 1.0 : worker.slowness.back().factor;
  if (const auto& regimes = worker.regimes)
    factor *= ((regimes->healthy + regimes->slow) / (regimes->healthy + 1.0 / regimes->factor * regimes->slow)).si;
  worker.compute_mean = factor * worker.compute_mean;
  worker.slowness.clear();
  worker.regimes.reset();
  worker.score_correlation = 0.0;
  worker.away.clear();
}

}  // namespace

Layout in_the_long_run(Layout layout) {
  layout.cluster = with_mean_bandwidths(std::move(layout.cluster));
  std::erase_if(layout.workers, leaves_for_good);
  std::ranges::for_each(layout.workers, settle);
  for (Layout::Server& server : layout.servers) server.stalls.clear();
  return layout;
}

std::vector<std::string> changes(const Layout& layout) {
  std::vector<std::string> reasons;
  const auto add_if = [&](bool holds, const char* reason) {
    if (holds) reasons.emplace_back(reason);
  };
  const auto some = [&](auto holds) { return std::ranges::any_of(layout.workers, holds); };
  add_if(!layout.cluster.profiles.empty(), "bandwidths change (profile), and the model takes their mean");
  add_if(some([](const auto& w) { return w.slowness.size() > 1 || w.regimes; }),
         "the speed of workers changes (disturbances), and the model takes it as it is in the long run");
  add_if(some([](const auto& w) { return w.score_correlation > 0.0; }),
         "the step times of a worker are correlated, and the model takes them as independent");
  add_if(some([](const auto& w) { return !w.away.empty(); }),
         "workers leave, and the model has those who are there in the end");
  add_if(std::ranges::any_of(layout.servers, [](const auto& s) { return !s.stalls.empty(); }),
         "servers stall, and in the model they do not");
  return reasons;
}

}  // namespace stagger
