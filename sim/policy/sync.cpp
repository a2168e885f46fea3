#include "sim/policy/sync.hpp"

#include <stdexcept>

#include "sim/config/sync.hpp"
#include "sim/policy/clocks.hpp"
#include "sim/policy/dsp.hpp"
#include "sim/policy/dssp.hpp"
#include "sim/policy/rounds.hpp"

namespace stagger {
std::unique_ptr<SyncPolicy> make_sync(const SyncSpec& sync, int workers) {
  const auto rounds = [&](bool once, bool fresh) {
    const auto gradients = [sync](long long here) { return gradients_per_version(sync, here); };
    return make_rounds({gradients, once, fresh, cancels_steps(sync)}, workers);
  };
  switch (sync.kind) {
    case SyncKind::asp:
      return make_clocks(kInfinity, false, workers);
    case SyncKind::bsp:
      return make_clocks(0.0, true, workers);
    case SyncKind::ssp:
      return make_clocks(sync.slack.clocks, false, workers);
    case SyncKind::bounded_delay:
      return make_clocks(static_cast<double>(sync.delay), true, workers);
    case SyncKind::dssp:
      return make_dssp(sync.low, sync.high, sync.cap == Cap::on, workers);
    case SyncKind::dsp:
    case SyncKind::a_dsp:
      return make_dsp(sync.low, sync.high, sync.memory, workers);
    case SyncKind::backup_workers:
    case SyncKind::k_sync:
      return rounds(true, true);
    case SyncKind::k_batch_sync:
      return rounds(false, true);
    case SyncKind::k_async:
      return rounds(true, false);
    case SyncKind::k_batch_async:
    case SyncKind::n_softsync:
      return rounds(false, false);
  }
  throw std::logic_error("unknown synchronisation policy");
}

}  // namespace stagger
