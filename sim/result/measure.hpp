// From the log of a simulation to its results.
#pragma once

#include <cstddef>
#include <optional>

#include "sim/config/layout.hpp"
#include "sim/result/run_log.hpp"
#include "sim/result/run_result.hpp"
#include "sim/result/statistics.hpp"

namespace stagger {

/// The snapshot at which measuring begins: after `warmup` versions of one server, or where MSER puts the end of the
/// warm-up, on the times between snapshots and on the mean staleness between them, whichever is later.
std::size_t find_cut(const RunLog& log, const Layout& layout, std::optional<long long> warmup);

/// Versions of one server (byte-weighted mean over servers) after snapshot `cut`.
double updates_after(const RunLog& log, const Layout& layout, std::size_t cut);

/// Versions of one server per second after snapshot `cut`, from what equal intervals of time have of them; a version
/// counts evenly over the time since the one before, so that it is not the chance of falling on one side of a border
/// that varies. Throws SimulationError for fewer than 2 updates.
BatchMeans measure_throughput(const RunLog& log, const Layout& layout, std::size_t cut);
Interval to_interval(const BatchMeans& means, double confidence);

/// Everything about the time from snapshot `cut` to the last one, but for the stations, which depend on the predictor's
/// network. Throws SimulationError when there are fewer than 2 updates, or when a balance does not hold: Little's law
/// in each stage of each server, and as many exchanges as workers.
SimulatedResult measure(const RunLog& log, const Layout& layout, std::size_t cut, double confidence);

/// Mean number of workers in a stage, and the mean time that a visit takes, over the same time; byte-weighted over
/// servers.
struct StageMean {
  double occupancy = 0.0;
  double residence_s = 0.0;  ///< per step
};
StageMean measure_stage(const RunLog& log, const Layout& layout, std::size_t cut, Stage stage);

}  // namespace stagger
