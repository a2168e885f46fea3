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
  explicit SimgridEngine(const ClusterSpec& cluster);

  ActorId add_actor(int host, std::string name, ActorBody body) override;
  void run() override;
  void stop() override;
  std::vector<CarriedBytes> carried() const override;

 private:
  class ActorPort;
  friend class ActorPort;

  void send(int from, int to, const Message& message);
  Connection& connection(int from, int to);
  void serve(Connection& connection);
  bool is_limited(int from, int to) const;
  double latency_s(int from, int to) const;
  void add_carried(int from, int to, double bytes, std::vector<CarriedBytes>& sums) const;

  ClusterSpec cluster_;
  sg::Engine engine_;
  std::vector<sg::Host*> hosts_;
  std::deque<Inbox> inboxes_;
  std::map<std::pair<int, int>, Connection> connections_;
  std::vector<CarriedBytes> completed_;
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

sg::NetZone* make_star(const ClusterSpec& cluster, std::vector<sg::Host*>& hosts) {
  sg::NetZone* zone = sg::create_star_zone("star");
  const auto link = [&](const std::string& name, BytesPerSecond bandwidth) {
    std::vector<sg::LinkInRoute> route;
    if (bandwidth < kUnlimited) route.emplace_back(zone->create_link(name, bandwidth.si)->set_latency(0.0));
    return route;
  };
  for (const auto& spec : cluster.hosts) {
    sg::Host* host = zone->create_host(spec.name, 1.0);  // computing is waiting: the speed is never used
    auto* point = host->get_netpoint();
    zone->add_route(point, nullptr, nullptr, nullptr, link(spec.name + " up", spec.up), false);
    zone->add_route(nullptr, point, nullptr, nullptr, link(spec.name + " down", spec.down), false);
    if (auto loopback = link(spec.name + " loopback", cluster.loopback); !loopback.empty())
      zone->add_route(point, point, nullptr, nullptr, loopback, false);
    hosts.push_back(host);
  }
  return zone;
}

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

SimgridEngine::SimgridEngine(const ClusterSpec& cluster)
    : cluster_(cluster), engine_(make_engine()), completed_(cluster.hosts.size()) {
  xbt_log_control_set("root.thres:critical");
  sg::Engine::set_config("network/model", std::string("CM02"));
  sg::Engine::set_config("network/crosstraffic", false);
  make_star(cluster_, hosts_)->seal();
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
  if (message.size.si > 0 && is_limited(source, receiver.host_index)) {
    Connection& link = connection(from, to);
    link.waiting.push_back(message);
    link.sleeper.wake();
    return;
  }
  if (message.size.si > 0) add_carried(source, receiver.host_index, message.size.si, completed_);
  const double latency = latency_s(source, receiver.host_index);
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
    link.latency_s = latency_s(link.from->host_index, link.to->host_index);
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

bool SimgridEngine::is_limited(int from, int to) const {
  if (from == to) return cluster_.loopback < kUnlimited;
  return cluster_.hosts[static_cast<std::size_t>(from)].up < kUnlimited ||
         cluster_.hosts[static_cast<std::size_t>(to)].down < kUnlimited;
}

double SimgridEngine::latency_s(int from, int to) const {
  if (from == to) return 0.0;
  return (cluster_.hosts[static_cast<std::size_t>(from)].latency + cluster_.hosts[static_cast<std::size_t>(to)].latency)
      .si;
}

void SimgridEngine::add_carried(int from, int to, double bytes, std::vector<CarriedBytes>& sums) const {
  if (from == to) {
    sums[static_cast<std::size_t>(from)].loopback += bytes;
  } else {
    sums[static_cast<std::size_t>(from)].up += bytes;
    sums[static_cast<std::size_t>(to)].down += bytes;
  }
}

std::vector<CarriedBytes> SimgridEngine::carried() const {
  std::vector<CarriedBytes> sums = completed_;
  for (const auto& [ends, link] : connections_)
    if (link.current)
      add_carried(link.from->host_index, link.to->host_index, link.current_bytes - link.current->get_remaining(), sums);
  return sums;
}

}  // namespace

std::unique_ptr<Engine> make_simgrid_engine(const ClusterSpec& cluster) {
  return std::make_unique<SimgridEngine>(cluster);
}

std::string simgrid_version() { return fmt::format("{}.{}", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR); }

}  // namespace stagger
