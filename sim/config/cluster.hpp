// The hosts and links of a platform, each by itself, and the path between two hosts. What an engine simulates and the
// predictor computes with; nothing of SGD in here.
#pragma once

#include <string>
#include <vector>

#include "sim/config/spec.hpp"

namespace stagger {

struct Cluster {
  enum class Direction { up, down, loopback };
  struct Link {
    std::string name;  ///< HOST or rack-K
    Direction direction = Direction::up;
    BytesPerSecond goodput = kUnlimited;
    Seconds latency{};  ///< its share of the one-way latency of each path through it, as the platform gives it
    int profile = -1;   ///< index into profiles; -1: the bandwidth does not change
  };
  struct Host {
    std::string name;
    int rack = 0;
  };

  NetworkModel model = NetworkModel::ideal;
  Sharing sharing = Sharing::fair;
  std::vector<Host> hosts{};
  int racks = 0;  ///< behind an uplink each; 0: all hosts are on one non-blocking switch
  /// Three a host (up, down, loopback), then two a rack (up, down). A path takes the latency of a NIC or an uplink at
  /// both of its ends.
  std::vector<Link> links{};

  std::vector<BandwidthProfile> profiles{};

  static int up(int host) { return 3 * host; }
  static int down(int host) { return 3 * host + 1; }
  static int loopback(int host) { return 3 * host + 2; }
  int rack_up(int rack) const { return 3 * static_cast<int>(hosts.size()) + 2 * rack; }
  int rack_down(int rack) const { return rack_up(rack) + 1; }
  const Link& link(int index) const { return links[static_cast<std::size_t>(index)]; }

  /// The links from one host to another, in order, so that the last is the receiving link; within a host its loopback.
  std::vector<int> path(int from, int to) const;
  /// One way, what a message without bytes takes: the latencies of the path, times 13.01 in lv08.
  Seconds latency(int from, int to) const;
  /// What one flow can use of a link that it has for itself, and its profile does not reduce: the goodput, times 0.97
  /// in lv08.
  BytesPerSecond rate(int link) const;
  /// The mean share of its goodput that a link has between two times, from < to.
  double mean_share(int link, Seconds from, Seconds to) const;
  /// The limit that the TCP window sets for one flow: unlimited; in lv08 0.97 * window / (2 * latency).
  BytesPerSecond window_rate(int from, int to) const;
};

/// SimGrid's TCP model LV08 (Velho & Legrand, "Accuracy study and improvement of network simulation in the SimGrid
/// framework", SIMUTools 2009; values of SimGrid 3.32). Slow start and headers: latency * 13.01, bandwidth * 0.97.
/// Acknowledgements: a flow takes 5 % of its rate on the way back. A window of 4 MiB per round trip, whose latency
/// counts without the factor.
inline constexpr double kLv08Latency = 13.01;
inline constexpr double kLv08Bandwidth = 0.97;
inline constexpr double kLv08CrossTraffic = 0.05;
inline constexpr Bytes kLv08Window{4194304.0};

/// `counts`: hosts of each group. Racks are filled in the order of the groups, but for groups whose placement says
/// otherwise.
Cluster make_cluster(const PlatformSpec& platform, const std::vector<long long>& counts);

/// The same with a constant bandwidth, the mean in the long run, in place of each that changes.
Cluster with_mean_bandwidths(Cluster cluster);

}  // namespace stagger
