#include "sim/job/recorder.hpp"

#include <algorithm>

namespace stagger {
namespace {

constexpr std::size_t kMostSnapshots = 1024;
constexpr std::size_t kSnapshotNumbers = 8'000'000;  // in all snapshots together: 64 MB

std::size_t index(Stage stage) { return static_cast<std::size_t>(stage); }

/// The rest of a longer log gets its memory as it grows: the run may be interrupted long before its end.
constexpr std::size_t kMostReserved = 32'000'000;

}  // namespace

Recorder::Recorder(const Layout& layout, const Engine& engine, std::optional<long long> warmup)
    : engine_(engine),
      weights_(layout.weights()),
      warmup_(warmup ? static_cast<double>(*warmup) : kInfinity),
      stride_(std::max(5 * layout.servers.size(), layout.workers.size() * layout.servers.size() / 8)),
      workers_(layout.workers.size()),
      visits_(layout.servers.size() * workers_),
      totals_(layout.servers.size()),
      present_(layout.servers.size()) {
  const std::size_t numbers = layout.cluster.links.size() + 4 * kStages * layout.servers.size();
  most_snapshots_ = std::clamp(kSnapshotNumbers / numbers, std::size_t{64}, kMostSnapshots);
  for (auto& present : present_) present[index(Stage::join)].number = static_cast<double>(workers_);
  log_.snapshots.push_back({0.0, 0, std::vector<double>(layout.cluster.links.size(), 0.0), totals_});
}

void Recorder::expect(long long gradients) {
  const auto records = [gradients](std::size_t each) {
    return std::min(static_cast<std::size_t>(gradients) * each, kMostReserved);
  };
  log_.updates.reserve(records(present_.size()));
  log_.steps.reserve(records(1));
}

void Recorder::on_stage(int server, int worker, Stage stage, Seconds now) {
  const auto s = static_cast<std::size_t>(server);
  Visit& visit = visits_[s * workers_ + static_cast<std::size_t>(worker)];
  StageTotals& left = totals_[s][index(visit.stage)];
  left.residence_s += now.si - visit.since_s;
  left.exits += 1.0;
  left.occupancy_s += present_[s][index(visit.stage)].add(-1.0, now.si);
  totals_[s][index(stage)].occupancy_s += present_[s][index(stage)].add(1.0, now.si);
  visit = {stage, now.si};
}

void Recorder::on_apply(const ApplyEvent& event) {
  log_.updates.push_back({event.arrived.si, event.started.si, event.ended.si, event.server, event.worker,
                          static_cast<std::int32_t>(event.clock), static_cast<std::int32_t>(event.staleness),
                          event.new_version});
  const double before = updates_;
  if (event.new_version) updates_ += weights_[static_cast<std::size_t>(event.server)];
  const bool warm_now = before < warmup_ - 1e-9 && updates_ >= warmup_ - 1e-9;
  if (warm_now) warm_snapshot_ = log_.updates.size();
  if (warm_now || log_.updates.size() % stride_ == 0) keep_snapshot(event.ended);
  after_apply(updates_);
}

void Recorder::on_step(const StepEvent& event) {
  log_.steps.push_back({event.began.si, event.ended.si, event.pull.si, event.compute.si, event.push.si, event.wait.si,
                        event.worker, static_cast<std::int32_t>(event.clock)});
}

void Recorder::on_drop(int server, int worker, Seconds now) { log_.drops.push_back({now.si, server, worker}); }

/// The version is that of the server's last gradient: a version counts when its last apply ends.
void Recorder::on_version(int server) {
  const auto last = std::find_if(log_.updates.rbegin(), log_.updates.rend(),
                                 [server](const UpdateRecord& update) { return update.server == server; });
  last->new_version = true;
  updates_ += weights_[static_cast<std::size_t>(server)];
}

void Recorder::close(Seconds now) {
  if (log_.snapshots.back().updates < log_.updates.size() || log_.snapshots.back().time_s < now.si)
    log_.snapshots.push_back(snapshot(now));
}

Snapshot Recorder::snapshot(Seconds now) const {
  Snapshot taken{now.si, log_.updates.size(), engine_.carried_bytes(), totals_};
  for (std::size_t s = 0; s < totals_.size(); ++s) {
    for (std::size_t k = 0; k < kStages; ++k) {
      Present present = present_[s][k];
      taken.servers[s][k].occupancy_s += present.add(0.0, now.si);
    }
    for (std::size_t w = 0; w < workers_; ++w) {
      const Visit& visit = visits_[s * workers_ + w];
      taken.servers[s][index(visit.stage)].age_s += now.si - visit.since_s;
    }
  }
  return taken;
}

/// Where there are too many, every second one goes and the stride doubles: the rest stay equally far apart.
void Recorder::keep_snapshot(Seconds now) {
  log_.snapshots.push_back(snapshot(now));
  if (log_.snapshots.size() <= most_snapshots_) return;
  stride_ *= 2;
  const auto in_the_way = [&](const Snapshot& each) {
    return each.updates % stride_ != 0 && each.updates != log_.snapshots.back().updates &&
           each.updates != warm_snapshot_;
  };
  std::erase_if(log_.snapshots, in_the_way);
}

}  // namespace stagger
