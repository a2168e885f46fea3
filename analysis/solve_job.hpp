// A job's queueing network and its solution.
#pragma once

#include <string>
#include <vector>

#include "analysis/model.hpp"
#include "analysis/multiclass.hpp"
#include "analysis/mva.hpp"
#include "analysis/worker_kinds.hpp"

namespace stagger {

/// Steps per second, as one kind of workers makes and sees them.
struct KindRate {
  WorkerKind kind;
  double per_worker_per_s = 0.0;
  double others_per_s = 0.0;  ///< of all other workers together, were one of this kind missing
};

/// What a first-come server with another distribution than the exponential may do to a step's time and still be
/// neglected.
inline constexpr double kNegligibleShare = 0.002;

struct SolvedJob {
  std::string method;      ///< of solving the network: "MVA", "multi-class MVA", "Linearizer", …
  bool exact = true;       ///< the solution of the network
  bool corrected = false;  ///< beyond the network, for first-come service
  Model model;
  MulticlassNetwork classes;         ///< what was solved, a class for each kind; without classes: it was model.stations
  std::vector<MvaStation> stations;  ///< of model.stations, with all workers
  std::vector<KindRate> kinds;       ///< none: more than kMostKinds
  double gradients_per_s = 0.0;
  double examples_per_s = 0.0;
  double fewer_per_s = 0.0;    ///< gradients with one worker less, the mean over steps
  double update_wait_s = 0.0;  ///< of a step, for updates, were they exponential
};

/// The method in words: "exact MVA", "Linearizer", "MVA, corrected for first-come service".
std::string method_text(const SolvedJob& job);

/// Equal workers by exact MVA. Workers of several kinds by the multi-class network: the stations of model.hpp with the
/// demands of each kind; where those of a shared link differ, because their own NICs do, the link is a queue with its
/// saturated demand and each kind has the rest of its own as a delay, which is an approximation. More than kMostKinds:
/// the one class of averages of model.hpp. In lv08, also with averages,
/// how much the transfers of one direction slow those of the other depends on how busy they are: a fixed point, found
/// to 1e-9. Requires a job in the long run (long_run.hpp). Throws as make_model and the solvers do.
SolvedJob solve_network(const Layout& layout);

/// The same, corrected for first-come service: first_come_updates.hpp.
SolvedJob solve_job(const Layout& layout);

}  // namespace stagger
