// Counting in UTF-8 text: what stands in one column of a screen is one code point, of one to four bytes.
#pragma once

#include <algorithm>
#include <string_view>

namespace stagger {

/// Whether a byte is the first of a code point.
inline bool starts_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

inline std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_code_point));
}

/// The first byte of code point number `n`, from 0; the size of the text where there are no more.
inline std::size_t byte_of_code_point(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  while (at < text.size() && (n > 0 || !starts_code_point(text[at])))
    if (starts_code_point(text[at++])) --n;
  while (at < text.size() && !starts_code_point(text[at])) ++at;
  return at;
}

}  // namespace stagger
