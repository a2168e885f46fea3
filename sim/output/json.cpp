#include "sim/output/json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/input_error.hpp"

namespace stagger {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity, and neither has a result.
Json number(double value) {
  if (!std::isfinite(value)) throw SimulationError("a number in the result is not finite");
  // Whole numbers, such as counts of updates, are written as such.
  if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
  return value;
}

template <class T>
Json optional_number(const std::optional<T>& value) {
  return value ? number(*value) : Json(nullptr);
}

template <class T, class F>
Json array_of(const std::vector<T>& values, F each) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(each(value));
  return array;
}

Json to(const Interval& v) {
  return {{"mean", number(v.mean)},
          {"ci_low", number(v.ci_low)},
          {"ci_high", number(v.ci_high)},
          {"confidence", number(v.confidence)},
          {"standard_error", number(v.standard_error)}};
}

Json to(const StalenessResult& v) {
  return {{"mean", number(v.mean)},
          {"standard_error", number(v.standard_error)},
          {"variance", number(v.variance)},
          {"p50", v.p50},
          {"p90", v.p90},
          {"p99", v.p99},
          {"max", v.max},
          {"pmf", array_of(v.pmf, number)}};
}

Json to(const WorkerResult& v) {
  return {{"name", v.name},
          {"updates", number(v.updates)},
          {"updates_per_s", number(v.updates_per_s)},
          {"staleness_mean", number(v.staleness_mean)},
          {"dropped", number(v.dropped)},
          {"compute_share", number(v.compute_share)},
          {"pull_share", number(v.pull_share)},
          {"push_share", number(v.push_share)},
          {"wait_share", number(v.wait_share)}};
}

Json to(const ServerResult& v) {
  return {{"name", v.name},
          {"host", v.host},
          {"updates", number(v.updates)},
          {"bytes_in", number(v.bytes_in)},
          {"bytes_out", number(v.bytes_out)},
          {"update_utilization", number(v.update_utilization)},
          {"queue_mean", number(v.queue_mean)}};
}

Json to(const LinkResult& v) {
  return {
      {"name", v.name}, {"direction", v.direction}, {"bytes", number(v.bytes)}, {"utilization", number(v.utilization)}};
}

Json to(const StationResult& v) {
  return {{"name", v.name},
          {"kind", v.kind},
          {"demand_s", number(v.demand_s)},
          {"utilization", number(v.utilization)},
          {"queue_mean", number(v.queue_mean)},
          {"residence_s", number(v.residence_s)}};
}

Json to(const SimulatedResult& v) {
  const auto object = [](const auto& value) { return to(value); };
  return {{"time_s", number(v.time_s)},
          {"updates", number(v.updates)},
          {"warmup_updates", number(v.warmup_updates)},
          {"warmup_s", number(v.warmup_s)},
          {"updates_per_s", to(v.updates_per_s)},
          {"examples_per_s", to(v.examples_per_s)},
          {"staleness", to(v.staleness)},
          {"workers", array_of(v.workers, object)},
          {"servers", array_of(v.servers, object)},
          {"links", array_of(v.links, object)},
          {"stations", array_of(v.stations, object)},
          {"warnings", v.warnings}};
}

Json to(const Sensitivity& v) { return {{"resource", v.resource}, {"more", number(v.more)}, {"gain", number(v.gain)}}; }

Json to(const KindStaleness& v) {
  return {{"first_worker", v.first},
          {"workers", v.workers},
          {"mean", number(v.mean)},
          {"variance", number(v.variance)},
          {"pmf", array_of(v.pmf, number)}};
}

/// "mva_per_s" and so on beside what was measured, for each point.
Json to(const MeasuredComparison& v) {
  Json points = Json::array();
  for (std::size_t i = 0; i < v.workers.size(); ++i) {
    Json point{{"workers", v.workers[i]}, {"measured_per_s", number(v.measured_per_s[i])}};
    for (const MethodResult& method : v.methods) point[method.method + "_per_s"] = optional_number(method.per_s[i]);
    points.push_back(std::move(point));
  }
  return {{"quantity", v.quantity},
          {"points", points},
          {"methods", array_of(v.methods, [](const MethodResult& method) {
             return Json{{"method", method.method},
                         {"mean_absolute_error", optional_number(method.mean_error)},
                         {"mva_mean_absolute_error", optional_number(method.model_mean_error)},
                         {"kendall_tau", optional_number(method.kendall_tau)}};
           })}};
}

Json to(const PredictedResult& v) {
  Json json{{"method", v.method},
            {"updates_per_s", number(v.updates_per_s)},
            {"examples_per_s", number(v.examples_per_s)},
            {"bounds",
             {{"lower_updates_per_s", number(v.bounds.lower_updates_per_s)},
              {"upper_updates_per_s", number(v.bounds.upper_updates_per_s)}}},
            {"knee_workers", std::isinf(v.knee_workers) ? Json(nullptr) : number(v.knee_workers)},
            {"staleness",
             {{"method", v.staleness.method},
              {"mean", number(v.staleness.mean)},
              {"variance", optional_number(v.staleness.variance)},
              {"pmf", array_of(v.staleness.pmf, number)},
              {"kinds", array_of(v.staleness.kinds, [](const KindStaleness& kind) { return to(kind); })}}},
            {"stations", array_of(v.stations, [](const StationResult& station) { return to(station); })},
            {"sensitivities", array_of(v.sensitivities, [](const Sensitivity& each) { return to(each); })},
            {"warnings", v.warnings},
            {"not_covered", v.not_covered}};
  if (v.measured) json["measured"] = to(*v.measured);
  return json;
}

Json to(const CheckResult& v) {
  return {{"throughput_relative_error", number(v.throughput_relative_error)},
          {"staleness_mean_error", number(v.staleness_mean_error)},
          {"staleness_total_variation", optional_number(v.staleness_total_variation)},
          {"within_confidence", v.within_confidence},
          {"verdict", verdict_text(v.verdict)},
          {"reasons", v.reasons}};
}

/// File names need not be UTF-8; what is not gets U+FFFD.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

/// Bare numbers of the effective scenario become JSON numbers, everything else a text.
Json to(const Tree& tree) {
  switch (tree.kind) {
    case Tree::Kind::null:
      return nullptr;
    case Tree::Kind::scalar: {
      const Json parsed = Json::parse(tree.text, nullptr, false);
      // A name such as 1.50 stays a text.
      return parsed.is_number() && parsed.dump() == tree.text ? parsed : Json(tree.text);
    }
    case Tree::Kind::sequence:
      return array_of(tree.items, [](const Tree& item) { return to(item); });
    case Tree::Kind::mapping:
      break;
  }
  Json object = Json::object();
  for (const Tree& item : tree.items) object[item.key] = to(item);
  return object;
}

}  // namespace

std::string to_json(const Tree& effective) { return dump(to(effective)); }

std::string to_json(const RunResult& result, const Scenario& scenario) {
  Json json{{"schema", "stagger.result/1"},
            {"scenario", result.scenario},
            {"seed", result.seed},
            {"engine", result.engine},
            {"versions", {{"stagger", result.versions.stagger}, {"simgrid", result.versions.simgrid}}},
            {"incomplete", result.incomplete},
            {"effective", to(effective_tree(scenario.spec))}};
  if (result.simulated) json["simulated"] = to(*result.simulated);
  json["predicted"] = to(result.predicted);
  if (result.check) json["check"] = to(*result.check);
  if (result.simulated)
    json["bottlenecks"] = array_of(result.bottlenecks, [](const Bottleneck& v) {
      return Json{{"resource", v.resource},
                  {"utilization", number(v.utilization)},
                  {"next_slack", optional_number(v.next_slack)}};
    });
  if (result.cost)
    json["cost"] = {{"usd_per_hour", number(result.cost->usd_per_hour)},
                    {"usd_per_million_examples", number(result.cost->usd_per_million_examples)}};
  return dump(json);
}

}  // namespace stagger
