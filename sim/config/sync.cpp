#include "sim/config/sync.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/config/fields.hpp"

namespace stagger {

template <>
void CustomCodec<Slack>::read(ReadContext& context, const Tree& tree, const std::string& path, Slack& out) {
  if (tree.kind == Tree::Kind::scalar && tree.text == "inf") {
    out = {};
    return;
  }
  long long clocks = -1;
  const std::size_t before = context.problems.size();
  Codec<long long>::read(context, tree, path, clocks);
  if (context.problems.size() == before && clocks < 0)
    return context.problem(tree.mark, "'slack' is " + tree.text, "a count of 0 or more clocks, or inf");
  out.clocks = static_cast<double>(clocks);
}
template <>
Tree CustomCodec<Slack>::write(const Slack& value) {
  return std::isinf(value.clocks) ? scalar("inf") : scalar(fmt::format("{:.0f}", value.clocks));
}

template <>
void CustomCodec<SyncSpec>::read(ReadContext& context, const Tree& tree, const std::string& path, SyncSpec& out) {
  const bool has_parameters = tree.kind == Tree::Kind::mapping;
  if (has_parameters && tree.items.size() != 1)
    return context.problem(tree.mark, "several policies", "one policy, such as bsp, or {ssp: {slack: 3}}");
  Tree word = has_parameters ? scalar(tree.items.front().key) : tree;
  if (has_parameters) word.mark = tree.items.front().key_mark;
  const std::size_t before = context.problems.size();
  Codec<SyncKind>::read(context, word, path, out.kind);
  if (context.problems.size() > before) return;
  Tree parameters = has_parameters ? tree.items.front() : Tree{.kind = Tree::Kind::mapping};
  if (!has_parameters) parameters.mark = tree.mark;
  if (parameters.kind == Tree::Kind::null) parameters.kind = Tree::Kind::mapping;
  MappingReader reader(context, parameters, join_path(path, word.text));
  if (!reader.is_mapping()) return;
  fields(reader, out);
  reader.finish();
}
template <>
Tree CustomCodec<SyncSpec>::write(const SyncSpec& value) {
  MappingWriter parameters;
  fields(parameters, value);
  Tree name = Codec<SyncKind>::write(value.kind);
  if (parameters.tree.items.empty()) return name;
  MappingWriter writer;
  writer.add(name.text.c_str(), std::move(parameters.tree));
  return std::move(writer.tree);
}

std::string describe(const SyncSpec& sync) {
  MappingWriter parameters;
  fields(parameters, sync);
  std::string text = Codec<SyncKind>::name_of(sync.kind);
  for (const Tree& parameter : parameters.tree.items) text += fmt::format(" ({} {})", parameter.key, parameter.text);
  return text;
}

long long gradients_per_version(const SyncSpec& sync, long long workers) {
  switch (sync.kind) {
    case SyncKind::asp:
    case SyncKind::ssp:
    case SyncKind::dssp:
    case SyncKind::dsp:
    case SyncKind::a_dsp:
      return 1;
    case SyncKind::bsp:
    case SyncKind::bounded_delay:
      return workers;
    case SyncKind::backup_workers:
      return std::max(workers - sync.extra, 1LL);
    case SyncKind::k_sync:
    case SyncKind::k_async:
      return std::min(sync.k, workers);
    case SyncKind::k_batch_sync:
    case SyncKind::k_batch_async:
      return sync.k;
    case SyncKind::n_softsync:
      return std::max(workers / sync.n, 1LL);
  }
  throw std::logic_error("unknown synchronisation policy");
}

bool is_asynchronous(const SyncSpec& sync) {
  return sync.kind == SyncKind::asp || (sync.kind == SyncKind::ssp && std::isinf(sync.slack.clocks));
}

bool cancels_steps(const SyncSpec& sync) {
  return sync.kind == SyncKind::k_sync || sync.kind == SyncKind::k_batch_sync;
}

void check_sync(const SyncSpec& sync, long long workers, std::size_t servers, ReadContext& context) {
  const std::string name = Codec<SyncKind>::name_of(sync.kind);
  const auto problem = [&](const char* key, long long value, const std::string& expected) {
    context.problem_at(fmt::format("job.sync.{}.{}", name, key),
                       fmt::format("{} {} of {} workers", value, key, workers), expected);
  };
  using enum SyncKind;
  if (sync.kind == backup_workers && sync.extra >= workers)
    problem("extra", sync.extra, "fewer than there are workers");
  if ((sync.kind == k_sync || sync.kind == k_async) && sync.k > workers)
    problem("k", sync.k, "at most as many as there are workers: one gradient of each");
  if (sync.kind == n_softsync && sync.n > workers) problem("n", sync.n, "at most as many as there are workers");
  if (sync.kind == dssp && sync.high <= sync.low)
    context.problem_at("job.sync.dssp.high", fmt::format("high {} and low {}", sync.high, sync.low), "low < high");
  if ((sync.kind == dsp || sync.kind == a_dsp) && sync.high < sync.low)
    context.problem_at(fmt::format("job.sync.{}.high", name), fmt::format("high {} and slack {}", sync.high, sync.low),
                       "a high of at least the slack");
  const bool in_rounds =
      sync.kind == backup_workers || sync.kind == k_sync || sync.kind == k_batch_sync || sync.kind == k_async;
  if (in_rounds && servers > 1)
    context.problem_at("job.sync", fmt::format("{} with {} servers", describe(sync), servers),
                       "one server: each would choose gradients of its own for a round, and two could wait for each "
                       "other's workers for ever");
}

}  // namespace stagger
