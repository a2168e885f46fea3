// Synchronisation policies: when a worker may read, which gradients count, and when they make a version. Pure state
// machines, one object per server, which see only what that server receives. A new policy is one class and one row in
// make_sync.
//
// With N workers, c gradients in a version (each is applied as it comes, and costs one update):
//   asp             nobody waits; c = 1.
//   bsp             rounds of one gradient each; c = N (Valiant, "A bridging model for parallel computation", CACM 33,
//                   1990).
//   ssp             nobody is more than `slack` clocks ahead: a worker that has completed n steps reads for the next
//                   iff n - min <= slack, min over all workers; c = 1 (Ho et al., "More effective distributed ML via a
//                   stale synchronous parallel parameter server", NIPS 2013). inf is asp.
//   bounded_delay   the same with steps of all workers in place of steps: reads iff n - min <= delay; c = N, a version
//                   is a step that all have completed (Li, Andersen, Smola & Yu, "Communication efficient distributed
//                   machine learning with the parameter server", NIPS 2014). 0 is bsp.
//   dssp            {low, high, cap}: n - min <= low reads. Else, when the fastest worker pushes and has no credit
//                   left, the server expects its next pushes and those of the slowest at the distance of the last
//                   two, Sim_p[r] = t_p + r I_p, Sim_slowest[k] = t_s + (k + 1) I_s for r, k = 0 ... high - low, and
//                   grants the r* steps for which min_k |Sim_slowest[k] - Sim_p[r]| is least; with r* = 0, or who is
//                   not the fastest, it waits as in ssp (Zhao, An, Liu & Chen, "Dynamic stale synchronous parallel
//                   distributed training for deep learning", ICDCS 2019, Algorithms 1 and 2). Two readings are settled
//                   here: the step that may begin at once is the first of the r*; and, as the rule says, credit is
//                   granted anew however far the worker is ahead, so that `high` bounds one grant and not the lead -
//                   `cap` bounds the lead too: n - min <= high. c = 1.
//   dsp             {slack, high, memory}: as ssp, but steps that the slowest lost to passing interference do not
//                   count: reads iff n - min over workers (clock + lost) <= slack, and n - min <= high. A worker's step
//                   (from its read to the arrival of its gradient) that takes more than 1.5 times its usual time loses
//                   (time / usual - 1) clocks, also while it lasts; its usual time is the median of its last `memory`
//                   steps, so that what lasts longer than half of that is its usual pace: a node that is always slow
//                   loses nothing, and is waited for as in ssp. Each step in time repays a quarter of a clock. c = 1.
//                   The idea of a threshold that a performance monitor sets is from Sensors 17(10):2172, 2017
//                   (Hangzhou Dianzi University), which does not publish its formula: this one is ours.
//   a_dsp           dsp, with the examples of each worker balanced by adapt_fr (the idea: Wireless Networks 26(8),
//                   2020).
//   backup_workers  rounds of the first N - extra gradients; a gradient of an earlier round, or that comes later, is
//                   dropped, and its worker reads again when the round is over; nothing is cancelled; c = N - extra
//                   (Chen, Pan, Monga, Bengio & Jozefowicz, "Revisiting distributed synchronous SGD", 2016).
//   k_sync          the same with c = k, and the steps that are under way at the end of a round are cancelled.
//   k_batch_sync    k gradients of whichever workers, several of one worker too: who has pushed reads again at once;
//                   the rest is cancelled; c = k.
//   k_async         gradients of k different workers, of whatever version; who has contributed waits for the version,
//                   the others compute on; c = k.
//   k_batch_async   any k gradients; nobody waits; c = k (the four: Dutta, Joshi, Ghosh, Dube & Nagpurkar, "Slow and
//                   stale gradients can win the race", AISTATS 2018, sec. 2).
//   n_softsync      any floor(N / n) gradients; nobody waits; c = floor(N / n) (Zhang, Gupta, Lian & Liu,
//                   "Staleness-aware async-SGD for distributed deep learning", IJCAI 2016).
//
// Workers that leave do not hold up the others, under any policy: N and the minimum are over those who are here; rounds
// end with what they have (backup_workers: max(N - extra, 1), k_sync and k_async: min(k, N), n_softsync: max(floor(N /
// n), 1) gradients; k_batch_…: still k), at once if that is there already. Who returns counts as if it had completed as
// many steps as the slowest, and takes part in the round under way.
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
  /// version, or when a worker leaves.
  virtual bool may_read(int worker, Clock clock) const = 0;
  /// `worker` reads now.
  virtual void on_read(int /*worker*/, Seconds /*now*/) {}
  /// A gradient of `worker` has arrived, `is_old` if a version has been made since its read. False: it is dropped.
  virtual bool accepts(int /*worker*/, bool /*is_old*/) { return true; }
  /// The apply of an accepted gradient that came at `arrived` has ended; `clock` counts the steps that the worker has
  /// completed with it. True: the version counts up.
  virtual bool on_applied(int worker, Clock clock, Seconds arrived) = 0;
  /// `worker`, which has read and not pushed since, leaves. True: the version counts up.
  virtual bool on_leave(int worker) = 0;
  /// It is back, and will ask to read; `clock` as before it left.
  virtual void on_return(int worker, Clock clock) = 0;
  /// Whether a new version cancels the steps that are under way.
  virtual bool cancels() const { return false; }
};

/// Requires workers >= 1 and parameters that make_layout finds good.
std::unique_ptr<SyncPolicy> make_sync(const SyncSpec& sync, int workers);

}  // namespace stagger
