// What an event loop for exactly one star needs, when the servers' links are the only ones that limit: a virtual clock
// for each, a heap of computing workers, counters. Nothing is recorded, checked or kept.
#pragma once

#include <limits>
#include <queue>
#include <vector>

#include "tests/bench/cost.hpp"

namespace stagger {

class HandWrittenStar {
 public:
  explicit HandWrittenStar(const Size& size)
      : size_(size), shard_(kModel / size.servers), links_(2 * static_cast<std::size_t>(size.servers)) {
    for (int w = 0; w < size.workers; ++w) {
      const RandomStream stream(kDrawSeed, static_cast<std::uint32_t>(w), Purpose::compute);
      workers_.push_back({Durations({DistributionKind::gamma, kCv, {}}, kCompute, stream)});
      send(w, 0);
    }
  }

  Cost run() {
    for (long long left = size_.updates * size_.servers; left > 0;) {
      std::size_t next = 0;
      for (std::size_t l = 1; l < links_.size(); ++l)
        if (links_[l].next_s < links_[next].next_s) next = l;
      if (!computing_.empty() && computing_.top().first <= links_[next].next_s) {
        now_ = computing_.top().first;
        const int worker = computing_.top().second;
        computing_.pop();
        send(worker, 1);
        continue;
      }
      now_ = links_[next].next_s;
      end(next);
      if (next % 2 == 1) --left;
    }
    return {.transfers = static_cast<double>(transfers_), .simulated_s = now_};
  }

 private:
  using Due = std::pair<double, int>;
  using Queue = std::priority_queue<Due, std::vector<Due>, std::greater<>>;
  struct Worker {
    Durations compute;
    int missing = 0;
    std::uint32_t step = 0;
  };
  struct Link {
    Queue flows{};  // by their ends on the link's clock
    double clock = 0.0, since_s = 0.0, next_s = std::numeric_limits<double>::infinity();
  };

  void advance(Link& link) {
    if (!link.flows.empty()) link.clock += (now_ - link.since_s) * kNic / static_cast<double>(link.flows.size());
    link.since_s = now_;
  }
  void schedule(Link& link) {
    link.next_s = link.flows.empty()
                      ? std::numeric_limits<double>::infinity()
                      : now_ + (link.flows.top().first - link.clock) * static_cast<double>(link.flows.size()) / kNic;
  }
  /// One transfer over each server's link, pulls (0) or pushes (1).
  void send(int worker, std::size_t direction) {
    workers_[static_cast<std::size_t>(worker)].missing = size_.servers;
    for (std::size_t l = direction; l < links_.size(); l += 2) {
      advance(links_[l]);
      links_[l].flows.emplace(links_[l].clock + shard_, worker);
      schedule(links_[l]);
    }
  }
  void end(std::size_t index) {
    Link& link = links_[index];
    advance(link);
    const int ended = link.flows.top().second;
    link.flows.pop();
    schedule(link);
    ++transfers_;
    Worker& worker = workers_[static_cast<std::size_t>(ended)];
    if (--worker.missing > 0) return;
    if (index % 2 == 0)
      computing_.emplace(now_ + worker.compute.at(worker.step++).si, ended);
    else
      send(ended, 0);
  }

  Size size_;
  double shard_;
  double now_ = 0.0;
  long long transfers_ = 0;
  std::vector<Worker> workers_;
  std::vector<Link> links_;  // each server's sending link, then its receiving link
  Queue computing_;
};

}  // namespace stagger
