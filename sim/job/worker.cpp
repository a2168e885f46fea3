#include "sim/job/worker.hpp"

#include <algorithm>

#include "sim/job/protocol.hpp"

namespace stagger {
namespace {

/// The answer that came last, which is the one that the worker waited for.
struct LastAnswer {
  Seconds arrived{};
  Seconds sent{};
  Seconds held{};
};

class Worker {
 public:
  Worker(Port& port, const WorkerSetup& setup, Observer& observer)
      : port_(port), setup_(setup), observer_(observer), versions_(setup.servers.size(), 0) {}

  void run() {
    if (setup_.exchange == Exchange::fused) {
      send_to_all(MessageKind::request, Stage::request);
      collect();
    }
    for (;;) setup_.exchange == Exchange::fused ? step_fused() : step_separate();
  }

 private:
  void step_separate() {
    StepEvent step{.worker = setup_.index, .began = port_.now()};
    do {
      read(step);
    } while (!compute(step));
    const Seconds pushed = port_.now();
    begin_next();
    send_to_all(MessageKind::push, Stage::push);
    const LastAnswer acknowledgement = collect();
    step.push = acknowledgement.arrived - pushed - acknowledgement.held;
    step.wait = step.wait + acknowledgement.held;
    finish(step);
  }

  void step_fused() {
    StepEvent step{.worker = setup_.index, .began = port_.now()};
    while (!compute(step)) read(step);
    const Seconds pushed = port_.now();
    begin_next();
    send_to_all(MessageKind::push, Stage::push);
    const LastAnswer reply = collect();
    step.push = reply.sent - reply.held - pushed;
    step.wait = step.wait + reply.held;
    step.pull = step.pull + reply.arrived - reply.sent;
    finish(step);
  }

  void read(StepEvent& step) {
    const Seconds asked = port_.now();
    send_to_all(MessageKind::request, Stage::request);
    const LastAnswer reply = collect();
    step.pull = step.pull + reply.arrived - asked - reply.held;
    step.wait = step.wait + reply.held;
  }

  void enter(std::size_t server, Stage stage) {
    observer_.on_stage(static_cast<int>(server), setup_.index, stage, port_.now());
  }

  void send_to_all(MessageKind kind, Stage stage) {
    for (std::size_t s = 0; s < setup_.servers.size(); ++s) {
      enter(s, stage);
      const JobMessage message{kind, static_cast<std::int32_t>(s), clock_, versions_[s], {}};
      port_.send(setup_.servers[s],
                 Message::of(message, kind == MessageKind::push ? setup_.shards[s] : Bytes{}, setup_.priority));
    }
  }

  /// Waits for one answer of each server.
  LastAnswer collect() {
    LastAnswer last;
    for (std::size_t n = 0; n < setup_.servers.size();) {
      const Message message = *port_.receive();
      const auto answer = message.as<JobMessage>();
      if (answer.kind == MessageKind::cancel) continue;  // of a step that has been pushed or begun anew already
      ++n;
      last = {port_.now(), message.sent, answer.held};
      const auto server = static_cast<std::size_t>(answer.server);
      enter(server, Stage::join);
      if (answer.kind == MessageKind::reply) versions_[server] = answer.version;
    }
    return last;
  }

  /// False: the step was lost, and is to begin anew.
  bool compute(StepEvent& step) {
    const Seconds began = port_.now();
    for (std::size_t s = 0; s < setup_.servers.size(); ++s) enter(s, Stage::compute);
    const Seconds end = began + setup_.compute({clock_, attempt_, began});
    while (absences_ < setup_.away.size() && setup_.away[absences_].until <= began) ++absences_;  // waited through it
    const Seconds leaves = absences_ < setup_.away.size() ? std::max(began, setup_.away[absences_].from) : kNever;
    const bool is_cancelled = !undisturbed_until(std::min(end, leaves));
    step.compute = step.compute + port_.now() - began;
    const bool is_complete = !is_cancelled && end <= leaves;
    if (!is_complete) attempt_ = ++tries_anew_;
    if (!is_cancelled && leaves < end) {
      stay_away(setup_.away[absences_++].until);
      step = {.worker = setup_.index, .began = port_.now()};
    }
    return is_complete;
  }

  /// False: a cancel of what the worker has read has come before `end`.
  bool undisturbed_until(Seconds end) {
    while (const auto message = port_.receive(end)) {
      const auto cancel = message->as<JobMessage>();
      if (cancel.version > versions_[static_cast<std::size_t>(cancel.server)]) return false;
    }
    return true;
  }

  void stay_away(Seconds until) {
    send_to_all(MessageKind::farewell, Stage::away);
    while (port_.receive(until)) {
    }
  }

  void begin_next() {
    ++clock_;
    attempt_ = 0;
  }

  void finish(StepEvent& step) {
    step.clock = clock_;
    step.ended = port_.now();
    observer_.on_step(step);
  }

  Port& port_;
  const WorkerSetup& setup_;
  Observer& observer_;
  std::vector<std::int64_t> versions_;
  Clock clock_ = 0;
  int attempt_ = 0;
  int tries_anew_ = 0;
  std::size_t absences_ = 0;
};

}  // namespace

void run_worker(Port& port, const WorkerSetup& setup, Observer& observer) { Worker(port, setup, observer).run(); }

}  // namespace stagger
