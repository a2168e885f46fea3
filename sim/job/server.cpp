#include "sim/job/server.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <vector>

#include "sim/job/protocol.hpp"

namespace stagger {
namespace {

/// A gradient at the server.
struct Gradient {
  JobMessage push;
  ActorId worker;
  Seconds arrived{};
  Seconds started{};
  Seconds ends{};
  std::uint64_t order = 0;  ///< of service: simultaneous ends keep the order of arrival
};
struct EndsLater {
  bool operator()(const Gradient& a, const Gradient& b) const {
    return a.ends > b.ends || (a.ends == b.ends && a.order > b.order);
  }
};

/// A read that waits for the policy.
struct HeldRead {
  ActorId worker;
  Clock clock = 0;
  Seconds since{};  ///< when its request (fused: its push) arrived
};

class Server {
 public:
  Server(Port& port, const ServerSetup& setup, Observer& observer)
      : port_(port),
        setup_(setup),
        observer_(observer),
        policy_(make_sync(setup.sync, setup.workers)),
        computes_(static_cast<std::size_t>(setup.workers), false),
        is_away_(static_cast<std::size_t>(setup.workers), false) {}

  void run() {
    for (;;) {
      while (!in_service_.empty() && in_service_.top().ends <= port_.now()) finish_update();
      const Seconds stall = stalls_ < setup_.stalls.size() ? setup_.stalls[stalls_].from : kNever;
      if (stall <= port_.now()) {
        stand_still(setup_.stalls[stalls_++].until);
        continue;
      }
      const auto message = port_.receive(std::min(stall, in_service_.empty() ? kNever : in_service_.top().ends));
      if (message) handle(*message, port_.now(), false);
    }
  }

 private:
  void stand_still(Seconds until) {
    const Seconds began = port_.now();
    std::vector<std::pair<Message, Seconds>> waiting;
    while (const auto message = port_.receive(until)) {
      const MessageKind kind = message->as<JobMessage>().kind;
      if (kind == MessageKind::request) enter(message->from, Stage::hold);
      if (kind == MessageKind::push) enter(message->from, Stage::queue);
      waiting.emplace_back(*message, port_.now());
    }
    decltype(in_service_) later;
    for (; !in_service_.empty(); in_service_.pop()) {
      Gradient gradient = in_service_.top();
      gradient.ends += port_.now() - began;
      later.push(gradient);
    }
    in_service_ = std::move(later);
    for (const auto& [message, arrived] : waiting) handle(message, arrived, true);
  }

  /// `is_entered`: the worker's stage is that of who waits, since the message arrived.
  void handle(const Message& message, Seconds arrived, bool is_entered) {
    const auto content = message.as<JobMessage>();
    const auto worker = static_cast<std::size_t>(message.from.index);
    if (content.kind == MessageKind::request) {
      if (is_away_[worker]) policy_->on_return(message.from.index, content.clock);
      is_away_[worker] = false;
      if (!is_entered) enter(message.from, Stage::hold);
      return read_or_hold({message.from, content.clock, arrived});
    }
    computes_[worker] = false;
    if (content.kind == MessageKind::farewell) return let_go(message.from);
    if (!policy_->accepts(message.from.index, content.version < version_)) return drop(message.from, content, arrived);
    if (!is_entered) enter(message.from, Stage::queue);
    waiting_.push_back({content, message.from, arrived});
    start_updates();
  }

  void drop(ActorId worker, const JobMessage& push, Seconds arrived) {
    enter(worker, Stage::hold);
    observer_.on_drop(setup_.index, worker.index, port_.now());
    if (setup_.exchange == Exchange::separate)
      answer(MessageKind::acknowledgement, worker, push.clock, arrived);
    else
      read_or_hold({worker, push.clock, arrived});
  }

  void let_go(ActorId worker) {
    is_away_[static_cast<std::size_t>(worker.index)] = true;
    const bool new_version = policy_->on_leave(worker.index);
    if (new_version) {
      ++version_;
      observer_.on_version(setup_.index);
    }
    release_reads(new_version);
  }

  void start_updates() {
    while (!waiting_.empty() && in_service_.size() < static_cast<std::size_t>(setup_.threads)) {
      Gradient gradient = waiting_.front();
      waiting_.pop_front();
      enter(gradient.worker, Stage::service);
      gradient.started = port_.now();
      gradient.ends = gradient.started + setup_.update.at(static_cast<std::uint32_t>(started_));
      gradient.order = started_++;
      in_service_.push(gradient);
    }
  }

  void finish_update() {
    const Gradient done = in_service_.top();
    in_service_.pop();
    // Staleness counts the versions between the read and this apply; the increment comes after.
    const std::int64_t staleness = version_ - done.push.version;
    const bool new_version = policy_->on_applied(done.worker.index, done.push.clock, done.arrived);
    if (new_version) ++version_;
    start_updates();
    if (setup_.exchange == Exchange::separate) {
      answer(MessageKind::acknowledgement, done.worker, done.push.clock, done.arrived);
    } else {
      enter(done.worker, Stage::hold);
      read_or_hold({done.worker, done.push.clock, done.arrived});
    }
    if (new_version) release_reads(true);
    // Last: the observer may end the run.
    observer_.on_apply({setup_.index, done.worker.index, done.push.clock, staleness, new_version, done.arrived,
                        done.started, port_.now()});
  }

  void read_or_hold(const HeldRead& read) {
    if (policy_->may_read(read.worker.index, read.clock))
      answer(MessageKind::reply, read.worker, read.clock, read.since);
    else
      held_.push_back(read);
  }

  void enter(ActorId worker, Stage stage) { observer_.on_stage(setup_.index, worker.index, stage, port_.now()); }

  void cancel_steps() {
    for (std::size_t w = 0; w < computes_.size(); ++w)
      if (computes_[w])
        port_.send({static_cast<int>(w)}, Message::of(JobMessage{MessageKind::cancel, setup_.index, 0, version_, {}},
                                                      Bytes{}, setup_.priority));
  }

  void release_reads(bool new_version) {
    if (new_version && policy_->cancels()) cancel_steps();
    std::vector<HeldRead> held = std::move(held_);
    held_.clear();
    for (const HeldRead& read : held) read_or_hold(read);
  }

  void answer(MessageKind kind, ActorId worker, Clock clock, Seconds since) {
    enter(worker, kind == MessageKind::reply ? Stage::pull : Stage::acknowledge);
    if (kind == MessageKind::reply) {
      computes_[static_cast<std::size_t>(worker.index)] = true;
      policy_->on_read(worker.index, port_.now());
    }
    const JobMessage message{kind, setup_.index, clock, version_, port_.now() - since};
    port_.send(worker, Message::of(message, kind == MessageKind::reply ? setup_.shard : Bytes{}, setup_.priority));
  }

  Port& port_;
  const ServerSetup& setup_;
  Observer& observer_;
  std::unique_ptr<SyncPolicy> policy_;
  std::deque<Gradient> waiting_;
  std::priority_queue<Gradient, std::vector<Gradient>, EndsLater> in_service_;
  std::vector<HeldRead> held_;
  std::vector<bool> computes_;  // [worker] has read, and not pushed since
  std::vector<bool> is_away_;   // [worker]
  std::int64_t version_ = 0;
  std::uint64_t started_ = 0;
  std::size_t stalls_ = 0;
};

}  // namespace

void run_server(Port& port, const ServerSetup& setup, Observer& observer) { Server(port, setup, observer).run(); }

}  // namespace stagger
