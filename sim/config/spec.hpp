// The configuration as plain structs: exactly what the files say, with defaults filled in and nothing resolved. The
// keys of the files are the names here (fields.hpp has the table). Quantities are SI; an unlimited bandwidth is
// infinity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/bandwidth_profile.hpp"
#include "sim/base/distribution.hpp"
#include "sim/base/units.hpp"

namespace stagger {

/// A full-duplex network interface. `latency` is its share of the one-way latency of each path through it.
struct NicSpec {
  BytesPerSecond up = kUnlimited;    ///< what the host sends
  BytesPerSecond down = kUnlimited;  ///< what the host receives
  Seconds latency{};
  std::optional<BandwidthProfile> profile{};  ///< of both directions
  bool operator==(const NicSpec&) const = default;
};

/// Where a group's hosts stand when there are racks: in_order fills rack after rack, spread takes one place in each
/// rack in turn, own has racks that no other group uses.
enum class RackPlacement { in_order, spread, own };

/// A group of equal hosts, named NAME-0, NAME-1, …
struct HostGroupSpec {
  std::string name;
  std::optional<long long> count;  ///< none: as many as the job needs
  NicSpec nic;
  std::optional<FlopsPerSecond> speed;
  std::optional<Price> price;  ///< of one host
  RackPlacement placement = RackPlacement::in_order;
};

/// ideal: exact equal sharing of every link; lv08: SimGrid's calibrated TCP model
enum class NetworkModel { ideal, lv08 };
/// How transfers share a busy link. fair: equally; fifo: a receiving link takes one after the other, first come, first
/// served
enum class Sharing { fair, fifo };

/// `size` hosts each behind a full-duplex uplink to a non-blocking core.
struct RackSpec {
  long long size = 0;
  BytesPerSecond uplink = kUnlimited;
  Seconds latency{};                          ///< each uplink's share of the one-way latency of the paths through it
  std::optional<BandwidthProfile> profile{};  ///< of every uplink, both directions
};
struct TopologySpec {
  std::optional<RackSpec> racks;  ///< none: a star, all hosts on one non-blocking switch
};

struct NetworkSpec {
  NetworkModel model = NetworkModel::ideal;
  double efficiency = 1.0;  ///< goodput over line rate of NICs and rack uplinks
  Sharing sharing = Sharing::fair;
  BytesPerSecond loopback = kUnlimited;  ///< shared by the transfers between processes of one host
};

struct PlatformSpec {
  std::string name;
  NetworkSpec network;
  std::vector<HostGroupSpec> hosts;
  TopologySpec topology;
};

/// What a worker pulls and pushes in a step.
struct ModelSpec {
  std::string name;
  Bytes bytes{};
  std::optional<Flops> forward_flops;  ///< of one example
};

/// The time of a step: a mean, given in one of three ways, and a distribution around it.
struct ComputeSpec {
  std::optional<Seconds> mean;
  std::optional<double> examples_per_s;  ///< mean = batch / examples_per_s
  std::optional<double> utilization;     ///< mean = 3 * forward_flops * batch / (host speed * utilization)
  Distribution distribution;
};

struct WorkerGroupSpec {
  std::string on;
  std::optional<long long> count;  ///< none: fills every host of the group
  long long per_host = 1;
  std::optional<long long> batch;      ///< overrides the job's
  std::optional<ComputeSpec> compute;  ///< overrides the job's
};

/// The time to apply one gradient: mean = fixed + shard bytes / rate.
struct UpdateSpec {
  Seconds fixed{};
  BytesPerSecond rate = kUnlimited;
  Distribution distribution;
};

struct ServerGroupSpec {
  std::string on;
  std::optional<long long> count;
  long long per_host = 1;
  long long threads = 1;
  UpdateSpec update;
};

enum class Exchange { separate, fused };
/// Which transfers go first where both cross a link; the others have what those leave.
enum class Priority { none, pulls, pushes };
/// sim/policy/sync.hpp has the rule of each.
enum class SyncKind {
  asp,
  bsp,
  ssp,
  bounded_delay,
  dssp,
  dsp,
  a_dsp,
  backup_workers,
  k_sync,
  k_batch_sync,
  k_async,
  k_batch_async,
  n_softsync
};
struct Slack {
  double clocks = kInfinity;
  bool operator==(const Slack&) const = default;
};
/// Whether dssp enforces `high` in the long run.
enum class Cap { off, on };
struct SyncSpec {
  SyncKind kind = SyncKind::asp;
  Slack slack{};          ///< ssp
  long long delay = 0;    ///< bounded_delay
  long long low = 0;      ///< dssp; dsp and a_dsp: their slack
  long long high = 0;     ///< dssp, dsp, a_dsp
  Cap cap = Cap::off;     ///< dssp
  long long memory = 50;  ///< dsp, a_dsp: steps of a worker
  long long extra = 0;    ///< backup_workers
  long long k = 1;        ///< k_…
  long long n = 1;        ///< n_softsync
};

/// Those of the job or the platform that a disturbance is about. Each word is one of them, a host (what is on it) or a
/// host group.
struct Names {
  std::vector<std::string> words;
};
struct WindowSpec {
  Seconds from{};
  std::optional<Seconds> until;  ///< none: for good
};
/// Workers compute `factor` times longer in the window; where windows overlap, the factors multiply.
struct SlowSpec {
  Names workers;
  double factor = 1.0;
  WindowSpec when;
};
/// Each worker by itself is healthy and slow in turn, each for an exponentially distributed time of the given mean.
struct RegimesSpec {
  Names workers;
  Seconds healthy{};
  Seconds slow{};
  double factor = 1.0;
};
/// The correlation of a worker's step time with the one before.
struct CorrelationSpec {
  Names workers;
  double lag1 = 0.0;
};
enum class LinkDirection { both, up, down };
/// What the links of hosts or racks have of their bandwidth.
struct LinkSpec {
  Names of;
  LinkDirection direction = LinkDirection::both;
  BandwidthProfile profile;
};
/// Workers that are not there in the window.
struct LeaveSpec {
  Names workers;
  WindowSpec when;
};
/// Servers that handle nothing in the window.
struct StallSpec {
  Names servers;
  WindowSpec when;
};
using Disturbance = std::variant<SlowSpec, RegimesSpec, CorrelationSpec, LinkSpec, LeaveSpec, StallSpec>;

struct ShardingSpec {
  std::vector<double> shares;  ///< of the parameters, one a server, sum 1; empty: even
};

struct JobSpec {
  std::vector<WorkerGroupSpec> workers;
  std::vector<ServerGroupSpec> servers;
  long long batch = 1;        ///< examples per step and worker
  long long local_steps = 1;  ///< between two exchanges
  std::optional<ComputeSpec> compute;
  Exchange exchange = Exchange::separate;
  Priority priority = Priority::none;
  SyncSpec sync;
  ShardingSpec sharding;
  std::vector<Disturbance> disturbances;
};

/// Half width of the confidence interval of updates_per_s, relative to the mean.
struct PrecisionSpec {
  double relative = 0.01;
  double confidence = 0.95;
};

/// simgrid: the reference; fluid: the same numbers from an engine of our own, faster the more flows share a link
enum class EngineKind { simgrid, fluid };
struct WarmupSpec {
  std::optional<long long> updates;  ///< to leave out; none: found from the data
};

/// When to stop: at most one of updates, time and precision; none: kDefaultUpdates.
struct RunSpec {
  EngineKind engine = EngineKind::simgrid;
  std::uint64_t seed = 1;
  std::optional<long long> updates;  ///< after warm-up
  std::optional<Seconds> time;       ///< simulated, after warm-up
  std::optional<PrecisionSpec> precision;
  WarmupSpec warmup;
};
inline constexpr long long kDefaultUpdates = 20'000;

struct ScenarioSpec {
  PlatformSpec platform;
  ModelSpec model;
  JobSpec job;
  RunSpec run;
};

}  // namespace stagger
