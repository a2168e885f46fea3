// Physical quantities with their dimension in the type, and the reading and printing of values with units.
//
// Inside, everything is SI: seconds, bytes, bytes per second, floating point operations. The factor 8 between bits and
// bytes lives in units.cpp and nowhere else. An unlimited bandwidth is infinity.
#pragma once

#include <compare>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

namespace stagger {

/// A value whose dimension is second^S byte^B flop^F; sums of different dimensions do not compile.
template <int S, int B, int F>
struct Quantity {
  double si = 0.0;

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) { return si += other.si, *this; }
  constexpr Quantity& operator-=(Quantity other) { return si -= other.si, *this; }
};

template <int S, int B, int F>
constexpr Quantity<S, B, F> operator+(Quantity<S, B, F> a, Quantity<S, B, F> b) {
  return {a.si + b.si};
}
template <int S, int B, int F>
constexpr Quantity<S, B, F> operator-(Quantity<S, B, F> a, Quantity<S, B, F> b) {
  return {a.si - b.si};
}
template <int S, int B, int F>
constexpr Quantity<S, B, F> operator*(double factor, Quantity<S, B, F> a) {
  return {factor * a.si};
}
template <int S, int B, int F, int S2, int B2, int F2>
constexpr Quantity<S - S2, B - B2, F - F2> operator/(Quantity<S, B, F> a, Quantity<S2, B2, F2> b) {
  return {a.si / b.si};
}

using Seconds = Quantity<1, 0, 0>;
using Bytes = Quantity<0, 1, 0>;
using BytesPerSecond = Quantity<-1, 1, 0>;
using Flops = Quantity<0, 0, 1>;
using FlopsPerSecond = Quantity<-1, 0, 1>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr Seconds kNever{kInfinity};
inline constexpr BytesPerSecond kUnlimited{kInfinity};

/// From `from`, included, until `until`, not included; kNever: for good.
struct TimeWindow {
  Seconds from{};
  Seconds until = kNever;
  bool operator==(const TimeWindow&) const = default;
};

/// US dollars per hour.
struct Price {
  double si = 0.0;
};

/// Why a text is no value: what is wrong with it and what was expected instead.
struct UnitError {
  std::string what;
  std::string expected;
};

template <class T>
using Parsed = std::variant<T, UnitError>;

/// Reads "300 ms", "1.25 GBps", "10 Gbit/s", "14 TFLOPS", …; a space between number and unit is optional. The number
/// must be finite; its sign and range are the caller's business. A missing unit, an unknown one and one of another
/// dimension are errors that say so. `unlimited` is a bandwidth.
Parsed<Seconds> parse_seconds(std::string_view text);
Parsed<Bytes> parse_bytes(std::string_view text);
Parsed<BytesPerSecond> parse_bandwidth(std::string_view text);
Parsed<Flops> parse_flops(std::string_view text);
Parsed<FlopsPerSecond> parse_speed(std::string_view text);
/// "$0.90/h".
Parsed<Price> parse_price(std::string_view text);
/// A dimensionless number: "0.15", or "15 %".
Parsed<double> parse_ratio(std::string_view text);
/// A whole number without unit, at most 2^53 (exact in a double and in JSON).
Parsed<long long> parse_count(std::string_view text);

/// The shortest text that reads back as exactly the same value: "0.3 s", "1250000000 Bps", "unlimited".
std::string to_text(Seconds value);
std::string to_text(Bytes value);
std::string to_text(BytesPerSecond value);
std::string to_text(Flops value);
std::string to_text(FlopsPerSecond value);
std::string to_text(Price value);

/// For people: three significant digits and a fitting prefix: "2.1 s", "350 us", "98.3 MB", "1.25 Gbps".
std::string to_human(Seconds value);
std::string to_human(Bytes value);
std::string to_human(BytesPerSecond value);

}  // namespace stagger
