#include "analysis/contention.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stagger {
namespace {

constexpr std::size_t kPush = 0;
constexpr std::size_t kPull = 1;
using ByPhase = std::array<double, 2>;

/// What a step has on one link.
struct Use {
  std::size_t link = 0;
  bool common = false;
  ByPhase time_s{};
  ByPhase transfers{};
  int ends = 1;  // hosts of servers that are reached over it
};
using Uses = std::vector<Use>;

Use to_use(const LinkTime& time) {
  return {static_cast<std::size_t>(time.link),
          false,
          {time.push_s, time.pull_s},
          {static_cast<double>(time.pushes), static_cast<double>(time.pulls)},
          time.ends};
}

std::vector<UsedBy> users_of_links(const Layout& layout) {
  struct Users {
    std::size_t workers = 0;
    bool alike = true;
    bool server = false;
    int pushes = 0, pulls = 0;  // of the first worker
  };
  std::vector<Users> users(layout.cluster.links.size());
  visit_traffic(layout, [&](std::size_t, const std::vector<LinkTime>& times) {
    for (const LinkTime& time : times) {
      if (time.push_s + time.pull_s == 0.0) continue;
      Users& link = users[static_cast<std::size_t>(time.link)];
      if (link.workers++ == 0) link.pushes = time.pushes, link.pulls = time.pulls;
      link.alike = link.alike && link.pushes == time.pushes && link.pulls == time.pulls;
    }
  });
  for (const Layout::Server& server : layout.servers)
    for (const int link : {Cluster::up(server.host), Cluster::down(server.host), Cluster::loopback(server.host)})
      users[static_cast<std::size_t>(link)].server = true;

  std::vector<UsedBy> used_by;
  used_by.reserve(users.size());
  for (const Users& link : users) {
    if (link.workers == 0)
      used_by.push_back(UsedBy::nobody);
    else if (link.workers == 1 && !link.server)
      used_by.push_back(UsedBy::one);
    else
      used_by.push_back(link.alike && link.workers == layout.workers.size() ? UsedBy::all : UsedBy::some);
  }
  for (int rack = 0; rack < layout.cluster.racks; ++rack)
    if (!is_oversubscribed(layout.cluster, rack))
      for (const int link : {layout.cluster.rack_up(rack), layout.cluster.rack_down(rack)})
        used_by[static_cast<std::size_t>(link)] = UsedBy::nobody;
  return used_by;
}

/// What a worker shares with others. Of the links that all use, only the slowest of each phase counts, as all workers
/// are on all of them.
Uses shared_by(const std::vector<LinkTime>& times, const std::vector<UsedBy>& used_by) {
  Uses result;
  std::array<Use, 2> slowest{};
  for (const LinkTime& time : times) {
    const Use use = to_use(time);
    if (used_by[use.link] == UsedBy::some && time.push_s + time.pull_s > 0.0) result.push_back(use);
    if (used_by[use.link] != UsedBy::all) continue;
    for (const std::size_t phase : {kPush, kPull})
      if (use.time_s[phase] > slowest[phase].time_s[phase]) slowest[phase] = use;
  }
  const bool both = slowest[kPush].time_s[kPush] > 0.0 && slowest[kPull].link == slowest[kPush].link;
  if (both) slowest[kPull] = {};
  for (const Use& use : slowest)
    if (use.time_s[kPush] + use.time_s[kPull] > 0.0) result.emplace_back(use).common = true;
  return result;
}

/// The recursion over populations.
class Recursion {
 public:
  Recursion(const Layout& layout, std::vector<LoneStep> lone, const std::vector<UsedBy>& used_by)
      : lone_(std::move(lone)), crowded_(lone_), load_(layout.cluster.links.size()), present_(lone_.size()) {
    uses_.reserve(lone_.size());
    visit_traffic(layout, [&](std::size_t, const auto& times) { uses_.push_back(shared_by(times, used_by)); });
    away_s_.reserve(lone_.size());
    for (const LoneStep& step : lone_)
      away_s_.push_back(step.compute_s + step.update_s + latencies_per_step(layout.exchange) * step.latency_s);
    for (const Layout::Server& server : layout.servers)
      update_s_ = std::max(update_s_, server.update_mean.si / server.threads);
  }

  std::vector<LoneStep> run() {
    constexpr std::size_t kExactSteps = 32;
    constexpr int kMostRounds = 100;
    const std::size_t workers = lone_.size();
    const std::size_t first = workers > kExactSteps ? workers - kExactSteps : 1;
    for (int round = 0; round < kMostRounds && advance(first) > 1e-7; ++round) {
    }
    for (std::size_t n = first + 1; n <= workers; ++n) advance(n);
    return std::move(crowded_);
  }

 private:
  /// From the population before to one of n. Returns the largest change of a probability.
  double advance(std::size_t n) {
    for (ByPhase& link : load_) link = {};
    updating_ = 0.0;
    for (std::size_t i = 0; i < lone_.size(); ++i) {
      for (const Use& use : uses_[i])
        for (const std::size_t phase : {kPush, kPull})
          load_[use.link][phase] += present_[i].network[phase] * use.transfers[phase];
      updating_ += present_[i].update;
    }
    const double others = static_cast<double>(lone_.size()) - 1.0;
    const double share = others > 0.0 ? (static_cast<double>(n) - 1.0) / others : 0.0;
    double change = 0.0;
    for (std::size_t i = 0; i < lone_.size(); ++i) change = std::max(change, visit(i, share));
    return change;
  }

  struct Present {
    ByPhase network{};
    double update = 0.0;
  };

  double visit(std::size_t worker, double share) {
    const LoneStep& lone = lone_[worker];
    ByPhase local{lone.push_s, lone.pull_s};
    ByPhase phase_s = local;
    for (const Use& use : uses_[worker])
      for (const std::size_t phase : {kPush, kPull}) {
        if (use.transfers[phase] == 0.0) continue;
        const double time_s = use.time_s[phase] * (1.0 + share * crowd(worker, use, phase));
        phase_s[phase] = std::max(phase_s[phase], time_s);
        if (!use.common) local[phase] = std::max(local[phase], time_s);
      }
    crowded_[worker].push_s = local[kPush];
    crowded_[worker].pull_s = local[kPull];
    const double queue_s = update_s_ * share * (updating_ - present_[worker].update);
    const double step_s = away_s_[worker] + queue_s + phase_s[kPush] + phase_s[kPull];
    const Present next{{phase_s[kPush] / step_s, phase_s[kPull] / step_s}, (lone.update_s + queue_s) / step_s};
    const double change = std::max(std::abs(next.network[kPush] - present_[worker].network[kPush]),
                                   std::abs(next.network[kPull] - present_[worker].network[kPull]));
    present_[worker] = next;
    return change;
  }

  /// The transfers of the others on a link for each of this worker's.
  double crowd(std::size_t worker, const Use& use, std::size_t phase) const {
    const auto of_others = [&](std::size_t p) {
      return load_[use.link][p] - present_[worker].network[p] * use.transfers[p];
    };
    const double unequal = use.common ? 0.0 : 0.25 * (1.0 - 1.0 / use.ends);
    return (of_others(phase) + of_others(1 - phase) * (1.0 + unequal)) / use.transfers[phase];
  }

  std::vector<LoneStep> lone_;
  std::vector<LoneStep> crowded_;
  std::vector<Uses> uses_{};
  std::vector<double> away_s_{};  // of a step, but for its transfers
  double update_s_ = 0.0;
  std::vector<ByPhase> load_;  // [link] mean number of transfers
  double updating_ = 0.0;      // workers at the updates
  std::vector<Present> present_;
};

}  // namespace

bool is_oversubscribed(const Cluster& cluster, int rack) {
  double behind = 0.0;
  for (std::size_t h = 0; h < cluster.hosts.size(); ++h) {
    const int host = static_cast<int>(h);
    if (cluster.hosts[h].rack == rack)
      behind += std::max(cluster.rate(Cluster::up(host)).si, cluster.rate(Cluster::down(host)).si);
  }
  return cluster.rate(cluster.rack_up(rack)).si < behind;
}

Contention find_contention(const Layout& layout) {
  Contention contention{lone_steps(layout), users_of_links(layout)};
  if (std::ranges::find(contention.links, UsedBy::some) != contention.links.end())
    contention.steps = Recursion(layout, std::move(contention.steps), contention.links).run();
  return contention;
}

}  // namespace stagger
