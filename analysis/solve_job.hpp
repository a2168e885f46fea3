// A job's queueing network and its solution.
#pragma once

#include "analysis/model.hpp"
#include "analysis/mva.hpp"

namespace stagger {

struct SolvedJob {
  Model model;
  MvaResult solution;  ///< of model.stations with all workers
  double gradients_per_s() const { return solution.throughput_per_s.back(); }
  /// With one worker less.
  double fewer_per_s() const { return solution.throughput_per_s[solution.throughput_per_s.size() - 2]; }
};

/// Bandwidths that change count with their mean. In lv08, how much the transfers of one direction slow those of the
/// other depends on how busy they are: a fixed point, found to 1e-9. Throws as make_model and solve_mva do.
SolvedJob solve_job(const Layout& layout);

}  // namespace stagger
