// The predictor's stations as they were measured in a simulation, to compare the two station by station.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/config/layout.hpp"
#include "sim/result/run_log.hpp"
#include "sim/result/run_result.hpp"

namespace stagger {

/// The stations of make_model(layout), from snapshot `cut` on. queue_mean is the time average of the workers at the
/// station (mean over servers, byte-weighted), residence_s the mean of timed visits per step: two independent
/// measurements. A transfer's latency belongs to the station "latency". utilization: of links, bytes over capacity, the
/// busiest of those the station stands for; of updates, the busiest server's; of delays, the share of the workers
/// there. demand_s is the mean compute time, latency or service as measured; of links as given.
std::vector<StationResult> measure_stations(const RunLog& log, const Layout& layout, std::size_t cut,
                                            const SimulatedResult& simulated);

}  // namespace stagger
