// The part of FlowNetwork that solves a region anew.
#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "sim/engine/fluid/flow_network.hpp"

namespace stagger {
namespace {

/// Below this part of a link's capacity, what higher priorities leave of it is rounding.
constexpr double kNothing = 1e-12;

}  // namespace

void FlowNetwork::solve(double now, Region region) {
  do {
    find_flows(region);
    priorities_.clear();
    for (const int each : region_flows_)
      if (std::ranges::find(priorities_, flow(each).priority) == priorities_.end())
        priorities_.push_back(flow(each).priority);
    std::ranges::sort(priorities_, std::greater{});
    for (const int priority : priorities_) fill(priority);
  } while (grow(region));
  commit(now);
}

/// The flows of a region and the links that matter to them.
void FlowNetwork::find_flows(const Region& region) {
  ++mark_;
  region_flows_.clear();
  whole_links_.clear();
  partial_links_.clear();
  const auto add_link = [this](int index, std::vector<int>& links) {
    if (std::exchange(link(index).mark, mark_) != mark_) links.push_back(index);
  };
  const auto add_flow = [&](int index) {
    if (std::exchange(flow(index).mark, mark_) == mark_) return;
    region_flows_.push_back(index);
    flow(index).next_level = kNone;
    for (const int each : flow(index).links())
      if (link(each).state != State::loose)
        add_link(each, link(each).state == State::saturated ? whole_links_ : partial_links_);
  };
  for (const int each : region.whole) add_link(each, whole_links_);
  for (const int each : region.partial) add_link(each, partial_links_);
  if (region.flow != kNone) add_flow(region.flow);
  for (std::size_t i = 0; i < whole_links_.size(); ++i)
    for (const std::uint32_t crossing : link(whole_links_[i]).flows) add_flow(static_cast<int>(crossing / 8));

  for (const int each : whole_links_) filling(each) = {.residual = link(each).capacity};
  for (const int each : partial_links_) {
    double others = 0.0;
    for (const std::uint32_t crossing : link(each).flows)
      if (const Flow& other = flow(static_cast<int>(crossing / 8)); other.mark != mark_)
        others += level(other.level).rate;
    filling(each) = {.residual = std::max(link(each).capacity - others, 0.0), .is_partial = true};
  }
}

/// Progressive filling of what is left of the region's links by the region's flows of one priority. The shares of the
/// links only grow while flows get their rates, so that a share that was queued is a lower bound.
void FlowNetwork::fill(int priority) {
  const auto in_region = [this](int index) { return link(index).mark == mark_; };
  const auto share = [this](int index) {
    const Filling& of = filling(index);
    return of.residual > kNothing * link(index).capacity ? of.residual / of.open : 0.0;
  };
  for (const int index : region_flows_)
    if (flow(index).priority == priority)
      for (const int each : flow(index).links())
        if (in_region(each)) ++filling(each).open;
  shares_.clear();
  for (const auto* links : {&whole_links_, &partial_links_})
    for (const int each : *links)
      if (filling(each).open > 0) shares_.emplace_back(share(each), each);
  std::ranges::make_heap(shares_, std::greater{});
  while (!shares_.empty()) {
    std::ranges::pop_heap(shares_, std::greater{});
    const auto [queued, index] = shares_.back();
    shares_.pop_back();
    if (filling(index).open == 0) continue;
    if (const double now = share(index); now > queued) {
      shares_.emplace_back(now, index);
      std::ranges::push_heap(shares_, std::greater{});
      continue;
    }
    const int level_index = level_at(index, priority);
    level(level_index).next_rate = queued;
    level(level_index).mark = mark_;
    for (const std::uint32_t crossing : link(index).flows) {
      Flow& filled = flow(static_cast<int>(crossing / 8));
      if (filled.mark != mark_ || filled.priority != priority || filled.next_level != kNone) continue;
      filled.next_level = level_index;
      for (const int each : filled.links())
        if (in_region(each)) {
          filling(each).residual -= queued;
          --filling(each).open;
        }
    }
  }
}

template <class Visit>
void FlowNetwork::for_levels_of(int index, Visit visit) {
  visit(link(index).level);
  for (const int other : link(index).other_levels) visit(other);
}

template <class Visit>
void FlowNetwork::for_levels(const std::vector<int>& links, Visit visit) {
  for (const int each : links) for_levels_of(each, visit);
}

/// Whether the flows outside the region leave a link too little to be content with their rates.
bool FlowNetwork::disturbs_others(int index) {
  bool disturbs = false;
  for_levels_of(index, [&](int its) {
    const Level& filled = level(its);
    if (filled.mark != mark_) return;
    disturbs = disturbs || std::ranges::any_of(link(index).flows, [&](std::uint32_t crossing) {
                 const Flow& other = flow(static_cast<int>(crossing / 8));
                 if (other.mark == mark_ || other.priority > filled.priority) return false;
                 return level(other.level).rate > (other.priority == filled.priority ? filled.next_rate : 0.0);
               });
  });
  return disturbs;
}

/// Gives the region's levels their ceilings. Whether the region has to grow, and does: by the flows on a partial link
/// that have more than the region's, and by loose links that could become too full.
bool FlowNetwork::grow(Region& region) {
  const std::size_t before = region.whole.size() + region.partial.size();
  std::ranges::copy_if(partial_links_, std::back_inserter(region.whole),
                       [this](int each) { return disturbs_others(each); });
  const auto set_next_ceiling = [this](int index) {
    Level& its = level(index);
    if (its.mark == mark_) its.next_ceiling = ceiling_for(its.next_rate, its.ceiling, link(its.link).capacity);
  };
  for_levels(whole_links_, set_next_ceiling);
  for_levels(partial_links_, set_next_ceiling);
  outside_links_.clear();
  for (const int index : region_flows_) {
    const Flow& its = flow(index);
    const double change = level(its.next_level).next_ceiling - old_ceiling(its);
    for (const int each : its.links()) {
      if (link(each).mark == mark_) continue;
      if (std::exchange(link(each).outside_mark, mark_) != mark_) {
        outside_links_.push_back(each);
        filling(each).load_change = 0.0;
      }
      filling(each).load_change += change;
    }
  }
  std::ranges::copy_if(outside_links_, std::back_inserter(region.partial), [this](int each) {
    return filling(each).load_change > 0.0 && link(each).load + filling(each).load_change > link(each).capacity;
  });
  return region.whole.size() + region.partial.size() > before;
}

void FlowNetwork::commit(double now) {
  const auto for_all_levels = [this](auto visit) {
    for_levels(whole_links_, visit);
    for_levels(partial_links_, visit);
  };
  for_all_levels([&](int index) { advance(level(index), now); });
  for (const int each : outside_links_) add_load(each, filling(each).load_change);
  for (const int each : whole_links_) link(each).load = 0.0;
  for (const int index : region_flows_) {
    Flow& moved = flow(index);
    const Level& next = level(moved.next_level);
    for (const int each : moved.links()) {
      if (link(each).mark != mark_) continue;
      // A partial link had no members, so that the old ceiling counted.
      const double before = filling(each).is_partial ? old_ceiling(moved) : 0.0;
      link(each).load += (each == next.link ? 0.0 : next.next_ceiling) - before;
    }
    if (moved.level == moved.next_level) continue;
    if (moved.level != kNone) moved.finish = std::max(moved.finish - level(moved.level).clock, 0.0);
    moved.finish += next.clock;
  }
  for_all_levels([&](int index) {
    Level& its = level(index);
    link(its.link).members = 0;
    its.heap.clear();
    its.tight = its.coupled = 0;
    if (its.mark != mark_) return;
    its.rate = its.next_rate;
    its.ceiling = its.next_ceiling;
  });
  for (const int index : region_flows_) {
    Flow& moved = flow(index);
    moved.level = moved.next_level;
    Level& its = level(moved.level);
    its.heap.push_back({moved.finish, moved.order, index});
    ++link(its.link).members;
  }
  settle_states();
  for_all_levels([&](int index) {
    Level& its = level(index);
    std::make_heap(its.heap.begin(), its.heap.end());
    if (!its.heap.empty() && its.clock > its.rebase_at) rebase(its);
    schedule(index);
  });
}

/// The states of the region's links, and how many of each the levels' members cross elsewhere.
void FlowNetwork::settle_states() {
  for (const int each : whole_links_) link(each).state = state_of(link(each));
  for (const int each : partial_links_) {
    const State before = std::exchange(link(each).state, state_of(link(each)));
    if (before == link(each).state) continue;
    for (const std::uint32_t crossing : link(each).flows)
      if (const Flow& other = flow(static_cast<int>(crossing / 8)); other.mark != mark_) {
        count(level(other.level), before, -1);
        count(level(other.level), link(each).state, 1);
      }
  }
  for (const int index : region_flows_) {
    Level& its = level(flow(index).level);
    for (const int each : flow(index).links())
      if (each != its.link) count(its, link(each).state, 1);
  }
}

}  // namespace stagger
