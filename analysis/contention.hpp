// What workers lose to each other on links that only some of them use: several workers on a host, workers and servers
// on the same hosts, servers spread over racks. No product form describes them; this is an approximation.
#pragma once

#include <vector>

#include "analysis/lone_step.hpp"

namespace stagger {

/// Whether a rack's uplink can be the bottleneck: it is narrower than all its hosts' NICs together.
bool is_oversubscribed(const Cluster& cluster, int rack);

/// The workers whose transfers a link carries. `all` alike, with as many transfers each in each phase: it is a station
/// of the network (model.hpp). `some`, or all but not alike. `one`, with nothing else that uses it. `nobody`; so counts
/// a link that never fills.
enum class UsedBy : char { nobody, one, all, some };

struct Contention {
  /// [worker] as lone_steps, with push_s and pull_s as long as the other workers' transfers make them on links that
  /// `some` use.
  std::vector<LoneStep> steps;
  std::vector<UsedBy> links;  ///< [link]
};

/// A step has two phases on the network, push and pull. On a link, a worker's f transfers get their equal share among
/// all that are there. So with p_j the probability that worker j is in a phase in which it has f_j transfers there,
///   phase = max over its links of (bytes / rate) (1 + sum over the others of w_j p_j f_j / f),   p_j = phase_j /
///   step_j,
/// by the recursion of mean value analysis over populations: what an arriving worker finds is what one worker less has
/// (Reiser & Lavenberg 1980), each worker being there with the same probability n/N; from a Bard-Schweitzer fixed point
/// (Schweitzer 1979) at N - 32 on. It takes maxima of means, and lets a transfer that is held up elsewhere take its
/// full share. w_j = 1; but 1 + (1 - 1/e) / 4 where worker j pulls while this one pushes, or the other way round: then
/// transfers to the e hosts with servers over this link are slowed unequally, and the phase waits for the last (the 1/4
/// is fitted, to one worker and one server on each of 4 to 16 hosts).
///
/// Errors of throughput against simulation: tests/layouts_simulation_test.cpp prints the table. Without a link that
/// `some` use, `steps` are lone_steps. Otherwise O(workers * links of a step) for each of at most 132 rounds.
Contention find_contention(const Layout& layout);

}  // namespace stagger
