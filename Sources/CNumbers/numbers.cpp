#include "CNumbers.h"

#include <cmath>
#include <fast_float/fast_float.h>

namespace {

/// Powers of ten that a double holds exactly.
constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
/// Above this doubles have no fractions, and `Int64` may be the better type.
constexpr double limit = 4503599627370496.0;

bool is_digit(const uint8_t *text, const uint8_t *end) { return text < end && *text >= '0' && *text <= '9'; }

/// Digits as they come: the first 19 that count, which 64 bits hold.
struct Digits {
  uint64_t mantissa = 0;
  int significant = 0;

  const uint8_t *take(const uint8_t *text, const uint8_t *end) {
    for (; is_digit(text, end); ++text) {
      if (mantissa == 0 && *text == '0') continue;
      if (++significant <= 19) mantissa = mantissa * 10 + (*text - '0');
    }
    return text;
  }
};

CNumbersResult other() { return {CNumbersOther, 0, 0, nullptr}; }

CNumbersResult integer(const Digits &digits, bool is_negative, const uint8_t *next) {
  if (digits.significant > 19 || digits.mantissa > static_cast<uint64_t>(INT64_MAX)) return other();
  const auto value = static_cast<int64_t>(digits.mantissa);
  return {CNumbersInteger, is_negative ? -value : value, 0, next};
}

/// Exact where mantissa and power of ten are doubles: one rounding is left (Clinger's fast path).
bool is_exact(const Digits &digits, int64_t exponent) {
  return digits.significant <= 19 && digits.mantissa <= (uint64_t{1} << 53) && exponent >= -22 && exponent <= 22;
}

}  // namespace

CNumbersResult cnumbers_read(const uint8_t *text, const uint8_t *end, int is_word) {
  const uint8_t *position = text;
  const bool is_negative = position < end && *position == '-';
  if (is_negative) ++position;
  const uint8_t *first = position;
  Digits digits;
  position = digits.take(position, end);
  if (position == first || (!is_word && *first == '0' && position - first > 1)) return other();
  int64_t exponent = 0;
  bool is_integer = true;
  if (position < end && *position == '.') {
    is_integer = false;
    const uint8_t *fraction = ++position;
    position = digits.take(position, end);
    if (position == fraction && !is_word) return other();
    exponent = fraction - position;
  }
  if (position < end && (*position == 'e' || *position == 'E')) {
    is_integer = false;
    ++position;
    const bool is_small = position < end && *position == '-';
    if (is_small || (position < end && *position == '+')) ++position;
    if (!is_digit(position, end)) return other();
    int64_t written = 0;
    // More digits make no difference: the value is 0 or beyond a double.
    for (; is_digit(position, end); ++position)
      if (written < 100000000) written = written * 10 + (*position - '0');
    exponent += is_small ? -written : written;
  }
  if (is_integer) return integer(digits, is_negative, position);
  double value = 0;
  if (is_exact(digits, exponent)) {
    value = static_cast<double>(digits.mantissa);
    value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
    if (is_negative) value = -value;
  } else {
    const auto read = fast_float::from_chars(
        reinterpret_cast<const char *>(text), reinterpret_cast<const char *>(position), value);
    if (read.ec != std::errc() || read.ptr != reinterpret_cast<const char *>(position)) return other();
  }
  if (!(std::fabs(value) < limit)) return other();
  return {CNumbersDouble, 0, value, position};
}
