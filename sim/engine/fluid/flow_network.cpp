#include "sim/engine/fluid/flow_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stagger {
namespace {

constexpr double kNever_s = std::numeric_limits<double>::infinity();

}  // namespace

// ---- links, flows, levels -------------------------------------------------------------------------------------------

int FlowNetwork::add_link(double capacity) {
  const int index = static_cast<int>(links_.size());
  links_.push_back({.capacity = capacity, .level = static_cast<int>(levels_.size())});
  levels_.push_back({.link = index});
  filling_.emplace_back();
  return index;
}

int FlowNetwork::level_at(int index, int priority) {
  if (priority == 0) return link(index).level;
  for (const int each : link(index).other_levels)
    if (level(each).priority == priority) return each;
  levels_.push_back({.link = index, .priority = priority});
  return link(index).other_levels.emplace_back(static_cast<int>(levels_.size()) - 1);
}

int FlowNetwork::new_flow() {
  if (free_flows_.empty()) {
    flows_.emplace_back();
    return static_cast<int>(flows_.size()) - 1;
  }
  const int index = free_flows_.back();
  free_flows_.pop_back();
  return index;
}

/// Enters a flow on its links.
void FlowNetwork::cross(int index) {
  Flow& entering = flow(index);
  for (std::uint32_t hop = 0; hop < entering.hops; ++hop) {
    auto& flows = link(entering.route[hop]).flows;
    entering.places[hop] = static_cast<std::uint32_t>(flows.size());
    flows.push_back(static_cast<std::uint32_t>(index) * 8 + hop);
  }
}

void FlowNetwork::uncross(int index) {
  const Flow& leaving = flow(index);
  for (std::uint32_t hop = 0; hop < leaving.hops; ++hop) {
    auto& flows = link(leaving.route[hop]).flows;
    const std::uint32_t last = flows.back();
    flows[leaving.places[hop]] = last;
    flow(static_cast<int>(last / 8)).places[last % 8] = leaving.places[hop];
    flows.pop_back();
  }
}

void FlowNetwork::add_load(int index, double change) {
  Link& changed = link(index);
  changed.load += change;
  ++changed.changes;
  if (changed.flows.empty()) changed.load = 0.0;
}

/// Adds the load up again from time to time, against the drift of rounding.
void FlowNetwork::refresh_load(int index) {
  Link& refreshed = link(index);
  if (refreshed.changes < 1U << 20U) return;
  refreshed.changes = 0;
  refreshed.load = 0.0;
  for (const std::uint32_t each : refreshed.flows)
    if (const Level& its = level(flow(static_cast<int>(each / 8)).level); its.link != index)
      refreshed.load += its.ceiling;
}

/// Of the links that a flow is to cross, the one that would give it least if it were shared equally.
int FlowNetwork::narrowest(std::span<const int> route) {
  return *std::ranges::min_element(
      route, {}, [this](int each) { return link(each).capacity / static_cast<double>(link(each).flows.size() + 1); });
}

void FlowNetwork::advance(Level& moved, double now) {
  moved.clock += moved.rate * (now - moved.since);
  moved.since = now;
}

void FlowNetwork::schedule(int index) {
  Level& next = level(index);
  if (next.heap.empty()) {
    next.clock = next.rate = next.ceiling = next.rebase_at = 0.0;
    return events_.set(index, kNever_s);
  }
  const double left = next.heap.front().finish - next.clock;
  events_.set(index, left <= 0.0 ? next.since : next.rate > 0.0 ? next.since + left / next.rate : kNever_s);
}

void FlowNetwork::push(Level& entered, int index) {
  entered.heap.push_back({flow(index).finish, flow(index).order, index});
  std::push_heap(entered.heap.begin(), entered.heap.end());
}

/// Lets the clock start at 0 again.
void FlowNetwork::rebase(Level& rebased) {
  double longest = 0.0;
  for (Member& member : rebased.heap) {  // subtracting the same from all keeps the heap's order
    member.finish = std::max(member.finish - rebased.clock, 0.0);
    flow(member.flow).finish = member.finish;
    longest = std::max(longest, member.finish);
  }
  rebased.clock = 0.0;
  rebased.rebase_at = 64.0 * longest;
}

// ---- one level changes ----------------------------------------------------------------------------------------------

/// The ceiling that goes with a rate, given the one before.
double FlowNetwork::ceiling_for(double rate, double ceiling, double capacity) {
  if (rate <= ceiling && rate >= ceiling / 4.0) return ceiling;
  int exponent = 0;
  const double fraction = std::frexp(rate, &exponent);  // in [0.5, 1)
  return std::min(std::ldexp(fraction == 0.5 ? 0.5 : 1.0, exponent), capacity);
}

/// The links without members that a level's members cross and that could become too full.
std::vector<int> FlowNetwork::overloaded(const Level& its) {
  std::vector<int> full;
  for (const Member& member : its.heap)
    for (const int each : flow(member.flow).links())
      if (each != its.link && link(each).members == 0 && link(each).load > link(each).capacity) full.push_back(each);
  return full;
}

void FlowNetwork::set_ceiling(Level& changed, double ceiling) {
  const double change = ceiling - std::exchange(changed.ceiling, ceiling);
  if (change == 0.0) return;
  for (const Member& member : changed.heap)
    for (const int each : flow(member.flow).links())
      if (each != changed.link) add_load(each, change);
}

/// What has to be solved anew when a flow comes to, or goes from, links that are not all loose.
FlowNetwork::Region FlowNetwork::around(std::span<const int> route) {
  Region region;
  for (const int each : route)
    if (link(each).state != State::loose)
      (link(each).state == State::saturated ? region.whole : region.partial).push_back(each);
  return region;
}

FlowNetwork::State FlowNetwork::state_of(const Link& asked) {
  return asked.members > 0 ? State::saturated : asked.load > asked.capacity ? State::tight : State::loose;
}

void FlowNetwork::count(Level& its, State state, int change) {
  if (state == State::tight) its.tight += change;
  if (state == State::saturated) its.coupled += change;
}

/// Of a link without members, before and after.
void FlowNetwork::set_state(int index, State state) {
  const State before = std::exchange(link(index).state, state);
  if (before == state) return;
  for (const std::uint32_t crossing : link(index).flows) {
    Level& its = level(flow(static_cast<int>(crossing / 8)).level);
    count(its, before, -1);
    count(its, state, 1);
  }
}

/// Whether a link without members has room, not only below the ceilings but in fact, when the members of `changed` get
/// `rate`, and for `more`.
bool FlowNetwork::has_room(int index, const Level& changed, double rate, double more) {
  double load = more;
  for (const std::uint32_t crossing : link(index).flows) {
    const Level& its = level(flow(static_cast<int>(crossing / 8)).level);
    load += &its == &changed ? rate : its.rate;
  }
  return load <= link(index).capacity;
}

/// Whether a flow that is not yet on its links can join one level so that nothing else changes; does it if so.
bool FlowNetwork::join_alone(double now, int index) {
  Flow& joining = flow(index);
  int at = kNone;
  for (const int each : joining.links())
    if (link(each).state == State::saturated) {
      if (at != kNone) return false;
      at = each;
    }
  if (at == kNone) at = narrowest(joining.links());
  const int level_index = level_at(at, joining.priority);
  Level& joined = level(level_index);
  Link& bottleneck = link(at);
  if (joined.coupled > 0 || joined.heap.size() != bottleneck.flows.size()) return false;
  const double rate = bottleneck.capacity / static_cast<double>(joined.heap.size() + 1);
  const double ceiling = ceiling_for(rate, joined.ceiling, bottleneck.capacity);
  for (const int each : joining.links())
    if (each != at && link(each).load + ceiling > link(each).capacity && !has_room(each, joined, rate, rate))
      return false;

  advance(joined, now);
  joined.rate = rate;
  set_ceiling(joined, ceiling);
  joining.level = level_index;
  joining.finish += joined.clock;
  bottleneck.state = State::saturated;
  ++bottleneck.members;
  push(joined, index);
  cross(index);
  for (const int each : joining.links())
    if (each != at) {
      count(joined, link(each).state, 1);
      add_load(each, ceiling);
      set_state(each, state_of(link(each)));
    }
  schedule(level_index);
  return true;
}

/// Whether the level from which a flow has just ended goes on so that nothing else changes.
bool FlowNetwork::leave_alone(Level& left, const Flow& ended) {
  Link& bottleneck = link(left.link);
  const auto is_foreign = [&](int each) { return each != left.link && link(each).state == State::saturated; };
  if (left.coupled > 0 || left.heap.size() != bottleneck.flows.size() || std::ranges::any_of(ended.links(), is_foreign))
    return false;
  for (const int each : ended.links())
    if (each != left.link) set_state(each, state_of(link(each)));
  if (left.heap.empty()) {
    bottleneck.state = State::loose;
    return true;
  }
  if (left.clock > left.rebase_at) rebase(left);
  left.rate = bottleneck.capacity / static_cast<double>(left.heap.size());
  const double ceiling = ceiling_for(left.rate, left.ceiling, bottleneck.capacity);
  if (left.tight == 0 && ceiling == left.ceiling) return true;
  set_ceiling(left, ceiling);
  const std::vector<int> full = overloaded(left);
  if (!std::ranges::all_of(full, [&](int each) { return has_room(each, left, left.rate); })) return false;
  for (const int each : full) set_state(each, State::tight);
  return true;
}

int FlowNetwork::start(double now, std::span<const int> route, double bytes, int priority) {
  const int index = new_flow();
  Flow& started = flow(index);
  started = {
      .finish = bytes, .priority = priority, .order = starts_++, .hops = static_cast<std::uint32_t>(route.size())};
  std::ranges::copy(route, started.route.begin());
  for (const int each : route) refresh_load(each);
  if (join_alone(now, index)) return index;
  Region region = around(route);
  if (region.whole.empty() && region.partial.empty()) region.partial.push_back(narrowest(route));
  region.flow = index;
  cross(index);
  solve(now, std::move(region));
  return index;
}

int FlowNetwork::end_next() {
  const int level_index = events_.top();
  Level& left = level(level_index);
  const double now = events_.top_time();
  const int index = left.heap.front().flow;
  left.clock = left.heap.front().finish;
  left.since = now;
  std::pop_heap(left.heap.begin(), left.heap.end());
  left.heap.pop_back();
  Flow& ended = flow(index);
  ended.level = kNone;
  --link(left.link).members;
  uncross(index);
  for (const int each : ended.links())
    if (each != left.link) {
      count(left, link(each).state, -1);
      add_load(each, -left.ceiling);
    }
  free_flows_.push_back(index);
  if (leave_alone(left, ended)) {
    schedule(level_index);
  } else {
    Region region = around(ended.links());
    region.whole.push_back(left.link);
    const std::vector<int> full = overloaded(left);
    region.partial.insert(region.partial.end(), full.begin(), full.end());
    solve(now, std::move(region));
  }
  return index;
}

void FlowNetwork::set_capacities(double now, std::span<const Capacity> changes) {
  Region region;
  for (const auto& [index, capacity] : changes) {
    Link& changed = link(index);
    changed.capacity = capacity;
    if (changed.flows.empty() || (changed.state == State::loose && changed.load <= capacity)) continue;
    region.whole.push_back(index);
  }
  if (!region.whole.empty()) solve(now, std::move(region));
}

double FlowNetwork::remaining(int index, double now) const {
  const Flow& asked = flows_[static_cast<std::size_t>(index)];
  const Level& its = levels_[static_cast<std::size_t>(asked.level)];
  return std::max(0.0, asked.finish - (its.clock + its.rate * (now - its.since)));
}

double FlowNetwork::rate(int index) const {
  return levels_[static_cast<std::size_t>(flows_[static_cast<std::size_t>(index)].level)].rate;
}

}  // namespace stagger
