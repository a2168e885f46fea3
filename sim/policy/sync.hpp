// Synchronisation policies: when a worker may read, which gradients count, and when they make a version. Pure state
// machines, one object per server, which see only what that server receives. A new policy is one class and one row in
// make_sync.
//
// With N workers, c gradients in a version (each is applied as it comes, and costs one update):
//   asp             nobody waits; c = 1.
//   bsp             rounds of one gradient each; c = N (Valiant, "A bridging model for parallel computation", CACM 33,
//                   1990).
//   ssp             nobody is more than `slack` clocks ahead: a worker that has completed n steps reads for the next
//   iff
//                   n - min <= slack, min over all workers; c = 1 (Ho et al., "More effective distributed ML via a
//                   stale synchronous parallel parameter server", NIPS 2013). inf is asp.
//   backup_workers  rounds of the first N - extra gradients; a gradient of an earlier round, or that comes later, is
//                   dropped, and its worker reads again when the round is over; nothing is cancelled; c = N - extra
//                   (Chen, Pan, Monga, Bengio & Jozefowicz, "Revisiting distributed synchronous SGD", 2016).
//   k_sync          the same with c = k, and the steps that are under way at the end of a round are cancelled
//   k_batch_sync    k gradients of whichever workers, several of one worker too: who has pushed reads again at once;
//                   the rest is cancelled; c = k
//   k_async         gradients of k different workers, of whatever version; who has contributed waits for the version,
//                   the others compute on; c = k
//   k_batch_async   any k gradients; nobody waits; c = k (the four: Dutta, Joshi, Ghosh, Dube & Nagpurkar, "Slow and
//                   stale gradients can win the race", AISTATS 2018, sec. 2)
//   n_softsync      any floor(N / n) gradients; nobody waits; c = floor(N / n) (Zhang, Gupta, Lian & Liu,
//                   "Staleness-aware async-SGD for distributed deep learning", IJCAI 2016)
#pragma once

#include <cstdint>
#include <memory>

#include "sim/config/spec.hpp"

namespace stagger {

/// Steps that a worker has completed.
using Clock = std::int64_t;

class SyncPolicy {
 public:
  virtual ~SyncPolicy() = default;
  /// Whether `worker`, which has completed `clock` steps, may read now. May turn from false to true only by a new
  /// version.
  virtual bool may_read(int worker, Clock clock) const = 0;
  /// A gradient of `worker` has arrived, `is_old` if a version has been made since its read. False: it is dropped.
  virtual bool accepts(int /*worker*/, bool /*is_old*/) { return true; }
  /// The apply of an accepted gradient has ended; `clock` counts the steps that the worker has completed with it. True:
  /// the version counts up.
  virtual bool on_applied(int worker, Clock clock) = 0;
  /// Whether a new version cancels the steps that are under way.
  virtual bool cancels() const { return false; }
};

/// Requires workers >= 1 and parameters that make_layout finds good.
std::unique_ptr<SyncPolicy> make_sync(const SyncSpec& sync, int workers);

}  // namespace stagger
