// The table of fields of each struct in spec.hpp, and the forms that are not simply a mapping of fields. Included only
// by the sources of sim/config.
#pragma once

#include <array>

#include "sim/config/codec.hpp"
#include "sim/config/spec.hpp"

namespace stagger {

constexpr auto names(NetworkModel) {
  return std::array{NamedValue{"ideal", NetworkModel::ideal}, NamedValue{"lv08", NetworkModel::lv08}};
}
constexpr auto names(RackPlacement) {
  return std::array{NamedValue{"in_order", RackPlacement::in_order}, NamedValue{"spread", RackPlacement::spread},
                    NamedValue{"own", RackPlacement::own}};
}
constexpr auto names(Sharing) {
  return std::array{NamedValue{"fair", Sharing::fair}, NamedValue{"fifo", Sharing::fifo}};
}
constexpr auto names(EngineKind) {
  return std::array{NamedValue{"simgrid", EngineKind::simgrid}, NamedValue{"fluid", EngineKind::fluid}};
}
constexpr auto names(Exchange) {
  return std::array{NamedValue{"separate", Exchange::separate}, NamedValue{"fused", Exchange::fused}};
}
constexpr auto names(Priority) {
  return std::array{NamedValue{"none", Priority::none}, NamedValue{"pulls", Priority::pulls},
                    NamedValue{"pushes", Priority::pushes}};
}
constexpr auto names(SyncKind) {
  using enum SyncKind;
  return std::array{NamedValue{"asp", asp},
                    NamedValue{"bsp", bsp},
                    NamedValue{"ssp", ssp},
                    NamedValue{"bounded_delay", bounded_delay},
                    NamedValue{"dssp", dssp},
                    NamedValue{"dsp", dsp},
                    NamedValue{"backup_workers", backup_workers},
                    NamedValue{"k_sync", k_sync},
                    NamedValue{"k_batch_sync", k_batch_sync},
                    NamedValue{"k_async", k_async},
                    NamedValue{"k_batch_async", k_batch_async},
                    NamedValue{"n_softsync", n_softsync}};
}
constexpr auto names(LinkDirection) {
  return std::array{NamedValue{"both", LinkDirection::both}, NamedValue{"up", LinkDirection::up},
                    NamedValue{"down", LinkDirection::down}};
}
constexpr auto names(Cap) { return std::array{NamedValue{"false", Cap::off}, NamedValue{"true", Cap::on}}; }
constexpr auto names(DistributionKind) {
  using enum DistributionKind;
  return std::array{NamedValue{"deterministic", deterministic},
                    NamedValue{"exponential", exponential},
                    NamedValue{"gamma", gamma},
                    NamedValue{"lognormal", lognormal},
                    NamedValue{"uniform", uniform},
                    NamedValue{"weibull", weibull},
                    NamedValue{"empirical", empirical}};
}

template <class V, Like<HostGroupSpec> S>
void fields(V& v, S& s) {
  v.optional("count", s.count, kCount);
  v.optional("nic", s.nic);
  v.optional("speed", s.speed, kPositive);
  v.optional("price", s.price, kNotNegative);
  v.optional("placement", s.placement);
}

template <class V, Like<BandwidthProfile::Step> S>
void fields(V& v, S& s) {
  v.required("at", s.at, kNotNegative);
  v.required("share", s.share, Range{0, true, 1, "a share of the bandwidth from 0 to 1, such as 25 %"});
}

template <class V, Like<RackSpec> S>
void fields(V& v, S& s) {
  v.required("size", s.size, kCount);
  v.required("uplink", s.uplink, kPositive);
  v.optional("latency", s.latency, kNotNegative);
  v.optional("profile", s.profile);
}

template <class V, Like<NetworkSpec> S>
void fields(V& v, S& s) {
  v.optional("model", s.model);
  v.optional("efficiency", s.efficiency, kFraction);
  v.optional("sharing", s.sharing);
  v.optional("loopback", s.loopback, kPositive);
}

template <class V, Like<PlatformSpec> S>
void fields(V& v, S& s) {
  v.optional("name", s.name);
  v.optional("network", s.network);
  v.required("hosts", s.hosts);
  v.optional("topology", s.topology);
}

// Compute and update times name their distribution among their own keys: distribution, cv, values, file, column, unit.
// `mean` takes the mean of empirical samples where nothing else gives one.
void distribution_fields(MappingReader& reader, Distribution& out, std::optional<Seconds>* mean);
void distribution_fields(MappingWriter& writer, const Distribution& value, const std::optional<Seconds>* mean);

template <class V, Like<ComputeSpec> S>
void fields(V& v, S& s) {
  v.optional("mean", s.mean, kNotNegative);
  v.optional("examples_per_s", s.examples_per_s, kPositive);
  v.optional("utilization", s.utilization, kFraction);
  distribution_fields(v, s.distribution, &s.mean);
}

template <class V, Like<WorkerGroupSpec> S>
void fields(V& v, S& s) {
  v.required("on", s.on);
  v.optional("count", s.count, kCount);
  v.optional("per_host", s.per_host, kCount);
  v.optional("batch", s.batch, kCount);
  v.optional("compute", s.compute);
}

template <class V, Like<UpdateSpec> S>
void fields(V& v, S& s) {
  v.optional("fixed", s.fixed, kNotNegative);
  v.optional("rate", s.rate, kPositive);
  distribution_fields(v, s.distribution, nullptr);
}

template <class V, Like<ServerGroupSpec> S>
void fields(V& v, S& s) {
  v.required("on", s.on);
  v.optional("count", s.count, kCount);
  v.optional("per_host", s.per_host, kCount);
  v.optional("threads", s.threads, kCount);
  v.optional("update", s.update);
}

template <class V, Like<PrecisionSpec> S>
void fields(V& v, S& s) {
  v.optional("relative", s.relative, kFraction);
  v.optional("confidence", s.confidence, Range{0.5, true, 0.9999, "a confidence from 50 % to 99.99 %"});
}

/// The parameters of the policy that `s` names.
template <class V, Like<SyncSpec> S>
void fields(V& v, S& s) {
  switch (s.kind) {
    case SyncKind::asp:
    case SyncKind::bsp:
      return;
    case SyncKind::ssp:
      return v.required("slack", s.slack);
    case SyncKind::bounded_delay:
      return v.required("delay", s.delay, kClocks);
    case SyncKind::dssp:
      v.required("low", s.low, kClocks);
      v.required("high", s.high, kClocks);
      return v.optional("cap", s.cap);
    case SyncKind::dsp:
    case SyncKind::a_dsp:
      v.required("slack", s.low, kClocks);
      v.required("high", s.high, kClocks);
      return v.optional("memory", s.memory, Range{8, true, 10'000, "a whole number from 8 to 10000 steps"});
    case SyncKind::backup_workers:
      return v.required("extra", s.extra, kCount);
    case SyncKind::k_sync:
    case SyncKind::k_batch_sync:
    case SyncKind::k_async:
    case SyncKind::k_batch_async:
      return v.required("k", s.k, kCount);
    case SyncKind::n_softsync:
      return v.required("n", s.n, kCount);
  }
}

inline constexpr Range kSlower{1, true, 1e6, "a factor from 1 to 1000000"};

/// {from: 0 s, until: for good}
template <class V, Like<WindowSpec> S>
void window_fields(V& v, S& s) {
  v.optional("from", s.from, kNotNegative);
  v.optional("until", s.until, kNotNegative);
}

template <class V, Like<SlowSpec> S>
void fields(V& v, S& s) {
  v.required("workers", s.workers);
  v.required("factor", s.factor, kSlower);
  window_fields(v, s.when);
}

template <class V, Like<RegimesSpec> S>
void fields(V& v, S& s) {
  v.required("workers", s.workers);
  v.required("healthy", s.healthy, kPositive);
  v.required("slow", s.slow, kPositive);
  v.required("factor", s.factor, kSlower);
}

template <class V, Like<CorrelationSpec> S>
void fields(V& v, S& s) {
  v.required("workers", s.workers);
  v.required("lag1", s.lag1, Range{0, false, 0.99, "a correlation above 0 and up to 0.99"});
}

template <class V, Like<LeaveSpec> S>
void fields(V& v, S& s) {
  v.required("workers", s.workers);
  window_fields(v, s.when);
}

template <class V, Like<StallSpec> S>
void fields(V& v, S& s) {
  v.required("servers", s.servers);
  v.required("from", s.when.from, kNotNegative);
  v.required("until", s.when.until, kNotNegative);
}

template <class V, Like<JobSpec> S>
void fields(V& v, S& s) {
  v.required("workers", s.workers);
  v.required("servers", s.servers);
  v.optional("batch", s.batch, kCount);
  v.optional("local_steps", s.local_steps, kCount);
  v.optional("compute", s.compute);
  v.optional("exchange", s.exchange);
  v.optional("priority", s.priority);
  v.optional("sync", s.sync);
  v.optional("sharding", s.sharding);
  v.optional("disturbances", s.disturbances);
}

template <class V, Like<RunSpec> S>
void fields(V& v, S& s) {
  v.optional("engine", s.engine);
  v.optional("seed", s.seed, kSeed);
  v.optional("updates", s.updates, kLongCount);
  v.optional("time", s.time, kPositive);
  v.optional("precision", s.precision);
  v.optional("warmup", s.warmup);
}

template <class V, Like<ScenarioSpec> S>
void fields(V& v, S& s) {
  v.required("platform", s.platform);
  v.required("model", s.model);
  v.required("job", s.job);
  v.optional("run", s.run);
}

/// A codec that is written by hand in fields.cpp, bandwidth.cpp or model.cpp.
template <class T>
struct CustomCodec {
  static void read(ReadContext& context, const Tree& tree, const std::string& path, T& out);
  static Tree write(const T& value);
};
/// {period, steps: [{at, share}, …]}
template <>
struct Codec<BandwidthProfile> : CustomCodec<BandwidthProfile> {};
/// Adds what a profile may leave out, and reports to `context` steps, written at `path`, that make none.
void check_profile(BandwidthProfile& profile, const std::string& path, ReadContext& context);
/// `nic: 10 Gbps`, or {bandwidth | up, down, latency, profile}.
template <>
struct Codec<NicSpec> : CustomCodec<NicSpec> {};
/// {NAME: {…}, …}
template <>
struct Codec<std::vector<HostGroupSpec>> : CustomCodec<std::vector<HostGroupSpec>> {};
/// A layer table, or {bytes: …}.
template <>
struct Codec<ModelSpec> : CustomCodec<ModelSpec> {};
/// One mapping, or a list of mappings.
template <>
struct Codec<std::vector<WorkerGroupSpec>> : CustomCodec<std::vector<WorkerGroupSpec>> {};
template <>
struct Codec<std::vector<ServerGroupSpec>> : CustomCodec<std::vector<ServerGroupSpec>> {};
/// `star`, or {racks: {size, uplink, latency}}.
template <>
struct Codec<TopologySpec> : CustomCodec<TopologySpec> {};
/// A count of clocks, or `inf`.
template <>
struct Codec<Slack> : CustomCodec<Slack> {};
/// A name, or {NAME: {…}} with the policy's parameters.
template <>
struct Codec<SyncSpec> : CustomCodec<SyncSpec> {};
/// A word, or a list of words.
template <>
struct Codec<Names> : CustomCodec<Names> {};
/// {of, direction, period, steps: [{at, share}, …]}, or file, time, column and full in place of steps.
template <>
struct Codec<LinkSpec> : CustomCodec<LinkSpec> {};
/// {NAME: {…}}
template <>
struct Codec<Disturbance> : CustomCodec<Disturbance> {};
/// `even`, or {explicit: [0.8, 0.2]}.
template <>
struct Codec<ShardingSpec> : CustomCodec<ShardingSpec> {};
/// `auto`, or a number of updates.
template <>
struct Codec<WarmupSpec> : CustomCodec<WarmupSpec> {};

}  // namespace stagger
