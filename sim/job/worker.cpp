#include "sim/job/worker.hpp"

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
    send_to_all(MessageKind::request, Stage::request);
    const LastAnswer reply = collect();
    step.pull = reply.arrived - step.began - reply.held;
    compute(step);
    const Seconds pushed = port_.now();
    ++clock_;
    send_to_all(MessageKind::push, Stage::push);
    const LastAnswer acknowledgement = collect();
    step.push = acknowledgement.arrived - pushed - acknowledgement.held;
    step.wait = reply.held + acknowledgement.held;
    finish(step);
  }

  void step_fused() {
    StepEvent step{.worker = setup_.index, .began = port_.now()};
    compute(step);
    const Seconds pushed = port_.now();
    ++clock_;
    send_to_all(MessageKind::push, Stage::push);
    const LastAnswer reply = collect();
    step.push = reply.sent - reply.held - pushed;
    step.wait = reply.held;
    step.pull = reply.arrived - reply.sent;
    finish(step);
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
    for (std::size_t n = 0; n < setup_.servers.size(); ++n) {
      const Message message = *port_.receive();
      const auto answer = message.as<JobMessage>();
      last = {port_.now(), message.sent, answer.held};
      const auto server = static_cast<std::size_t>(answer.server);
      enter(server, Stage::join);
      if (answer.kind == MessageKind::reply) versions_[server] = answer.version;
    }
    return last;
  }

  void compute(StepEvent& step) {
    const Seconds began = port_.now();
    for (std::size_t s = 0; s < setup_.servers.size(); ++s) enter(s, Stage::compute);
    port_.receive(began + setup_.compute(clock_, 0, began));
    step.compute = port_.now() - began;
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
};

}  // namespace

void run_worker(Port& port, const WorkerSetup& setup, Observer& observer) { Worker(port, setup, observer).run(); }

}  // namespace stagger
