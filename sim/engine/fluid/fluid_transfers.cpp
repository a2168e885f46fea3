// The part of FluidEngine that brings messages to their receivers.
#include <algorithm>
#include <span>
#include <utility>

#include "sim/engine/fluid/fluid_engine_impl.hpp"

namespace stagger {

void FluidEngine::add_carried(const Connection& link, double bytes, std::vector<double>& sums) {
  for (const int each : std::span(link.path).first(link.links)) sums[static_cast<std::size_t>(each)] += bytes;
}

int& FluidEngine::connection_index(Actor& from, int to) {
  std::vector<int>& known = from.connections;
  if (known.empty()) from.first_peer = to;
  if (to < from.first_peer) {
    known.insert(known.begin(), static_cast<std::size_t>(from.first_peer - to), kNone);
    from.first_peer = to;
  }
  const auto at = static_cast<std::size_t>(to - from.first_peer);
  if (at >= known.size()) known.resize(at + 1, kNone);
  return known[at];
}

int FluidEngine::connection(Actor& from, int to) {
  int& index = connection_index(from, to);
  if (index == kNone) {
    index = static_cast<int>(connections_.size());
    Connection& made = connections_.emplace_back();
    made.to = to;
    const int there = actors_.at(static_cast<std::size_t>(to)).host;
    made.latency_s = cluster_.latency(from.host, there).si;
    std::vector<int> path = cluster_.path(from.host, there);
    if (cluster_.sharing == Sharing::fifo && cluster_.link(path.back()).goodput < kUnlimited) {
      made.receiver = path.back();
      receivers_.resize(cluster_.links.size());
    }
    const auto is_limited = [this](int link) { return cluster_.link(link).goodput < kUnlimited; };
    made.limited = static_cast<std::uint8_t>(std::partition(path.begin(), path.end(), is_limited) - path.begin());
    made.links = static_cast<std::uint8_t>(path.size());
    std::ranges::copy(path, made.path.begin());
  }
  return index;
}

int FluidEngine::keep(const Message& message, int from, int connection) {
  int index = static_cast<int>(letters_.size());
  if (free_letters_.empty()) {
    letters_.emplace_back();
  } else {
    index = free_letters_.back();
    free_letters_.pop_back();
  }
  Letter& kept = letters_[static_cast<std::size_t>(index)];
  kept = {message, connection, kNone};
  stamp(kept.message, from);
  return index;
}

void FluidEngine::stamp(Message& message, int from) const {
  message.from = {from};
  message.sent = {now_};
}

/// Lets the first letter of a connection cross the network as soon as its latency is over.
void FluidEngine::start_first(Connection& link, int index) {
  const Message& message = letters_[static_cast<std::size_t>(link.first)].message;
  const double ready_s = message.sent.si + link.latency_s;
  if (now_ < ready_s) {
    set_timer(ready_s, Action::start, index);
    return;
  }
  if (Receiver* receiver = receiver_of(link)) {
    if (receiver->busy) return receiver->waiting.push_back(index);
    receiver->busy = true;
  }
  start_flow(link, index);
}

void FluidEngine::start_flow(Connection& link, int index) {
  const Message& message = letters_[static_cast<std::size_t>(link.first)].message;
  const auto flow = static_cast<std::size_t>(
      network_.start(now_, std::span(link.path).first(link.limited), message.size.si, message.priority));
  if (flow >= flows_.size()) flows_.resize(flow + 1, kNone);
  flows_[flow] = index;
}

/// The limited receiving link of a connection, where it takes one transfer after the other.
FluidEngine::Receiver* FluidEngine::receiver_of(const Connection& link) {
  return link.receiver == kNone ? nullptr : &receivers_[static_cast<std::size_t>(link.receiver)];
}

void FluidEngine::end_transfer() {
  now_ = network_.next_end();
  const int index = std::exchange(flows_[static_cast<std::size_t>(network_.end_next())], kNone);
  Connection& link = connections_[static_cast<std::size_t>(index)];
  const int letter = link.first;
  const Letter& arrived = letters_[static_cast<std::size_t>(letter)];
  add_carried(link, arrived.message.size.si, completed_);
  deliver(arrived.message, link.to);
  link.first = arrived.next;
  free_letters_.push_back(letter);
  if (Receiver* receiver = receiver_of(link)) {
    receiver->busy = !receiver->waiting.empty();
    if (receiver->busy) {
      const int next = receiver->waiting.front();
      receiver->waiting.pop_front();
      start_flow(connections_[static_cast<std::size_t>(next)], next);
    }
  }
  if (link.first != kNone) start_first(link, index);
}

std::vector<double> FluidEngine::carried_bytes() const {
  std::vector<double> sums = completed_;
  for (std::size_t flow = 0; flow < flows_.size(); ++flow)
    if (flows_[flow] != kNone) {
      const Connection& link = connections_[static_cast<std::size_t>(flows_[flow])];
      const double size = letters_[static_cast<std::size_t>(link.first)].message.size.si;
      add_carried(link, size - network_.remaining(static_cast<int>(flow), now_), sums);
    }
  return sums;
}

}  // namespace stagger
