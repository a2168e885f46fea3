// What a simulation leaves behind, before anything is computed from it: a record per update and step, and snapshots of
// running totals. Warm-up is cut afterwards, at a snapshot, so that every time average over the rest is exact.
//
// Memory: 40 bytes an update, 64 bytes a step; a snapshot has 8 bytes a link and 32 bytes a server and stage, and
// there are at most 1,024 of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"

namespace stagger {

/// Where a worker's exchange with one server stands. At every instant each (worker, server) pair is in exactly one
/// stage.
enum class Stage : std::uint8_t {
  request,  ///< the request is under way
  hold,     ///< at the server, which may not answer yet
  pull,     ///< the parameters are under way
  join,     ///< this server has answered, another has not
  compute,
  push,         ///< the gradient is under way
  queue,        ///< the gradient waits for an update thread
  service,      ///< the gradient is being applied
  acknowledge,  ///< the acknowledgement is under way
  away,         ///< the worker has left
};
inline constexpr std::size_t kStages = 10;

/// Two accounts of the same stay in a stage: by counting who is there, and by each visitor's entry and exit times.
/// Little's law ties them: occupancy = residence + change of age.
struct StageTotals {
  double occupancy_s = 0.0;  ///< integral of the number present
  double residence_s = 0.0;  ///< sum of the stays that have ended
  double age_s = 0.0;        ///< sum of the stays so far of those present
  double exits = 0.0;
};

struct UpdateRecord {
  double arrived_s, started_s, ended_s;
  std::int32_t server, worker, clock, staleness;
  bool new_version;
};

struct StepRecord {
  double began_s, ended_s, pull_s, compute_s, push_s, wait_s;
  std::int32_t worker, clock;
};

/// A gradient that came too late.
struct DropRecord {
  double time_s;
  std::int32_t server, worker;
};

struct Snapshot {
  double time_s = 0.0;
  std::size_t updates = 0;            ///< records before this instant
  std::vector<double> carried_bytes;  ///< by each link of the network
  std::vector<std::array<StageTotals, kStages>> servers;
};

/// Snapshots are in the order of time; the first is at time 0. Each but the last is taken at the end of an update.
struct RunLog {
  std::vector<UpdateRecord> updates;  ///< in the order of time
  std::vector<StepRecord> steps;      ///< in the order of time
  std::vector<DropRecord> drops;      ///< in the order of time
  std::vector<Snapshot> snapshots;
};

}  // namespace stagger
