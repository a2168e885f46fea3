// Max-min fair sharing on link graphs of any shape, beside SimGrid itself: no actors, no clusters, nothing of Stagger
// but the flow network.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <simgrid/s4u.hpp>

#include "sim/base/child_process.hpp"
#include "sim/engine/fluid/flow_network.hpp"

namespace stagger {
namespace {

namespace sg = simgrid::s4u;

/// Flows without end on links of these capacities, bytes/s; each crosses the links of its route.
struct Graph {
  std::vector<double> capacities;
  std::vector<std::vector<int>> routes;
};

Graph random_graph(unsigned seed) {
  std::mt19937 random(seed);
  Graph graph;
  const int links = 2 + static_cast<int>(random() % 30);
  for (int i = 0; i < links; ++i) graph.capacities.push_back(std::uniform_real_distribution(1e6, 1e8)(random));
  std::vector<int> all(graph.capacities.size());
  std::iota(all.begin(), all.end(), 0);
  const std::size_t flows = 1 + random() % 60;
  for (std::size_t i = 0; i < flows; ++i) {
    const auto hops =
        static_cast<std::ptrdiff_t>(1 + random() % std::min<std::size_t>(all.size(), FlowNetwork::kMostHops));
    std::shuffle(all.begin(), all.end(), random);
    graph.routes.emplace_back(all.begin(), all.begin() + hops);
  }
  return graph;
}

/// What each flow of a graph has sent in a second.
std::vector<double> simgrid_rates(const Graph& graph) {
  std::array arguments{std::string("test"), std::string("--log=root.thres:critical")};
  std::array<char*, 3> argv{arguments[0].data(), arguments[1].data(), nullptr};
  int argc = 2;
  sg::Engine engine(&argc, argv.data());
  sg::Engine::set_config("network/model", std::string("CM02"));
  sg::Engine::set_config("network/crosstraffic", false);
  sg::Engine::set_config("maxmin/precision", 1e-12);
  auto* zone = sg::create_full_zone("graph");
  std::vector<const sg::Link*> links;
  for (std::size_t i = 0; i < graph.capacities.size(); ++i)
    links.push_back(zone->create_link(fmt::format("link-{}", i), graph.capacities[i])->seal());
  std::vector<std::pair<sg::Host*, sg::Host*>> ends;
  for (std::size_t i = 0; i < graph.routes.size(); ++i) {
    sg::Host* from = zone->create_host(fmt::format("from-{}", i), 1.0);
    sg::Host* to = zone->create_host(fmt::format("to-{}", i), 1.0);
    std::vector<sg::LinkInRoute> route;
    for (const int link : graph.routes[i]) route.emplace_back(links[static_cast<std::size_t>(link)]);
    zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
    ends.emplace_back(from, to);
  }
  zone->seal();
  std::vector<double> rates;
  constexpr std::uint64_t kEndless = 1'000'000'000;
  sg::Actor::create("starter", ends.front().first, [&] {
    std::vector<sg::CommPtr> flows;
    for (const auto& [from, to] : ends) flows.push_back(sg::Comm::sendto_async(from, to, kEndless));
    sg::this_actor::sleep_for(1.0);
    for (const auto& flow : flows) rates.push_back(static_cast<double>(kEndless) - flow->get_remaining());
    for (const auto& flow : flows) flow->cancel();
  });
  engine.run();
  return rates;
}

// To 1e-9 of the widest link of each flow's route.
TEST(Sharing, OfRandomGraphsIsThatOfSimGrid) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    const Graph graph = random_graph(seed);
    const ChildOutcome child = run_in_child([&] { return nlohmann::json(simgrid_rates(graph)).dump(); });
    ASSERT_TRUE(child.succeeded) << child.error;
    const auto rates = nlohmann::json::parse(child.output).get<std::vector<double>>();
    ASSERT_EQ(rates.size(), graph.routes.size());
    FlowNetwork network;
    for (const double capacity : graph.capacities) network.add_link(capacity);
    std::vector<int> flows;
    for (const auto& route : graph.routes) flows.push_back(network.start(0.0, route, 1e9));
    for (std::size_t i = 0; i < flows.size(); ++i) {
      double widest = 0.0;
      for (const int link : graph.routes[i])
        widest = std::max(widest, graph.capacities[static_cast<std::size_t>(link)]);
      EXPECT_NEAR(network.rate(flows[i]), rates[i], 1e-9 * widest) << "flow " << i << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace stagger
