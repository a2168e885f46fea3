#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

namespace stagger {
namespace {

constexpr double kBit = 1.0 / 8.0;  // of a byte
constexpr double kKi = 1024.0;

/// A decimal prefix moves the decimal point of what was written, so that 2.1 ms is the double nearest to 0.0021; a
/// product of 2.1 and 0.001 is not. Binary prefixes are exact factors.
struct Prefix {
  std::string_view name;
  int exponent = 0;     // of 10
  double factor = 1.0;  // a power of 2
};
constexpr std::array kDecimal{Prefix{"T", 12}, Prefix{"G", 9}, Prefix{"M", 6}, Prefix{"k", 3}, Prefix{"", 0}};
constexpr std::array kDecimalAndBinary{Prefix{"", 0},
                                       Prefix{"k", 3},
                                       Prefix{"M", 6},
                                       Prefix{"G", 9},
                                       Prefix{"T", 12},
                                       Prefix{"Ki", 0, kKi},
                                       Prefix{"Mi", 0, kKi* kKi},
                                       Prefix{"Gi", 0, kKi* kKi* kKi},
                                       Prefix{"Ti", 0, kKi* kKi* kKi* kKi}};
constexpr std::array kFlopPrefixes{Prefix{"", 0},  Prefix{"k", 3},  Prefix{"M", 6},
                                   Prefix{"G", 9}, Prefix{"T", 12}, Prefix{"P", 15}};
constexpr std::array kFractions{Prefix{"", 0}, Prefix{"m", -3}, Prefix{"u", -6}, Prefix{"n", -9}};
constexpr std::array kNone{Prefix{"", 0}};
constexpr std::array kMicro{Prefix{"", -6}};

struct Unit {
  std::string_view name;
  double factor;  // to SI
  std::span<const Prefix> prefixes;
};

/// The units of one dimension, and how a message speaks of it.
struct Dimension {
  std::string_view noun;
  std::string_view examples;
  std::span<const Unit> units;
};

// Both code points of the micro sign are in use: U+00B5 and U+03BC.
constexpr std::array kTimeUnits{Unit{"s", 1, kFractions}, Unit{"µs", 1, kMicro},  Unit{"μs", 1, kMicro},
                                Unit{"min", 60, kNone},   Unit{"h", 3600, kNone}, Unit{"d", 86400, kNone}};
constexpr std::array kByteUnits{Unit{"B", 1, kDecimalAndBinary}};
constexpr std::array kFlopUnits{Unit{"FLOP", 1, kFlopPrefixes}};
constexpr std::array kSpeedUnits{Unit{"FLOPS", 1, kFlopPrefixes}, Unit{"FLOP/s", 1, kFlopPrefixes}};
constexpr std::array kRateUnits{Unit{"bps", kBit, kDecimalAndBinary}, Unit{"bit/s", kBit, kDecimalAndBinary},
                                Unit{"b/s", kBit, kDecimalAndBinary}, Unit{"Bps", 1, kDecimalAndBinary},
                                Unit{"B/s", 1, kDecimalAndBinary}};

constexpr Dimension kTime{"a duration", "300 ms, 2.1 s, 50 us or 1 h", kTimeUnits};
constexpr Dimension kSize{"a size in bytes", "100 MB, 1 MiB or 0 B", kByteUnits};
constexpr Dimension kRate{"a bandwidth", "10 Gbps, 1.25 GBps or unlimited", kRateUnits};
constexpr Dimension kWork{"a number of operations", "8.2 GFLOP", kFlopUnits};
constexpr Dimension kSpeed{"a speed", "14 TFLOPS", kSpeedUnits};
constexpr std::array kDimensions{&kTime, &kSize, &kRate, &kWork, &kSpeed};

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

struct NumberAndRest {
  std::string_view number;  // as written, without a leading '+'
  std::string_view rest;
};

/// A decimal number at the start of `text`. std::from_chars would also read "inf" and "nan": those are no numbers here.
std::optional<NumberAndRest> split_number(std::string_view text) {
  text = trim(text);
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  const auto digits = has_sign ? text.substr(1) : text;
  if (digits.empty() || !(std::isdigit(static_cast<unsigned char>(digits[0])) != 0 || digits[0] == '.'))
    return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::invalid_argument) return std::nullopt;
  const auto length = static_cast<std::size_t>(end - digits.data());
  const auto written = text.starts_with('-') ? text.substr(0, length + 1) : digits.substr(0, length);
  return NumberAndRest{written, trim(digits.substr(length))};
}

/// The double nearest to `number` * 10^exponent; none: out of the range of a double.
std::optional<double> shifted(std::string_view number, int exponent) {
  const std::size_t e = number.find_first_of("eE");
  int own = 0;
  if (e != std::string_view::npos) {
    const auto digits = number.substr(number[e + 1] == '+' ? e + 2 : e + 1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), own).ec != std::errc{}) return std::nullopt;
  }
  const std::string text = fmt::format("{}e{}", number.substr(0, e), own + exponent);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Calls `visit(spelling, unit, prefix)` for every unit of a dimension with every prefix that it takes.
template <class Visit>
void for_each_spelling(const Dimension& dimension, Visit visit) {
  for (const Unit& unit : dimension.units)
    for (const Prefix& prefix : unit.prefixes) visit(std::string(prefix.name) + std::string(unit.name), unit, prefix);
}

struct Scale {
  int exponent;
  double factor;
};

std::optional<Scale> scale_of(const Dimension& dimension, std::string_view name) {
  std::optional<Scale> found;
  for_each_spelling(dimension, [&](const std::string& spelling, const Unit& unit, const Prefix& prefix) {
    if (spelling == name) found = Scale{prefix.exponent, prefix.factor * unit.factor};
  });
  return found;
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string wrong_unit(const Dimension& dimension, std::string_view name) {
  for (const Dimension* other : kDimensions)
    if (scale_of(*other, name))
      return fmt::format("'{}' is the unit of {}, not of {}", name, other->noun, dimension.noun);
  std::string hint;
  for_each_spelling(dimension, [&](const std::string& spelling, const Unit&, const Prefix&) {
    if (equal_but_for_case(spelling, name))
      hint += fmt::format("{}'{}'", hint.empty() ? "; did you mean " : " or ", spelling);
  });
  return fmt::format("'{}' is no unit of {}{}", name, dimension.noun, hint);
}

Parsed<double> parse(std::string_view text, const Dimension& dimension) {
  const std::string expected = fmt::format("{} with its unit, such as {}", dimension.noun, dimension.examples);
  const auto split = split_number(text);
  if (!split) return UnitError{fmt::format("'{}' is not {}", text, dimension.noun), expected};
  if (split->rest.empty()) return UnitError{fmt::format("'{}' has no unit", text), expected};
  const auto scale = scale_of(dimension, split->rest);
  if (!scale) return UnitError{wrong_unit(dimension, split->rest), expected};
  const auto number = shifted(split->number, scale->exponent);
  if (!number || !std::isfinite(*number * scale->factor))
    return UnitError{fmt::format("'{}' is out of all range", text), expected};
  return *number * scale->factor;
}

template <class Q>
Parsed<Q> parse_as(std::string_view text, const Dimension& dimension) {
  auto parsed = parse(text, dimension);
  if (auto* error = std::get_if<UnitError>(&parsed)) return std::move(*error);
  return Q{std::get<double>(parsed)};
}

std::string with_prefix(double value, std::string_view unit, std::span<const Prefix> prefixes) {
  if (std::isinf(value)) return "unlimited";
  if (value == 0) return fmt::format("0 {}", unit);
  const Prefix* best = &prefixes.back();
  for (const Prefix& prefix : prefixes)  // largest first
    if (std::abs(value) >= 0.9995 * std::pow(10.0, prefix.exponent)) {
      best = &prefix;
      break;
    }
  return fmt::format("{:.3g} {}{}", value / std::pow(10.0, best->exponent), best->name, unit);
}

}  // namespace

Parsed<Seconds> parse_seconds(std::string_view text) { return parse_as<Seconds>(text, kTime); }
Parsed<Bytes> parse_bytes(std::string_view text) { return parse_as<Bytes>(text, kSize); }
Parsed<Flops> parse_flops(std::string_view text) { return parse_as<Flops>(text, kWork); }
Parsed<FlopsPerSecond> parse_speed(std::string_view text) { return parse_as<FlopsPerSecond>(text, kSpeed); }

Parsed<BytesPerSecond> parse_bandwidth(std::string_view text) {
  if (trim(text) == "unlimited") return kUnlimited;
  return parse_as<BytesPerSecond>(text, kRate);
}

Parsed<Price> parse_price(std::string_view text) {
  const UnitError error{fmt::format("'{}' is not a price", text), "US dollars per hour, such as $0.90/h"};
  auto rest = trim(text);
  if (!rest.starts_with('$')) return error;
  const auto split = split_number(rest.substr(1));
  if (!split || split->rest != "/h") return error;
  const auto dollars = shifted(split->number, 0);
  if (!dollars) return error;
  return Price{*dollars};
}

Parsed<double> parse_ratio(std::string_view text) {
  const auto split = split_number(text);
  if (!split || (!split->rest.empty() && split->rest != "%"))
    return UnitError{fmt::format("'{}' is not a number without dimension", text), "a number such as 0.15, or 15 %"};
  const auto number = shifted(split->number, split->rest.empty() ? 0 : -2);
  if (!number) return UnitError{fmt::format("'{}' is out of all range", text), "a number such as 0.15, or 15 %"};
  return *number;
}

Parsed<long long> parse_count(std::string_view text) {
  constexpr long long kLargest = 1LL << 53;
  const auto digits = trim(text);
  long long count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc{} || end != digits.data() + digits.size() || std::abs(count) > kLargest)
    return UnitError{fmt::format("'{}' is not a count", text), "a whole number without unit, such as 16"};
  return count;
}

std::string to_text(Seconds value) { return fmt::format("{} s", value.si); }
std::string to_text(Bytes value) { return fmt::format("{} B", value.si); }
std::string to_text(Flops value) { return fmt::format("{} FLOP", value.si); }
std::string to_text(FlopsPerSecond value) { return fmt::format("{} FLOPS", value.si); }
std::string to_text(Price value) { return fmt::format("${}/h", value.si); }
std::string to_text(BytesPerSecond value) {
  return value == kUnlimited ? std::string("unlimited") : fmt::format("{} Bps", value.si);
}

std::string to_human(Seconds value) {
  if (value.si >= 7200) return fmt::format("{:.3g} h", value.si / 3600);
  if (value.si >= 600) return fmt::format("{:.3g} min", value.si / 60);
  return with_prefix(value.si, "s", kFractions);
}
std::string to_human(Bytes value) { return with_prefix(value.si, "B", kDecimal); }
std::string to_human(BytesPerSecond value) { return with_prefix(value.si / kBit, "bps", kDecimal); }

}  // namespace stagger
