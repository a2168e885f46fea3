// Values with units: what is read, what is refused and why, and that what is written reads back.
#include "sim/base/units.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

namespace stagger {
namespace {

template <class T>
double si(const T& value) {
  if constexpr (requires { value.si; })
    return value.si;
  else
    return static_cast<double>(value);
}

/// The SI value of a text that must be readable.
template <class T>
double value_of(const Parsed<T>& parsed) {
  if (const auto* error = std::get_if<UnitError>(&parsed)) {
    ADD_FAILURE() << error->what;
    return std::numeric_limits<double>::quiet_NaN();
  }
  return si(std::get<0>(parsed));
}

/// What is wrong with a text that must not be readable.
template <class T>
std::string refusal(const Parsed<T>& parsed) {
  const auto* error = std::get_if<UnitError>(&parsed);
  if (error == nullptr) return fmt::format("it was read as {}", si(std::get<0>(parsed)));
  EXPECT_FALSE(error->expected.empty()) << error->what;
  return error->what;
}

struct Reading {
  const char* text;
  double si;
};

template <class Parse>
void expect_readings(Parse parse, const std::vector<Reading>& readings) {
  for (const auto& [text, expected] : readings) EXPECT_EQ(value_of(parse(text)), expected) << text;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
static_assert(Addable<Seconds, Seconds> && !Addable<Seconds, Bytes> && !Addable<Bytes, BytesPerSecond>);
static_assert(std::same_as<decltype(Bytes{} / BytesPerSecond{}), Seconds>);
static_assert(std::same_as<decltype(Flops{} / FlopsPerSecond{}), Seconds>);

TEST(Units, ReadsDurations) {
  expect_readings(parse_seconds, {{"2.1 s", 2.1},
                                  {"300 ms", 0.3},
                                  {"30 us", 3e-5},
                                  {"30us", 3e-5},
                                  {"50 \u00b5s", 5e-5},
                                  {"50 \u03bcs", 5e-5},
                                  {"5 ns", 5e-9},
                                  {"2 min", 120.0},
                                  {"1 h", 3600.0},
                                  {"1.5 h", 5400.0},
                                  {"1 d", 86400.0},
                                  {"  7   s  ", 7.0},
                                  {".5 s", 0.5},
                                  {"+5 s", 5.0},
                                  {"-5 s", -5.0},
                                  {"1e-3 s", 1e-3},
                                  {"1E3 ms", 1.0},
                                  {"0 s", 0.0},
                                  {"5e-324 s", 5e-324}});
}

TEST(Units, ReadsBandwidths) {
  // Bits are decimal and an eighth of a byte: 10 Gbps = 10e9 / 8 bytes/s.
  expect_readings(parse_bandwidth, {{"10 Gbps", 1.25e9},
                                    {"10Gbps", 1.25e9},
                                    {"10 Gbit/s", 1.25e9},
                                    {"10 Gb/s", 1.25e9},
                                    {"100 Mbps", 1.25e7},
                                    {"8 kbps", 1000.0},
                                    {"8 bps", 1.0},
                                    {"1 Tbps", 1.25e11},
                                    {"1.25 GBps", 1.25e9},
                                    {"1.25 GB/s", 1.25e9},
                                    {"1 MBps", 1e6},
                                    {"1 MiBps", 1048576.0},
                                    {"1 GiB/s", 1073741824.0},
                                    {"1 KiBps", 1024.0},
                                    {"8 Kibit/s", 1024.0},
                                    {"unlimited", kInfinity},
                                    {" unlimited ", kInfinity}});
}

TEST(Units, ReadsSizesWorkAndSpeed) {
  expect_readings(parse_bytes, {{"100 MB", 1e8},
                                {"1 MiB", 1048576.0},
                                {"0 B", 0.0},
                                {"1 kB", 1000.0},
                                {"1 KiB", 1024.0},
                                {"1.5 GB", 1.5e9},
                                {"2 TB", 2e12},
                                {"1 TiB", 1099511627776.0}});
  expect_readings(parse_flops, {{"8.2 GFLOP", 8.2e9}, {"1 FLOP", 1.0}});
  expect_readings(parse_speed, {{"14 TFLOPS", 1.4e13}, {"14 TFLOP/s", 1.4e13}, {"1 PFLOPS", 1e15}});
}

TEST(Units, ReadsPricesRatiosAndCounts) {
  expect_readings(parse_price, {{"$0.90/h", 0.9}, {"$3/h", 3.0}});
  expect_readings(parse_ratio, {{"0.15", 0.15}, {"15 %", 0.15}, {"1%", 0.01}, {"-2", -2.0}});
  expect_readings(parse_count, {{"16", 16.0}, {"0", 0.0}, {"-3", -3.0}, {"9007199254740992", 9007199254740992.0}});
}

TEST(Units, EveryValueIsTheNearestDouble) {
  // Scaling by 1e6 or 1e9 must not round once more: 4.1 MB is 4,100,000 bytes, and no fraction of one.
  for (int n = 1; n < 10'000; ++n) {
    const auto nearest = [n](int power) { return std::strtod(fmt::format("{}e{}", n, power).c_str(), nullptr); };
    const std::string tenths = fmt::format("{}.{}", n / 10, n % 10);
    ASSERT_EQ(value_of(parse_seconds(fmt::format("{} us", n))), nearest(-6)) << n;
    ASSERT_EQ(value_of(parse_seconds(tenths + " ms")), nearest(-4)) << tenths;
    ASSERT_EQ(value_of(parse_bytes(tenths + " MB")), nearest(5)) << tenths;
    ASSERT_EQ(value_of(parse_speed(tenths + " TFLOPS")), nearest(11)) << tenths;
    ASSERT_EQ(value_of(parse_bandwidth(tenths + " Gbps")), nearest(8) / 8.0) << tenths;
  }
}

TEST(Units, RefusesWhatIsNoFiniteDecimalNumber) {
  for (const char* text :
       {"",        " ",     "s",       "ms",    "nan s", "NaN s", "inf s", "-inf s", "infinity s", "0x10 s", "1e999 s",
        "1e305 d", "1,5 s", "1 000 s", "5 s s", "- 5 s", "--5 s", "+-5 s", "1e s",   ". s",        "five s"})
    EXPECT_FALSE(contains(refusal(parse_seconds(text)), "it was read as"))
        << text << ": " << refusal(parse_seconds(text));
  for (const char* text : {"inf", "nan", "1e999", "0x1p3", "1.5 x", "50 ms", ""})
    EXPECT_FALSE(contains(refusal(parse_ratio(text)), "it was read as")) << text;
  for (const char* text : {"1.5", "1e3", "0x10", "16 workers", "9007199254740993", "99999999999999999999", ""})
    EXPECT_FALSE(contains(refusal(parse_count(text)), "it was read as")) << text;
  for (const char* text : {"0.90", "0.90/h", "$0.90", "$0.90/s", "$/h", "$nan/h", "90 c/h"})
    EXPECT_FALSE(contains(refusal(parse_price(text)), "it was read as")) << text;
}

TEST(Units, SaysThatAUnitIsMissing) {
  EXPECT_EQ(refusal(parse_seconds("300")), "'300' has no unit");
  EXPECT_EQ(refusal(parse_bandwidth("10 ")), "'10 ' has no unit");
  EXPECT_EQ(refusal(parse_bytes("1e8")), "'1e8' has no unit");
  EXPECT_EQ(refusal(parse_speed("14")), "'14' has no unit");
}

TEST(Units, SaysWhatAUnitOfAnotherKindMeasures) {
  EXPECT_EQ(refusal(parse_bandwidth("10 GB")), "'GB' is the unit of a size in bytes, not of a bandwidth");
  EXPECT_EQ(refusal(parse_bytes("10 Gbps")), "'Gbps' is the unit of a bandwidth, not of a size in bytes");
  EXPECT_EQ(refusal(parse_bandwidth("5 s")), "'s' is the unit of a duration, not of a bandwidth");
  EXPECT_EQ(refusal(parse_speed("8 GFLOP")), "'GFLOP' is the unit of a number of operations, not of a speed");
}

TEST(Units, TheWrongCaseGetsAHint) {
  struct Case {
    std::string what;
    std::vector<const char*> hints;
  };
  for (const auto& [what, hints] :
       {Case{refusal(parse_bandwidth("10 gbps")), {"'Gbps'", "'GBps'"}},
        Case{refusal(parse_bandwidth("1 MIBPS")), {"'MiBps'", "'Mibps'"}},
        Case{refusal(parse_seconds("300 MS")), {"'ms'"}}, Case{refusal(parse_bytes("100 mb")), {"'MB'"}},
        Case{refusal(parse_bytes("1 KB")), {"'kB'"}}, Case{refusal(parse_speed("14 tflops")), {"'TFLOPS'"}}})
    for (const char* hint : hints) EXPECT_TRUE(contains(what, hint)) << what;
  EXPECT_FALSE(contains(refusal(parse_seconds("3 parsecs")), "did you mean"));
}

template <class Q, class Parse>
void expect_round_trips(Parse parse) {
  std::mt19937_64 bits(1);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::bit_cast<double>(bits());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(value_of(parse(to_text(Q{value}))), value) << to_text(Q{value});
  }
}

TEST(Units, TextReadsBackAsExactlyTheSameValue) {
  expect_round_trips<Seconds>(parse_seconds);
  expect_round_trips<Bytes>(parse_bytes);
  expect_round_trips<BytesPerSecond>(parse_bandwidth);
  expect_round_trips<Flops>(parse_flops);
  expect_round_trips<FlopsPerSecond>(parse_speed);
  expect_round_trips<Price>(parse_price);
  EXPECT_EQ(value_of(parse_bandwidth(to_text(kUnlimited))), kInfinity);
}

TEST(Units, TextIsShort) {
  EXPECT_EQ(to_text(Seconds{0.3}), "0.3 s");
  EXPECT_EQ(to_text(BytesPerSecond{1.25e9}), "1250000000 Bps");
  EXPECT_EQ(to_text(kUnlimited), "unlimited");
  EXPECT_EQ(to_text(Price{0.9}), "$0.9/h");
}

TEST(Units, PeopleReadThreeDigitsAndAFittingPrefix) {
  EXPECT_EQ(to_human(Seconds{2.1}), "2.1 s");
  EXPECT_EQ(to_human(Seconds{350e-6}), "350 us");
  EXPECT_EQ(to_human(Seconds{0.0}), "0 s");
  EXPECT_EQ(to_human(Seconds{36'000.0}), "10 h");
  EXPECT_EQ(to_human(Bytes{98.3e6}), "98.3 MB");
  EXPECT_EQ(to_human(Bytes{999.4e6}), "999 MB");
  EXPECT_EQ(to_human(Bytes{999.6e6}), "1 GB");
  EXPECT_EQ(to_human(BytesPerSecond{1.25e9 / 8}), "1.25 Gbps");
  EXPECT_EQ(to_human(kUnlimited), "unlimited");
}

TEST(Units, PeopleReadNoPowersOfTen) {
  for (double seconds = 1e-9; seconds < 1e6; seconds *= 1.3)
    EXPECT_FALSE(contains(to_human(Seconds{seconds}), "e+")) << to_human(Seconds{seconds});
  for (double bytes = 1.0; bytes < 9e14; bytes *= 1.3)
    EXPECT_FALSE(contains(to_human(Bytes{bytes}), "e+")) << to_human(Bytes{bytes});
}

}  // namespace
}  // namespace stagger
