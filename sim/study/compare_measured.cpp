#include "sim/study/compare_measured.hpp"

#include <cmath>

#include "analysis/baselines.hpp"
#include "sim/result/statistics.hpp"
#include "sim/study/run.hpp"

namespace stagger {
namespace {

double predicted_per_s(const Scenario& scenario, long long workers, bool of_examples) {
  const PredictedResult predicted = predict_scenario(with_workers(scenario, workers)).predicted;
  return of_examples ? predicted.examples_per_s : predicted.updates_per_s;
}

/// Fills in how well the method does where it has values, and how well the model does there.
void judge(MethodResult& method, const MethodResult& model, const std::vector<double>& measured_per_s) {
  std::vector<double> measured;
  std::vector<double> said;
  double error = 0.0;
  double model_error = 0.0;
  for (std::size_t i = 0; i < measured_per_s.size(); ++i) {
    if (!method.per_s[i]) continue;
    measured.push_back(measured_per_s[i]);
    said.push_back(*method.per_s[i]);
    error += std::abs(said.back() / measured.back() - 1.0);
    model_error += std::abs(*model.per_s[i] / measured.back() - 1.0);
  }
  if (measured.empty()) return;
  method.mean_error = error / static_cast<double>(measured.size());
  method.model_mean_error = model_error / static_cast<double>(measured.size());
  method.kendall_tau = kendall_tau(measured, said);
}

}  // namespace

MeasuredComparison compare_measured(const Scenario& scenario, const MeasuredCurve& curve) {
  MeasuredComparison comparison{curve.of_examples ? "examples_per_s" : "updates_per_s", {}, {}, {}};
  MethodResult model{"mva"};
  MethodResult linear{"linear_scaling"};
  MethodResult interpolation{"interpolation"};
  MethodResult regression{"regression"};
  std::vector<ScalingPoint> points;
  for (const MeasuredPoint& point : curve.points) points.push_back({static_cast<double>(point.workers), point.per_s});
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double workers = points[i].workers;
    std::vector<ScalingPoint> others = points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    comparison.workers.push_back(curve.points[i].workers);
    comparison.measured_per_s.push_back(points[i].per_s);
    model.per_s.emplace_back(predicted_per_s(scenario, curve.points[i].workers, curve.of_examples));
    linear.per_s.push_back(i > 0 ? std::optional(linear_scaling(points.front(), workers)) : std::nullopt);
    interpolation.per_s.push_back(interpolate(others, workers));
    regression.per_s.push_back(ernest(std::span(points).first(i), workers));
  }
  comparison.methods = {model, linear, interpolation, regression};
  for (MethodResult& method : comparison.methods) judge(method, model, comparison.measured_per_s);
  return comparison;
}

}  // namespace stagger
