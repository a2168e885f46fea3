// How network interfaces, and bandwidths that change, are written.
#include <algorithm>

#include "sim/config/fields.hpp"

namespace stagger {
namespace {

constexpr std::size_t kMostSteps = 10'000;

template <class V, Like<BandwidthProfile> S>
void profile_fields(V& v, S& s) {
  v.optional("period", s.period, kPositive);
  v.required("steps", s.steps);
}

bool comes_later(const BandwidthProfile::Step& a, const BandwidthProfile::Step& b) { return a.at < b.at; }

}  // namespace

template <>
void CustomCodec<BandwidthProfile>::read(ReadContext& context, const Tree& tree, const std::string& path,
                                         BandwidthProfile& out) {
  const std::size_t before = context.problems.size();
  MappingReader reader(context, tree, path);
  if (!reader.is_mapping()) return;
  profile_fields(reader, out);
  reader.finish();
  if (context.problems.size() == before) check_profile(out, join_path(path, "steps"), context);
}
template <>
Tree CustomCodec<BandwidthProfile>::write(const BandwidthProfile& value) {
  MappingWriter writer;
  profile_fields(writer, value);
  return std::move(writer.tree);
}

void check_profile(BandwidthProfile& profile, const std::string& path, ReadContext& context) {
  std::vector<BandwidthProfile::Step>& steps = profile.steps;
  const auto refuse = [&](std::string_view what, std::string_view expected) {
    context.problem_at(path, what, expected);
  };
  if (steps.empty() || steps.size() > kMostSteps)
    return refuse(fmt::format("a profile of {} steps", steps.size()), fmt::format("1 to {} steps", kMostSteps));
  if (steps.front().at > Seconds{}) steps.insert(steps.begin(), BandwidthProfile::Step{});
  if (std::ranges::adjacent_find(steps, std::not_fn(comes_later)) != steps.end())
    return refuse("a step that does not come later than the one before", "steps in the order of their times");
  if (profile.period && steps.back().at >= *profile.period)
    return refuse("a step that comes after the period", "steps before " + to_text(*profile.period));
  const bool lasts = profile.period ? std::ranges::any_of(steps, [](const auto& step) { return step.share > 0.0; })
                                    : steps.back().share > 0.0;
  if (!lasts) refuse("nothing is left of the bandwidth for ever", "a last share above 0, or a period");
}

template <>
void CustomCodec<NicSpec>::read(ReadContext& context, const Tree& tree, const std::string& path, NicSpec& out) {
  if (tree.kind == Tree::Kind::scalar) {
    Codec<BytesPerSecond>::read(context, tree, path, out.up);
    check_range(context, tree, "nic", out.up, kPositive);
    out.down = out.up;
    for (const char* key : {"up", "down"}) context.origins[join_path(path, key)] = tree.mark;
    return;
  }
  MappingReader reader(context, tree, path);
  if (!reader.is_mapping()) return;
  std::optional<BytesPerSecond> both;
  reader.optional("bandwidth", both, kPositive);
  if (both && (reader.has("up") || reader.has("down")))
    context.problem(tree.mark, "the bandwidth of the nic is given twice",
                    "'bandwidth' for both directions, or 'up' and 'down'");
  if (both) {
    out.up = out.down = *both;
    for (const char* key : {"up", "down"})
      context.origins[join_path(path, key)] = context.origins[join_path(path, "bandwidth")];
  }
  reader.optional("up", out.up, kPositive);
  reader.optional("down", out.down, kPositive);
  reader.optional("latency", out.latency, kNotNegative);
  reader.optional("profile", out.profile);
  reader.finish();
  if (out.profile && out.up == kUnlimited && out.down == kUnlimited)
    context.problem_at(join_path(path, "profile"), "an unlimited bandwidth has no shares to give",
                       "bandwidth: 10 Gbps beside it");
}
template <>
Tree CustomCodec<NicSpec>::write(const NicSpec& value) {
  MappingWriter writer;
  writer.optional("up", value.up);
  writer.optional("down", value.down);
  writer.optional("latency", value.latency);
  writer.optional("profile", value.profile);
  return std::move(writer.tree);
}

}  // namespace stagger
