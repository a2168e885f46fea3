#include "analysis/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/lone_step.hpp"
#include "sim/base/input_error.hpp"

namespace stagger {
namespace {

/// The share of each worker in the job's steps, without contention; they add up to 1.
std::vector<double> step_shares(const Layout& layout, const std::vector<LoneStep>& steps) {
  std::vector<double> shares;
  double sum = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double total_s = steps[i].total_s(layout.exchange);
    if (total_s <= 0.0)
      throw InputError({"worker " + layout.workers[i].name, "a step takes no time", "", 0,
                        "a compute time, transfer, update or latency above 0 s"});
    sum += shares.emplace_back(1.0 / total_s);
  }
  for (double& share : shares) share /= sum;
  return shares;
}

/// The mean time of each link that a step of the job takes.
std::vector<LinkTime> mean_traffic(const Layout& layout, const std::vector<double>& shares) {
  std::vector<LinkTime> links(layout.cluster.links.size());
  visit_traffic(layout, [&](std::size_t i, const std::vector<LinkTime>& uses) {
    for (const LinkTime& use : uses) {
      LinkTime& link = links[static_cast<std::size_t>(use.link)];
      link.push_s += shares[i] * use.push_s;
      link.pull_s += shares[i] * use.pull_s;
    }
  });
  return links;
}

/// A station that takes `demand_s` of a lone customer's time and saturates at 1 / `saturated_s`; 0: never.
Station make_station(std::string name, double demand_s, double saturated_s) {
  constexpr double kRounding = 1e-9;  // equal by construction, but averaged in another order
  double parallelism = saturated_s > 0.0 ? demand_s / saturated_s : kInfinity;
  if (parallelism < 1.0 + kRounding) parallelism = 1.0;
  return {std::move(name), demand_s, parallelism};
}

std::string resource(const Layout& layout, const char* of_one, const char* of_several) {
  if (layout.servers.size() > 1) return fmt::format("servers' {}", of_several);
  return fmt::format("{} {}", layout.servers.front().name, of_one);
}

/// The transfers of a step, in one station or two.
std::vector<std::pair<StationRole, Station>> transfer_stations(const Layout& layout,
                                                               const std::vector<LinkTime>& common, double push_s,
                                                               double pull_s, const CrossTraffic& cross) {
  double push_max_s = 0.0;
  double pull_max_s = 0.0;
  double both_max_s = 0.0;
  bool both_ways = false;
  for (const LinkTime& link : common) {
    push_max_s = std::max(push_max_s, link.push_s);
    pull_max_s = std::max(pull_max_s, link.pull_s);
    both_max_s = std::max(both_max_s, link.push_s + link.pull_s);
    both_ways = both_ways || (link.push_s > 0.0 && link.pull_s > 0.0);
  }
  // A receiving link takes one worker's transfer after the other, all servers in the same order. What they let through
  // one by one does not meet again on a link that is as fast.
  if (layout.cluster.sharing == Sharing::fifo && push_max_s > 0.0) {
    push_max_s = push_s;
    if (pull_max_s <= push_s) pull_max_s = 0.0;
  }
  // What the other direction's acknowledgements take of a link slows the lone and the crowded alike.
  const double push = 1.0 + kLv08CrossTraffic * cross.of_pulls;
  const double pull = 1.0 + kLv08CrossTraffic * cross.of_pushes;
  if (both_ways)
    return {{StationRole::network, make_station("network", push * push_s + pull * pull_s, push * both_max_s)}};
  return {
      {StationRole::push,
       make_station(resource(layout, "receive link", "receive links"), push * push_s, push * push_max_s)},
      {StationRole::pull, make_station(resource(layout, "send link", "send links"), pull * pull_s, pull * pull_max_s)}};
}

Station update_station(const Layout& layout, double demand_s) {
  double saturated_s = 0.0;
  for (const Layout::Server& server : layout.servers)
    saturated_s = std::max(saturated_s, server.update_mean.si / server.threads);
  return make_station(resource(layout, "update", "updates"), demand_s, saturated_s);
}

}  // namespace

Model make_model(const Layout& layout, const Contention& contention, const CrossTraffic& cross) {
  const std::vector<LoneStep>& steps = contention.steps;
  const std::vector<double> shares = step_shares(layout, steps);
  LoneStep mean;
  Model model;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    mean.compute_s += shares[i] * steps[i].compute_s;
    mean.latency_s += shares[i] * steps[i].latency_s;
    mean.push_s += shares[i] * steps[i].push_s;
    mean.update_s += shares[i] * steps[i].update_s;
    mean.pull_s += shares[i] * steps[i].pull_s;
    model.batch += shares[i] * static_cast<double>(layout.workers[i].batch);
  }
  model.latency_s = mean.latency_s;

  const auto add = [&model](StationRole role, Station station) {
    if (station.demand_s <= 0.0) return;
    model.stations.push_back(std::move(station));
    model.roles.push_back(role);
  };
  const std::vector<LinkTime> links = mean_traffic(layout, shares);
  std::vector<LinkTime> common;
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (contention.links[l] == UsedBy::all) common.push_back(links[l]);
    if (contention.links[l] == UsedBy::some) model.local_s = std::max(model.local_s, links[l].push_s + links[l].pull_s);
  }
  add(StationRole::compute, {"compute", mean.compute_s, kInfinity});
  add(StationRole::latency, {"latency", latencies_per_step(layout.exchange) * mean.latency_s, kInfinity});
  const auto transfers = transfer_stations(layout, common, mean.push_s, mean.pull_s, cross);
  add(transfers.front().first, transfers.front().second);
  if (mean.update_s > 0.0) {
    model.update = model.stations.size();
    add(StationRole::update, update_station(layout, mean.update_s));
  }
  if (transfers.size() > 1) add(transfers.back().first, transfers.back().second);
  return model;
}

Model make_model(const Layout& layout) { return make_model(layout, find_contention(layout)); }

}  // namespace stagger
