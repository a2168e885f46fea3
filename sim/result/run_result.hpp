// What a run gives, as values. Names are the keys of result.json (schema stagger.result/1); all quantities SI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagger {

/// A mean with its confidence interval.
struct Interval {
  double mean = 0.0;
  double ci_low = 0.0;
  double ci_high = 0.0;
  double confidence = 0.95;
  double standard_error = 0.0;
};

/// Of all gradients that were applied, each server weighted by its bytes.
struct StalenessResult {
  double mean = 0.0;
  double standard_error = 0.0;                   ///< of the mean, from batch means
  double variance = 0.0;                         ///< divides by n
  long long p50 = 0, p90 = 0, p99 = 0, max = 0;  ///< p50: the smallest k with P(staleness <= k) >= 0.5
  std::vector<double> pmf;                       ///< pmf[k] = P(staleness = k); sums to 1
};

/// The four shares are of blocked time and add up to 1; wait is time at a server: queueing, update, held back by the
/// policy.
struct WorkerResult {
  std::string name;
  double updates = 0.0;  ///< accepted gradients, byte-weighted mean over servers
  double updates_per_s = 0.0;
  double staleness_mean = 0.0;
  double compute_share = 0.0, pull_share = 0.0, push_share = 0.0, wait_share = 0.0;
  double dropped = 0.0;  ///< gradients that came too late, byte-weighted mean over servers
};

struct ServerResult {
  std::string name;
  std::string host;
  double updates = 0.0;  ///< versions
  double bytes_in = 0.0, bytes_out = 0.0;
  double update_utilization = 0.0;  ///< busy share of its update threads
  double queue_mean = 0.0;          ///< gradients waiting or in service
};

struct LinkResult {
  std::string name;       ///< HOST
  std::string direction;  ///< up, down; loopback where it is limited
  double bytes = 0.0;
  double utilization = 0.0;  ///< bytes / (capacity * efficiency * time)
};

/// A station of the predictor's network. `utilization`: mean busy share, or of the capacity of a load-dependent
/// station.
struct StationResult {
  std::string name;
  std::string kind;  ///< delay, queueing or load-dependent
  double demand_s = 0.0;
  double utilization = 0.0;
  double queue_mean = 0.0;   ///< workers at the station
  double residence_s = 0.0;  ///< per step
};

struct SimulatedResult {
  double time_s = 0.0;  ///< measured, after warm-up
  double updates = 0.0;
  double warmup_updates = 0.0;
  double warmup_s = 0.0;
  Interval updates_per_s;
  Interval examples_per_s;
  StalenessResult staleness;
  std::vector<WorkerResult> workers;
  std::vector<ServerResult> servers;
  std::vector<LinkResult> links;
  std::vector<StationResult> stations;
  std::vector<std::string> warnings;
};

/// Of equal workers among others.
struct KindStaleness {
  std::string first;  ///< worker of that kind
  int workers = 0;
  double mean = 0.0;
  double variance = 0.0;
  std::vector<double> pmf;
};

struct PredictedStaleness {
  std::string method;
  double mean = 0.0;
  std::optional<double> variance;  ///< none: the method gives no distribution
  std::vector<double> pmf;
  std::vector<KindStaleness> kinds;  ///< where workers differ
};

/// What throughput gains when a resource gets `more`, both as shares: 0.1 is 10 %.
struct Sensitivity {
  std::string resource;
  double more = 0.0;
  double gain = 0.0;
};

struct Bounds {
  double lower_updates_per_s = 0.0;
  double upper_updates_per_s = 0.0;
};

/// What one method says about measured points.
struct MethodResult {
  std::string method;                          ///< mva, linear_scaling, interpolation, regression
  std::vector<std::optional<double>> per_s{};  ///< none: it has no value for that point
  // Over the points for which it has a value:
  std::optional<double> mean_error{};        ///< mean absolute relative error
  std::optional<double> model_mean_error{};  ///< that of mva
  std::optional<double> kendall_tau{};       ///< between its ranking and the measured one
};

/// Throughputs that were measured with different numbers of workers, and what several methods say.
struct MeasuredComparison {
  std::string quantity;  ///< updates_per_s or examples_per_s
  std::vector<long long> workers;
  std::vector<double> measured_per_s;
  std::vector<MethodResult> methods;  ///< mva first
};

struct PredictedResult {
  std::string method;
  double updates_per_s = 0.0;
  double examples_per_s = 0.0;
  Bounds bounds;                              ///< the tightest that hold for this job
  double capacity_upper_updates_per_s = 0.0;  ///< holds for every job, whatever its distributions and policy
  double knee_workers = 0.0;
  PredictedStaleness staleness;
  std::vector<StationResult> stations;
  std::vector<Sensitivity> sensitivities;  ///< the largest gain first
  std::vector<std::string> warnings;
  std::vector<std::string> not_covered;  ///< assumptions of the model that this job breaks; empty: covered
  std::optional<MeasuredComparison> measured;
};

enum class Verdict { agree, disagree, not_covered };
inline const char* verdict_text(Verdict verdict) {
  return verdict == Verdict::agree ? "agree" : verdict == Verdict::disagree ? "disagree" : "not_covered";
}

struct CheckResult {
  double throughput_relative_error = 0.0;  ///< predicted / simulated - 1
  double staleness_mean_error = 0.0;       ///< predicted - simulated
  std::optional<double> staleness_total_variation;
  bool within_confidence = false;  ///< the prediction lies in the confidence interval
  Verdict verdict = Verdict::not_covered;
  std::vector<std::string> reasons;
};

struct Bottleneck {
  std::string resource;
  double utilization = 0.0;
  std::optional<double> next_slack;  ///< 1 - utilization of the next in the ranking
};

struct CostResult {
  double usd_per_hour = 0.0;
  double usd_per_million_examples = 0.0;
};

struct Versions {
  std::string stagger;
  std::string simgrid;
};

struct RunResult {
  std::string scenario;
  std::uint64_t seed = 1;
  std::string engine;
  Versions versions;
  std::optional<SimulatedResult> simulated;  ///< none: prediction only
  PredictedResult predicted;
  std::optional<CheckResult> check;
  std::vector<Bottleneck> bottlenecks;
  std::optional<CostResult> cost;  ///< where hosts have prices
  bool incomplete = false;         ///< interrupted before its end
};

}  // namespace stagger
