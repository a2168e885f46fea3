// Max-min fair rates and ends of flows, against progressive filling as textbooks have it and against hand calculations.
#include "sim/engine/fluid/flow_network.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

namespace stagger {
namespace {

struct Sent {
  std::vector<int> route;
  int priority = 0;
  double left = 0.0;  // bytes
};

/// Bertsekas & Gallager 1992, section 6.5.2, one priority after the other: raise all rates together until a link is
/// full, fix the flows on it, go on with the others.
std::map<int, double> textbook_rates(std::vector<double> left, const std::map<int, Sent>& flows) {
  std::map<int, double> rates;
  std::vector<int> priorities;
  for (const auto& [id, flow] : flows) priorities.push_back(flow.priority);
  std::ranges::sort(priorities, std::greater{});
  for (const int priority : priorities) {
    for (;;) {
      std::vector<int> open(left.size(), 0);
      for (const auto& [id, flow] : flows)
        if (flow.priority == priority && !rates.contains(id))
          for (const int link : flow.route) ++open[static_cast<std::size_t>(link)];
      double least = std::numeric_limits<double>::infinity();
      std::size_t full = 0;
      for (std::size_t l = 0; l < left.size(); ++l)
        if (open[l] > 0 && left[l] / open[l] < least) least = left[full = l] / open[l];
      if (!std::isfinite(least)) break;
      for (const auto& [id, flow] : flows)
        if (flow.priority == priority && !rates.contains(id) &&
            std::ranges::find(flow.route, static_cast<int>(full)) != flow.route.end()) {
          rates[id] = least;
          for (const int link : flow.route)
            left[static_cast<std::size_t>(link)] = std::max(0.0, left[static_cast<std::size_t>(link)] - least);
        }
    }
  }
  return rates;
}

/// The network beside the textbook's: the same starts, ends and changes; ends at the same times.
class Pair {
 public:
  explicit Pair(std::vector<double> capacities) : capacities_(std::move(capacities)) {
    for (const double capacity : capacities_) network_.add_link(capacity);
  }

  void start(const std::vector<int>& route, double bytes, int priority = 0) {
    const int id = network_.start(now_, route, bytes, priority);
    EXPECT_FALSE(flows_.contains(id));
    flows_[id] = {route, priority, bytes};
    sent_ += bytes;
    compare();
  }
  void set_capacity(int link, double capacity) {
    network_.set_capacities(now_, std::array{FlowNetwork::Capacity{link, capacity}});
    capacities_[static_cast<std::size_t>(link)] = capacity;
    compare();
  }
  /// The textbook's next end, and the network's, which must be the same flow unless two end together.
  void end() {
    double time = std::numeric_limits<double>::infinity();
    for (const auto& [id, flow] : flows_)
      if (rates_[id] > 0.0) time = std::min(time, now_ + flow.left / rates_[id]);
    ASSERT_NEAR(network_.next_end(), time, 1e-9 * std::max(1.0, time));
    wait_until(network_.next_end());
    const int id = network_.end_next();
    ASSERT_TRUE(flows_.contains(id));
    EXPECT_NEAR(flows_[id].left, 0.0, 1e-9 * sent_);
    flows_.erase(id);
    compare();
  }
  void wait_until(double time) {
    for (auto& [id, flow] : flows_) {
      flow.left -= rates_[id] * (time - now_);
      EXPECT_NEAR(network_.remaining(id, time), flow.left, 1e-9 * sent_);
      EXPECT_GE(network_.remaining(id, time), 0.0);
    }
    now_ = time;
  }
  double now() const { return now_; }
  double next_end() const { return network_.next_end(); }
  std::size_t flows() const { return flows_.size(); }
  double rate(int id) const { return network_.rate(id); }

 private:
  void compare() {
    rates_ = textbook_rates(capacities_, flows_);
    for (const auto& [id, rate] : rates_) {
      double widest = 0.0;
      for (const int link : flows_[id].route) widest = std::max(widest, capacities_[static_cast<std::size_t>(link)]);
      ASSERT_NEAR(network_.rate(id), rate, 1e-12 * widest) << "flow " << id << " of " << flows_.size();
    }
  }

  FlowNetwork network_;
  std::vector<double> capacities_;
  std::map<int, Sent> flows_;
  std::map<int, double> rates_;
  double now_ = 0.0;
  double sent_ = 0.0;
};

std::vector<int> random_route(std::mt19937& random, int links, int hops) {
  std::vector<int> all(static_cast<std::size_t>(links));
  std::iota(all.begin(), all.end(), 0);
  std::ranges::shuffle(all, random);
  all.resize(static_cast<std::size_t>(std::min(hops, links)));
  return all;
}

struct Shape {
  const char* name;
  int links, hops, most_flows, priorities;
  bool capacities_change;
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class RandomFlows : public testing::TestWithParam<Shape> {};

TEST_P(RandomFlows, HaveTheTextbooksRatesAndEnds) {
  const Shape& shape = GetParam();
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int most) { return std::uniform_int_distribution(1, most)(random); };
    // Few different capacities make many ties.
    const auto capacity = [&] { return seed % 2 == 0 ? std::exp2(pick(4)) : std::exp(0.01 * pick(700)); };
    std::vector<double> capacities(static_cast<std::size_t>(shape.links));
    std::ranges::generate(capacities, capacity);
    Pair pair(capacities);
    for (int event = 0; event < 400 && !testing::Test::HasFatalFailure(); ++event) {
      const int dice = pick(10);
      if (shape.capacities_change && dice == 1) {
        pair.set_capacity(pick(shape.links) - 1, pick(5) == 1 ? 0.0 : capacity());
      } else if (static_cast<int>(pair.flows()) < pick(shape.most_flows)) {
        if (dice < 5 && std::isfinite(pair.next_end()))
          pair.wait_until(pair.now() + 0.1 * dice * (pair.next_end() - pair.now()));
        pair.start(random_route(random, shape.links, pick(shape.hops)), std::exp(0.01 * pick(900)),
                   pick(shape.priorities) - 1);
      } else if (std::isfinite(pair.next_end())) {
        pair.end();
      }
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomFlows,
                         testing::Values(Shape{"one_link", 1, 1, 40, 1, false}, Shape{"few_links", 4, 2, 20, 1, false},
                                         Shape{"many_links", 40, 2, 60, 1, false},
                                         Shape{"long_routes", 12, 6, 30, 1, false},
                                         Shape{"crowded", 6, 3, 120, 1, false}, Shape{"priorities", 8, 3, 30, 3, false},
                                         Shape{"changing", 8, 3, 30, 1, true},
                                         Shape{"all_together", 10, 4, 40, 4, true}),
                         [](const auto& shape) { return std::string(shape.param.name); });

// 64 workers' links beside 8 servers', as in a star: nearly always one bottleneck a flow.
TEST(FlowNetwork, AStarHasTheTextbooksRatesAndEnds) {
  std::vector<double> capacities(8 + 64, 1.0);
  std::mt19937 random(1);
  Pair pair(capacities);
  for (int event = 0; event < 3000 && !testing::Test::HasFatalFailure(); ++event) {
    if (pair.flows() < 200 && random() % 2 == 0)
      pair.start({static_cast<int>(random() % 8), static_cast<int>(8 + random() % 64)}, 1.0);
    else if (pair.flows() > 0)
      pair.end();
  }
}

// Two flows on A (10), one of them also on B (4): B limits it to 4, the other gets 6. After 1 s B widens to 20: both
// get 5. The first has 46 - 4 = 42 bytes left and ends 8.4 s later, at 9.4 s; the other, with 100 - 6 - 42 = 52, is
// then alone at 10 and ends at 14.6 s.
TEST(FlowNetwork, FollowsAChangeOfCapacity) {
  FlowNetwork network;
  const int a = network.add_link(10.0);
  const int b = network.add_link(4.0);
  const int first = network.start(0.0, std::vector{a, b}, 46.0);
  const int second = network.start(0.0, std::vector{a}, 100.0);
  EXPECT_DOUBLE_EQ(network.rate(first), 4.0);
  EXPECT_DOUBLE_EQ(network.rate(second), 6.0);
  network.set_capacities(1.0, std::array{FlowNetwork::Capacity{b, 20.0}});
  EXPECT_DOUBLE_EQ(network.rate(first), 5.0);
  EXPECT_DOUBLE_EQ(network.next_end(), 9.4);
  EXPECT_EQ(network.end_next(), first);
  EXPECT_DOUBLE_EQ(network.next_end(), 14.6);
  EXPECT_EQ(network.end_next(), second);
  EXPECT_EQ(network.next_end(), std::numeric_limits<double>::infinity());
}

// 10 bytes at 1 a second; after 4 s a more important flow of 3 bytes takes the whole link until 7 s; the other ends at
// 13 s.
TEST(FlowNetwork, AHigherPriorityPreempts) {
  FlowNetwork network;
  const std::vector link{network.add_link(1.0)};
  const int low = network.start(0.0, link, 10.0, -1);
  const int high = network.start(4.0, link, 3.0);
  EXPECT_EQ(network.rate(low), 0.0);
  EXPECT_DOUBLE_EQ(network.next_end(), 7.0);
  EXPECT_EQ(network.end_next(), high);
  EXPECT_DOUBLE_EQ(network.next_end(), 13.0);
  EXPECT_EQ(network.end_next(), low);
}

TEST(FlowNetwork, EqualEndsComeInTheOrderOfLinksAndStarts) {
  FlowNetwork network;
  const int a = network.add_link(1.0);
  const int b = network.add_link(1.0);
  std::vector<int> started;
  for (const int link : {b, a, a, b}) started.push_back(network.start(0.0, std::vector{link}, 1.0));
  std::vector<int> ended;
  while (std::isfinite(network.next_end())) ended.push_back(network.end_next());
  EXPECT_EQ(ended, (std::vector{started[1], started[2], started[0], started[3]}));
}

// A link that is never idle: n equal flows, each replaced by another of the same size as it ends. n flows of 1 byte on
// a link of 1 byte/s leave one a second, exactly, however long that goes on. Each end is rounded to a double, half a
// unit in the last place: a random walk, but no more.
void expect_no_drift(int ends, double tolerance) {
  FlowNetwork network;
  const std::vector link{network.add_link(1.0)};
  constexpr int kFlows = 3;
  for (int i = 0; i < kFlows; ++i) network.start(0.25 * i, link, 1.0);
  double last = network.next_end();
  for (int i = 0; i < ends; ++i) {
    network.end_next();
    network.start(last, link, 1.0);
    for (int flow = 0; flow < kFlows; ++flow) ASSERT_LE(network.remaining(flow, last), 1.0);
    last = network.next_end();
  }
  // Bytes through until the last end: all that were started but what is left.
  double left = 0.0;
  for (int flow = 0; flow < kFlows; ++flow) left += network.remaining(flow, last);
  EXPECT_NEAR(static_cast<double>(ends) + kFlows - left, last, tolerance);
}

TEST(FlowNetwork, DoesNotDriftOnALinkThatIsNeverIdle) { expect_no_drift(3'000'000, 1e-8); }

// A start and an end each. Times near 5e8 s have a unit of 6e-8 s in the last place, 1.7e-8 in the root mean square of
// the rounding: times the root of 5e8, and 6 of that.
TEST(NightlyFlowNetwork, DoesNotDriftInAThousandMillionEvents) { expect_no_drift(500'000'000, 2.4e-3); }

}  // namespace
}  // namespace stagger
