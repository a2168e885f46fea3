// A scenario with everything worked out: each host, worker and server by itself. Engines, jobs and the predictor start
// here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/config/cluster.hpp"
#include "sim/config/codec.hpp"
#include "sim/config/spec.hpp"

namespace stagger {

struct Layout {
  struct Host {
    std::string name;  ///< GROUP-i
    NicSpec nic;
    std::optional<Price> price;
  };
  struct Slowness {
    Seconds at{};
    double factor = 1.0;  ///< how many times longer a step takes, until the next
  };
  /// Healthy and slow in turn, for exponentially distributed times of these means.
  struct Regimes {
    Seconds healthy{};
    Seconds slow{};
    double factor = 1.0;
  };
  struct Worker {
    std::string name;        ///< GROUP-i.j: the j-th worker of host GROUP-i
    int host = 0;            ///< index into hosts
    long long batch = 1;     ///< examples that a gradient stands for: those of all its local steps
    Seconds compute_mean{};  ///< between two exchanges, which is so many local steps
    Distribution compute;    ///< of their sum
    long long local_steps = 1;
    Distribution local_compute{};  ///< of one of them
    // What disturbs it:
    std::vector<Slowness> slowness{};  ///< in the order of time, from 0 s; empty: none
    std::optional<Regimes> regimes{};
    double score_correlation = 0.0;  ///< of local steps, sim/base/correlation.hpp; 0: they are independent
    std::vector<TimeWindow> away{};  ///< in the order of time, apart from each other
  };
  struct Server {
    std::string name;  ///< server-k
    int host = 0;
    int threads = 1;
    Bytes shard{};  ///< whole bytes; the shards add up to the model
    Seconds update_mean{};
    Distribution update;
    std::vector<TimeWindow> stalls{};  ///< in the order of time, apart from each other
  };

  std::vector<Host> hosts;
  std::vector<Worker> workers;
  std::vector<Server> servers;
  Cluster cluster;  ///< of the same hosts
  Exchange exchange = Exchange::separate;
  Priority priority = Priority::none;
  SyncSpec sync{};

  /// Each server's part in the mean over servers: its share of the bytes, or equal parts of a model without bytes.
  std::vector<double> weights() const;
};

/// Places workers and servers: each mapping of the job fills the hosts of its group in order, `per_host` on each,
/// starting at the first host that no earlier mapping of the same list has used. Reports to `context` what does not
/// fit.
Layout make_layout(const ScenarioSpec& scenario, ReadContext& context);

}  // namespace stagger
