// Models: a layer table with its totals checked against its rows, or just a size.
#include <cmath>

#include "sim/config/fields.hpp"

namespace stagger {
namespace {

/// Keys of a layer table that describe it and are not used in a simulation.
constexpr std::array kDescriptions{"source", "input", "notes", "paper", "tokens", "masked_predictions"};

struct Layer {
  std::string name;
  long long params = 0;
  long long forward_flops = 0;
};

struct Totals {
  std::optional<long long> layers, params, bytes, forward_flops;
};

constexpr Range kLayerNumber{0, true, kInfinity, "a whole number, 0 or more"};
constexpr auto kMostBytes = static_cast<long long>(physical(Bytes{}).high);
constexpr auto kMostFlops = static_cast<long long>(physical(Flops{}).high);

template <class V, Like<Layer> S>
void fields(V& v, S& s) {
  v.required("name", s.name);
  v.required("params", s.params, kLayerNumber);
  v.required("forward_flops", s.forward_flops, kLayerNumber);
  for (const char* key : {"kind", "out", "rows", "dim", "rows_per_example"}) v.ignored(key);
}

template <class V, Like<Totals> S>
void fields(V& v, S& s) {
  v.optional("layers", s.layers, kLayerNumber);
  v.optional("params", s.params, kLayerNumber);
  v.optional("bytes", s.bytes, kLayerNumber);
  v.optional("forward_flops", s.forward_flops, kLayerNumber);
  v.ignored("forward_flops_conv_fc");
}

void check_total(ReadContext& context, const std::string& path, const char* key, std::optional<long long> said,
                 long long sum) {
  if (said && *said != sum)
    context.problem_at(join_path(join_path(path, "totals"), key),
                       fmt::format("the total of {} is {}, but the layers add up to {}", key, *said, sum),
                       "a total that matches the layers");
}

/// One number of all layers added up; nothing where that is more than `most`.
std::optional<long long> sum_of(const std::vector<Layer>& layers, long long Layer::*number, long long most) {
  long long sum = 0;
  for (const Layer& layer : layers) {
    if (layer.*number > most - sum) return std::nullopt;
    sum += layer.*number;
  }
  return sum;
}

void read_layer_table(ReadContext& context, MappingReader& reader, ModelSpec& out) {
  std::vector<Layer> layers;
  Totals totals;
  long long dtype_bytes = 4;
  const std::size_t before = context.problems.size();
  reader.required("layers", layers);
  reader.optional("totals", totals);
  reader.optional("dtype_bytes", dtype_bytes, Range{1, true, 16, "1 to 16 bytes"});
  for (const char* key : kDescriptions) reader.ignored(key);
  if (context.problems.size() > before) return;
  const std::string at = join_path(reader.path(), "layers");
  if (layers.empty()) context.problem_at(at, "a model without layers", "at least one layer");
  const auto params = sum_of(layers, &Layer::params, kMostBytes / dtype_bytes);
  const auto flops = sum_of(layers, &Layer::forward_flops, kMostFlops);
  if (!params) context.problem_at(at, "the parameters of all layers are too many", physical(Bytes{}).expected);
  if (!flops) context.problem_at(at, "the operations of all layers are too many", physical(Flops{}).expected);
  if (!params || !flops) return;
  check_total(context, reader.path(), "layers", totals.layers, static_cast<long long>(layers.size()));
  check_total(context, reader.path(), "params", totals.params, *params);
  check_total(context, reader.path(), "bytes", totals.bytes, *params * dtype_bytes);
  check_total(context, reader.path(), "forward_flops", totals.forward_flops, *flops);
  for (const char* key : {"bytes", "forward_flops"})
    context.origins[join_path(reader.path(), key)] = context.origins[at];
  out.bytes = Bytes{static_cast<double>(*params * dtype_bytes)};
  if (*flops > 0) out.forward_flops = Flops{static_cast<double>(*flops)};
}

}  // namespace

template <>
void CustomCodec<ModelSpec>::read(ReadContext& context, const Tree& tree, const std::string& path, ModelSpec& out) {
  MappingReader reader(context, tree, path);
  if (!reader.is_mapping()) return;
  reader.optional("name", out.name);
  if (reader.has("layers")) {
    read_layer_table(context, reader, out);
  } else {
    const std::size_t before = context.problems.size();
    reader.required("bytes", out.bytes);
    const double whole = std::round(out.bytes.si);
    if (context.problems.size() == before && std::abs(out.bytes.si - whole) > 1e-12 * whole)  // 4.1 MB: 4.1 * 1e6
      context.problem_at(join_path(path, "bytes"), "a fraction of a byte", "a whole number of bytes");
    out.bytes = Bytes{whole};
    reader.optional("forward_flops", out.forward_flops, kPositive);
  }
  reader.finish();
}

template <>
Tree CustomCodec<ModelSpec>::write(const ModelSpec& value) {
  MappingWriter writer;
  if (!value.name.empty()) writer.optional("name", value.name);
  writer.optional("bytes", value.bytes);
  writer.optional("forward_flops", value.forward_flops);
  return std::move(writer.tree);
}

}  // namespace stagger
