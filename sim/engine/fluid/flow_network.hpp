// Flows that share links, as fluids: at every instant their rates are the max-min fair ones, and each flow ends exactly
// when its bytes are through.
//
// Max-min fairness (Bertsekas & Gallager, "Data Networks", 2nd ed. 1992, section 6.5.2): no flow can get more but at
// the cost of one that has no more than itself. Equivalent: every flow has a bottleneck, a saturated link on which no
// flow is faster. Strict priority: flows of a higher priority share the links as if there were no others; the next
// lower ones share what is left, and may stand still.
//
// Algorithm. The flows with the same bottleneck (and priority) are the members of a level: they have the same rate r. A
// level has a virtual clock that runs at r, so that a member's end is a constant on that clock (Parekh & Gallager, "A
// generalized processor sharing approach to flow control", IEEE/ACM Trans. Networking 1, 1993), kept in a heap. The
// next end of all is the top of a heap of levels.
//
// Which links need no thought? Each level has a ceiling >= r. A link without members whose flows' ceilings add up to at
// most its capacity is loose: it limits nobody, whatever happens below the ceilings. Ceilings are powers of 2, or the
// capacity, and follow r with a hysteresis, so that setting one, O(n), comes about once in n/2 arrivals or departures.
// A link without members that is not loose is tight: its load has to be added up, O(flows on it), when a rate on it
// rises. While an arrival or departure touches one level whose link carries only that level's flows, and no saturated
// link elsewhere, all rates follow from one division, n members on capacity C: r = C / n. That costs O(log n), and O(n)
// while members cross tight links.
//
// Everything else is solved anew for a region: all flows that can be reached from the changed links over saturated
// links, by progressive filling (same book), O(k log k) for k crossings of flows and links in the region. On tight
// links the other flows keep their rates; where that would take too much from them, or a loose link could become too
// full, the region grows by it.
//
// Invariants between calls:
//   * every flow is a member of one level, at one of its links; rates are max-min fair to about 1e-15
//   * load of a link = sum of the ceilings of the flows on it that are not its members
//   * a level's `tight` and `coupled` = number of tight and of saturated links that its members cross elsewhere
// A flow's bytes are kept to about 64 * 2^-53 of the longest at its level: clocks start at 0 again before they get
// long. Equal times come in the order of links, then of starts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/engine/fluid/event_heap.hpp"

namespace stagger {

class FlowNetwork {
 public:
  static constexpr std::size_t kMostHops = 6;

  /// Returns the link's index, counted from 0. `capacity`: bytes/s, >= 0. A limit of one flow is a link that it has for
  /// itself.
  int add_link(double capacity);

  /// Starts a flow and returns its number. Requires: 1 to kMostHops different links of finite capacity; bytes > 0;
  /// `now` not before the last call and not after next_end(). Higher priorities go first.
  int start(double now, std::span<const int> route, double bytes, int priority = 0);
  struct Capacity {
    int link;
    double capacity;
  };
  /// From `now` on; flows under way too.
  void set_capacities(double now, std::span<const Capacity> changes);

  /// No flow is under way.
  bool empty() const { return flows_.size() == free_flows_.size(); }
  /// When the next flow ends; infinity: never.
  double next_end() const { return events_.top_time(); }
  /// Ends it and returns its number, which a later flow may get again.
  int end_next();

  /// Bytes that a flow under way still has to send.
  double remaining(int flow, double now) const;
  /// bytes/s
  double rate(int flow) const;

 private:
  static constexpr int kNone = -1;

  /// loose: limits nobody below the ceilings; tight: it might, and has no members; saturated: it has members.
  enum class State : std::uint8_t { loose, tight, saturated };
  struct Link {
    double capacity = 0.0;
    double load = 0.0;
    int members = 0;
    int level = 0;              // of priority 0
    std::uint32_t changes = 0;  // of the load since it was last added up
    std::uint32_t mark = 0, outside_mark = 0;
    State state = State::loose;
    std::vector<int> other_levels{};     // of other priorities
    std::vector<std::uint32_t> flows{};  // on it: flow * 8 + hop
  };
  struct Member {
    double finish;        // on the level's clock
    std::uint32_t order;  // of starts
    int flow;
    bool operator<(const Member& other) const {  // a heap has its largest on top
      return finish > other.finish || (finish == other.finish && static_cast<std::int32_t>(order - other.order) > 0);
    }
  };
  struct Level {
    int link = 0;
    int priority = 0;
    double rate = 0.0;   // of each member
    double clock = 0.0;  // bytes that each member has got, at `since`
    double since = 0.0;
    double ceiling = 0.0;
    double rebase_at = 0.0;
    int tight = 0, coupled = 0;
    std::uint32_t mark = 0;
    double next_rate = 0.0;     // only during solve()
    double next_ceiling = 0.0;  // only during solve()
    std::vector<Member> heap{};
  };
  struct Flow {
    double finish = 0.0;  // on the level's clock; before it has a level: its bytes
    int level = kNone;
    int next_level = kNone;  // only during solve()
    int priority = 0;
    std::uint32_t order = 0;
    std::uint32_t mark = 0;
    std::uint32_t hops = 0;
    std::array<int, kMostHops> route{};
    std::array<std::uint32_t, kMostHops> places{};  // in flows of the links
    std::span<const int> links() const { return {route.data(), hops}; }
  };

  /// What is solved anew: all flows on the whole links, and `flow`. On partial links, flows outside keep their rates.
  struct Region {
    std::vector<int> whole{}, partial{};
    int flow = kNone;
  };
  struct Filling {
    double residual = 0.0;
    double load_change = 0.0;  // of a link outside the region
    int open = 0;              // flows without a rate yet
    bool is_partial = false;
  };

  Link& link(int index) { return links_[static_cast<std::size_t>(index)]; }
  Level& level(int index) { return levels_[static_cast<std::size_t>(index)]; }
  Flow& flow(int index) { return flows_[static_cast<std::size_t>(index)]; }

  static double ceiling_for(double rate, double ceiling, double capacity);
  double old_ceiling(const Flow& its) { return its.level == kNone ? 0.0 : level(its.level).ceiling; }
  Filling& filling(int index) { return filling_[static_cast<std::size_t>(index)]; }
  int level_at(int link, int priority);
  int new_flow();
  void cross(int index);
  void uncross(int index);
  void add_load(int link, double change);
  void refresh_load(int link);
  int narrowest(std::span<const int> route);
  Region around(std::span<const int> route);
  State state_of(const Link& link);
  void set_state(int link, State state);
  void count(Level& level, State state, int change);
  bool has_room(int link, const Level& changed, double rate, double more = 0.0);
  bool join_alone(double now, int index);
  bool leave_alone(Level& left, const Flow& ended);
  void push(Level& level, int index);
  void set_ceiling(Level& level, double ceiling);
  std::vector<int> overloaded(const Level& level);
  void advance(Level& level, double now);
  void schedule(int index);
  void rebase(Level& level);

  template <class Visit>
  void for_levels_of(int link, Visit visit);
  template <class Visit>
  void for_levels(const std::vector<int>& links, Visit visit);
  void solve(double now, Region region);
  void find_flows(const Region& region);
  void fill(int priority);
  bool disturbs_others(int link);
  bool grow(Region& region);
  void commit(double now);
  void settle_states();

  std::vector<Link> links_;
  std::vector<Level> levels_;
  std::vector<Flow> flows_;
  std::vector<int> free_flows_;
  EventHeap events_;  // of levels
  std::uint32_t starts_ = 0;

  // Only during solve().
  std::uint32_t mark_ = 0;
  std::vector<int> region_flows_, whole_links_, partial_links_, outside_links_, priorities_;
  std::vector<std::pair<double, int>> shares_;
  std::vector<Filling> filling_;  // by link
};

}  // namespace stagger
