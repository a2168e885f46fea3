#include "sim/engine/simgrid/simgrid_engine.hpp"

// SimGrid's version.h needs a header before it.
// clang-format off
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
// clang-format on

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <simgrid/kernel/Timer.hpp>

#include "sim/base/input_error.hpp"

namespace stagger {
namespace {

namespace sg = simgrid::s4u;
using simgrid::kernel::timer::Timer;

/// Lets the actor that owns it sleep until a time or until somebody wakes it. Suspend and resume with a kernel timer
/// are the cheapest way in SimGrid: waiting on a mailbox or a semaphore with a timeout costs an activity each time.
class Sleeper {
 public:
  void bind(sg::ActorPtr actor) { actor_ = std::move(actor); }
  /// From the owner.
  void sleep(double until) {
    asleep_ = true;
    if (until < kInfinity)
      timer_ = Timer::set(until, [this] {
        timer_ = nullptr;
        wake();
      });
    sg::this_actor::suspend();
    if (timer_ != nullptr) timer_->remove();
    timer_ = nullptr;
  }
  /// From another actor or a timer.
  void wake() {
    if (!asleep_) return;
    asleep_ = false;
    actor_->resume();
  }

 private:
  sg::ActorPtr actor_;
  Timer* timer_ = nullptr;
  bool asleep_ = false;
};

struct Inbox {
  sg::Host* host = nullptr;
  int host_index = 0;
  Sleeper sleeper;
  std::deque<Message> messages;
  void deliver(const Message& message) {
    messages.push_back(message);
    sleeper.wake();
  }
};

/// The transfers from one actor to another that wait for their turn or are under way.
struct Connection {
  Inbox* from = nullptr;
  Inbox* to = nullptr;
  double latency_s = 0.0;
  Sleeper sleeper;
  std::deque<Message> waiting;
  sg::CommPtr current;
  double current_bytes = 0.0;
};

class SimgridEngine final : public Engine {
 public:
  explicit SimgridEngine(const Cluster& cluster);

  ActorId add_actor(int host, std::string name, ActorBody body) override;
  void run() override;
  void stop() override;
  std::vector<double> carried_bytes() const override;

 private:
  class ActorPort;
  friend class ActorPort;

  void send(int from, int to, const Message& message);
  Connection& connection(int from, int to);
  void serve(Connection& connection);
  bool is_flow(const Message& message, int from, int to) const;
  void add_carried(int from, int to, double bytes, std::vector<double>& sums) const;

  Cluster cluster_;
  sg::Engine engine_;
  std::vector<sg::Host*> hosts_;
  std::deque<Inbox> inboxes_;
  std::map<std::pair<int, int>, Connection> connections_;
  std::vector<double> completed_;  // bytes of finished transfers, by link
  std::exception_ptr failure_;
  bool stopped_ = false;
  bool deadlocked_ = false;
};

class SimgridEngine::ActorPort final : public Port {
 public:
  ActorPort(SimgridEngine& engine, int index)
      : engine_(engine), index_(index), inbox_(engine.inboxes_[static_cast<std::size_t>(index)]) {}

  Seconds now() const override { return {sg::Engine::get_clock()}; }

  void send(ActorId to, Message message) override {
    message.from = {index_};
    message.sent = now();
    engine_.send(index_, to.index, message);
  }

  std::optional<Message> receive(Seconds until) override {
    while (inbox_.messages.empty()) {
      if (until <= now()) return std::nullopt;
      inbox_.sleeper.sleep(until.si);
    }
    const Message message = inbox_.messages.front();
    inbox_.messages.pop_front();
    return message;
  }

 private:
  SimgridEngine& engine_;
  int index_;
  Inbox& inbox_;
};

/// Makes the zones, hosts and links of a cluster.
class PlatformMaker {
 public:
  explicit PlatformMaker(const Cluster& cluster) : cluster_(cluster) {}

  std::vector<sg::Host*> make() {
    sg::NetZone* root = sg::create_star_zone("core");
    std::vector<sg::NetZone*> racks;
    for (int k = 0; k < cluster_.racks; ++k) {
      sg::NetZone* rack = racks.emplace_back(sg::create_star_zone(fmt::format("rack {}", k))->set_parent(root));
      auto* gateway = rack->create_router(fmt::format("rack {} switch", k));
      add_routes(root, rack->get_netpoint(), gateway, cluster_.rack_up(k), cluster_.rack_down(k));
    }
    std::vector<sg::Host*> hosts;
    for (std::size_t h = 0; h < cluster_.hosts.size(); ++h) {
      const int host = static_cast<int>(h);
      sg::NetZone* zone = racks.empty() ? root : racks[static_cast<std::size_t>(cluster_.hosts[h].rack)];
      sg::Host* made = zone->create_host(cluster_.hosts[h].name, 1.0);  // computing is waiting: the speed is never used
      auto* point = made->get_netpoint();
      add_routes(zone, point, nullptr, cluster_.up(host), cluster_.down(host));
      if (auto loopback = route(zone, cluster_.loopback(host)); !loopback.empty())
        zone->add_route(point, point, nullptr, nullptr, loopback, false);
      hosts.push_back(made);
    }
    for (sg::NetZone* rack : racks) rack->seal();
    root->seal();
    return hosts;
  }

 private:
  /// From `point` to everywhere else in the zone, and back. Each end of a path has its own link.
  void add_routes(sg::NetZone* zone, simgrid::kernel::routing::NetPoint* point,
                  simgrid::kernel::routing::NetPoint* gateway, int up, int down) {
    zone->add_route(point, nullptr, gateway, nullptr, route(zone, up), false);
    zone->add_route(nullptr, point, nullptr, gateway, route(zone, down), false);
  }

  std::vector<sg::LinkInRoute> route(sg::NetZone* zone, int index) const {
    const Cluster::Link& link = cluster_.link(index);
    const bool pays_latency = cluster_.model == NetworkModel::lv08 && link.latency > Seconds{};
    if (link.goodput == kUnlimited && !pays_latency) return {};
    constexpr double kAsGoodAsUnlimited = 1e15;
    return {sg::LinkInRoute(
        zone->create_link(fmt::format("{} {}", link.name, index), std::min(link.goodput.si, kAsGoodAsUnlimited))
            ->set_latency(pays_latency ? link.latency.si : 0.0))};
  }

  const Cluster& cluster_;
};

/// Never the user's argv: SimGrid would obey its --cfg and --help. AddressSanitizer does not see Debian's SimGrid
/// switch stacks; with a thread for each actor it need not. SimGrid takes that choice only from its command line.
sg::Engine make_engine() {
#if defined(__SANITIZE_ADDRESS__)
  std::array arguments{std::string("stagger"), std::string("--cfg=contexts/factory:thread"),
                       std::string("--log=root.thres:critical")};
#else
  std::array arguments{std::string("stagger")};
#endif
  std::array<char*, arguments.size() + 1> argv{};
  std::ranges::transform(arguments, argv.begin(), [](std::string& text) { return text.data(); });
  int argc = static_cast<int>(arguments.size());
  return sg::Engine(&argc, argv.data());
}

SimgridEngine::SimgridEngine(const Cluster& cluster)
    : cluster_(cluster), engine_(make_engine()), completed_(cluster.links.size(), 0.0) {
  xbt_log_control_set("root.thres:critical");
  const bool ideal = cluster_.model == NetworkModel::ideal;
  sg::Engine::set_config("network/model", std::string(ideal ? "CM02" : "LV08"));
  sg::Engine::set_config("network/crosstraffic", !ideal);
  hosts_ = PlatformMaker(cluster_).make();
  sg::Engine::on_deadlock_cb([this] { deadlocked_ = true; });
}

ActorId SimgridEngine::add_actor(int host, std::string name, ActorBody body) {
  const int index = static_cast<int>(inboxes_.size());
  Inbox& inbox = inboxes_.emplace_back();
  inbox.host = hosts_.at(static_cast<std::size_t>(host));
  inbox.host_index = host;
  auto main = [this, index, work = std::move(body)] {
    try {
      ActorPort port(*this, index);
      work(port);
    } catch (const std::exception&) {  // never `...`: SimGrid ends actors by an exception of its own
      failure_ = std::current_exception();
      stop();
    }
  };
  inbox.sleeper.bind(sg::Actor::create(name, inbox.host, std::move(main)));
  return {index};
}

void SimgridEngine::run() {
  engine_.run();
  if (failure_) std::rethrow_exception(failure_);
  if (deadlocked_ && !stopped_)
    throw SimulationError("deadlock: all workers and servers wait, and nothing is under way");
}

void SimgridEngine::stop() {
  stopped_ = true;
  sg::Actor::kill_all();
  sg::this_actor::exit();
}

void SimgridEngine::send(int from, int to, const Message& message) {
  Inbox& receiver = inboxes_.at(static_cast<std::size_t>(to));
  const int source = inboxes_[static_cast<std::size_t>(from)].host_index;
  if (is_flow(message, source, receiver.host_index)) {
    Connection& link = connection(from, to);
    link.waiting.push_back(message);
    link.sleeper.wake();
    return;
  }
  if (message.size.si > 0) add_carried(source, receiver.host_index, message.size.si, completed_);
  const double latency = cluster_.latency(source, receiver.host_index).si;
  if (latency == 0.0) return receiver.deliver(message);
  Timer::set(message.sent.si + latency, [this, &receiver, message] {
    if (!stopped_) receiver.deliver(message);
  });
}

Connection& SimgridEngine::connection(int from, int to) {
  const auto [found, is_new] = connections_.try_emplace({from, to});
  Connection& link = found->second;
  if (is_new) {
    link.from = &inboxes_[static_cast<std::size_t>(from)];
    link.to = &inboxes_[static_cast<std::size_t>(to)];
    // In lv08, SimGrid's flow pays the latency itself.
    if (cluster_.model == NetworkModel::ideal)
      link.latency_s = cluster_.latency(link.from->host_index, link.to->host_index).si;
    sg::ActorPtr courier =
        sg::Actor::create(fmt::format("courier {}-{}", from, to), link.from->host, [this, &link] { serve(link); });
    courier->daemonize();
    link.sleeper.bind(courier);
  }
  return link;
}

void SimgridEngine::serve(Connection& link) {
  for (;;) {
    while (link.waiting.empty()) link.sleeper.sleep(kInfinity);
    const Message message = link.waiting.front();
    link.waiting.pop_front();
    const double ready = message.sent.si + link.latency_s;
    while (sg::Engine::get_clock() < ready) link.sleeper.sleep(ready);
    link.current_bytes = message.size.si;
    link.current = sg::Comm::sendto_async(link.from->host, link.to->host, static_cast<std::uint64_t>(message.size.si));
    link.current->wait();
    link.current = nullptr;
    add_carried(link.from->host_index, link.to->host_index, message.size.si, completed_);
    link.to->deliver(message);
  }
}

/// Whether a message crosses the network as a flow; the others take just their latency.
bool SimgridEngine::is_flow(const Message& message, int from, int to) const {
  if (message.size.si <= 0.0) return false;
  const std::vector<int> path = cluster_.path(from, to);
  return cluster_.window_rate(from, to) < kUnlimited ||
         std::ranges::any_of(path, [&](int link) { return cluster_.link(link).goodput < kUnlimited; });
}

void SimgridEngine::add_carried(int from, int to, double bytes, std::vector<double>& sums) const {
  for (const int link : cluster_.path(from, to)) sums[static_cast<std::size_t>(link)] += bytes;
}

std::vector<double> SimgridEngine::carried_bytes() const {
  std::vector<double> sums = completed_;
  for (const auto& [ends, link] : connections_)
    if (link.current)
      add_carried(link.from->host_index, link.to->host_index, link.current_bytes - link.current->get_remaining(), sums);
  return sums;
}

}  // namespace

std::unique_ptr<Engine> make_simgrid_engine(const Cluster& cluster) { return std::make_unique<SimgridEngine>(cluster); }

std::string simgrid_version() { return fmt::format("{}.{}", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR); }

}  // namespace stagger
