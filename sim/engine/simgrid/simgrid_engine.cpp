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
#include <functional>
#include <map>
#include <queue>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/simix.hpp>
#include <utility>
#include <vector>

#include "sim/base/input_error.hpp"
#include "sim/engine/simgrid/simgrid_platform.hpp"

namespace stagger {
namespace {

namespace sg = simgrid::s4u;
using simgrid::kernel::timer::Timer;

/// From an actor: SimGrid's kernel does `work` before the actor goes on.
template <class Work>
void in_kernel(Work work) {
  simgrid::kernel::actor::simcall_answered(work);
}

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

/// From one actor to another.
struct Connection {
  Inbox* from = nullptr;
  Inbox* to = nullptr;
  std::vector<int> path{};
  double latency_s = 0.0;            // of a message without bytes
  double latency_before_s = 0.0;     // of a flow, before it starts; in lv08, SimGrid's flow pays the latency itself
  bool is_limited = false;           // whether bytes cross the network as a flow; otherwise they take just the latency
  std::vector<Message> transfers{};  // flows, in order; the first has its turn
  sg::CommPtr current{};             // the first, once it has started
};

/// What happens when a latency is over.
struct Action {
  double time_s;
  std::uint64_t order;  // in which they were set
  std::function<void()> act;
  bool operator<(const Action& other) const {  // a priority queue has its largest on top
    return time_s > other.time_s || (time_s == other.time_s && order > other.order);
  }
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
  void set_timer(double time_s, std::function<void()> action);
  void start_first(Connection& link);
  void deliver_arrived();

  Cluster cluster_;
  sg::Engine engine_;
  std::vector<sg::Host*> hosts_;
  std::deque<Inbox> inboxes_;
  std::deque<std::map<int, Connection>> connections_;  // of each sender, by receiver
  std::vector<Connection*> arrived_;                   // their first transfer has ended and is to be delivered
  Sleeper courier_;                                    // of the actor that delivers
  std::priority_queue<Action> actions_;
  std::uint64_t actions_set_ = 0;
  std::vector<double> completed_;  // bytes of finished transfers, by link
  std::exception_ptr failure_;
  bool delivering_ = true;  // the courier lives
  bool stopped_ = false;
  bool deadlocked_ = false;
};

class SimgridEngine::ActorPort final : public Port {
 public:
  ActorPort(SimgridEngine& engine, int index)
      : engine_(engine), index_(index), inbox_(engine.inboxes_[static_cast<std::size_t>(index)]) {}

  Seconds now() const override { return {sg::Engine::get_clock()}; }

  void send(ActorId to, const Message& message) override {
    Message sent = message;
    sent.from = {index_};
    sent.sent = now();
    engine_.send(index_, to.index, sent);
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

void add_carried(const Connection& link, double bytes, std::vector<double>& sums) {
  for (const int each : link.path) sums[static_cast<std::size_t>(each)] += bytes;
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

SimgridEngine::SimgridEngine(const Cluster& cluster)
    : cluster_(cluster), engine_(make_engine()), completed_(cluster.links.size(), 0.0) {
  xbt_log_control_set("root.thres:critical");
  const bool ideal = cluster_.model == NetworkModel::ideal;
  sg::Engine::set_config("network/model", std::string(ideal ? "CM02" : "LV08"));
  sg::Engine::set_config("network/crosstraffic", !ideal);
  if (ideal) {  // by default, rates are equal within 1e-5, and what ends within 1e-9 s ends together
    sg::Engine::set_config("maxmin/precision", 1e-12);
    sg::Engine::set_config("surf/precision", 1e-12);
  }
  hosts_ = make_simgrid_hosts(cluster_);
  sg::Engine::on_deadlock_cb([this] { deadlocked_ = true; });
  sg::Comm::on_completion_cb([this](const auto& transfer) {
    if (!delivering_) return;
    arrived_.push_back(transfer.template get_data<Connection>());
    courier_.wake();
  });
  // An actor, so that those who were waked by a timer at the same instant go first, as with any other message.
  sg::ActorPtr courier = sg::Actor::create("courier", hosts_.front(), [this] {
    for (;;) {
      while (arrived_.empty()) courier_.sleep(kInfinity);
      deliver_arrived();
    }
  });
  courier->daemonize();
  courier->on_exit([this](bool) { delivering_ = false; });
  courier_.bind(courier);
}

ActorId SimgridEngine::add_actor(int host, std::string name, ActorBody body) {
  const int index = static_cast<int>(inboxes_.size());
  Inbox& inbox = inboxes_.emplace_back();
  connections_.emplace_back();
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
  delivering_ = false;
  for (const auto& links : connections_)
    for (const auto& [to, link] : links)
      if (link.current) link.current->cancel();
  sg::Actor::kill_all();
  sg::this_actor::exit();
}

void SimgridEngine::send(int from, int to, const Message& message) {
  Connection& link = connection(from, to);
  if (message.size.si > 0.0 && link.is_limited) {
    link.transfers.push_back(message);
    if (link.transfers.size() == 1) in_kernel([&] { start_first(link); });
    return;
  }
  if (message.size.si > 0.0) add_carried(link, message.size.si, completed_);
  if (link.latency_s == 0.0) return link.to->deliver(message);
  set_timer(message.sent.si + link.latency_s, [&link, message] { link.to->deliver(message); });
}

Connection& SimgridEngine::connection(int from, int to) {
  const auto [found, is_new] = connections_[static_cast<std::size_t>(from)].try_emplace(to);
  Connection& link = found->second;
  if (is_new) {
    link.from = &inboxes_[static_cast<std::size_t>(from)];
    link.to = &inboxes_.at(static_cast<std::size_t>(to));
    const int a = link.from->host_index;
    const int b = link.to->host_index;
    link.path = cluster_.path(a, b);
    link.latency_s = cluster_.latency(a, b).si;
    if (cluster_.model == NetworkModel::ideal) link.latency_before_s = link.latency_s;
    link.is_limited = cluster_.window_rate(a, b) < kUnlimited || std::ranges::any_of(link.path, [&](int each) {
                        return cluster_.link(each).goodput < kUnlimited;
                      });
  }
  return link;
}

/// SimGrid's timers of one instant go off in any order; these in that in which they were set, each for the next action.
void SimgridEngine::set_timer(double time_s, std::function<void()> action) {
  actions_.push({time_s, ++actions_set_, std::move(action)});
  Timer::set(time_s, [this] {
    const std::function<void()> next = actions_.top().act;
    actions_.pop();
    if (!stopped_) next();
  });
}

/// In SimGrid's kernel, which tells the end only of the transfers that it has made itself, not of an actor's.
void SimgridEngine::start_first(Connection& link) {
  const Message& message = link.transfers.front();
  const double ready = message.sent.si + link.latency_before_s;
  if (sg::Engine::get_clock() < ready) {
    set_timer(ready, [this, &link] { start_first(link); });
    return;
  }
  link.current = sg::Comm::sendto_init();
  link.current->set_data(&link);
  link.current->set_payload_size(static_cast<std::uint64_t>(message.size.si));
  link.current->set_source(link.from->host)->set_destination(link.to->host);  // starts it
}

void SimgridEngine::deliver_arrived() {
  const std::vector<Connection*> links = std::exchange(arrived_, {});
  for (Connection* link : links) {
    link->to->messages.push_back(link->transfers.front());
    add_carried(*link, link->transfers.front().size.si, completed_);
    link->transfers.erase(link->transfers.begin());
    link->current = nullptr;
  }
  in_kernel([&] {
    for (Connection* link : links) link->to->sleeper.wake();
    for (Connection* link : links)
      if (!link->transfers.empty()) start_first(*link);
  });
}

std::vector<double> SimgridEngine::carried_bytes() const {
  std::vector<double> sums = completed_;
  for (const auto& links : connections_)
    for (const auto& [to, link] : links)
      if (link.current) add_carried(link, link.transfers.front().size.si - link.current->get_remaining(), sums);
  return sums;
}

}  // namespace

std::unique_ptr<Engine> make_simgrid_engine(const Cluster& cluster) { return std::make_unique<SimgridEngine>(cluster); }

std::string simgrid_version() { return fmt::format("{}.{}", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR); }

}  // namespace stagger
