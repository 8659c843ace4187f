#ifndef CNUMBERS_PLAIN_H
#define CNUMBERS_PLAIN_H

#include "CNumbers.h"
#include "digits.h"

#include <cmath>
#include <cstring>

/// The fast path for numbers of common form, without a branch per digit. The slow path (`numbers.cpp`) reads all
/// others.
namespace cnumbers {

/// Powers of ten that a double holds exactly.
constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr uint64_t integer_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
/// Above this, doubles have no fractions, and `Int64` may be the better type.
constexpr double limit = 4503599627370496.0;

/// The double nearest to the whole text of a number; false beyond the range of doubles.
bool read_nearest(const uint8_t *text, const uint8_t *end, double &value);

/// The double nearest to `mantissa` times a power of ten; false if only the number's text can decide.
bool scale_to_nearest(uint64_t mantissa, int64_t exponent, bool is_negative, double &value);

/// If mantissa and power of ten are exact doubles, only one rounding occurs (Clinger's fast path).
inline bool is_exact(uint64_t mantissa, int64_t exponent) {
  return mantissa <= (uint64_t{1} << 53) && exponent >= -22 && exponent <= 22;
}

/// Branch-free, because the sign is unpredictable in most data.
inline double with_sign(double value, bool is_negative) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits |= uint64_t{is_negative} << 63;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline double scaled(uint64_t mantissa, int64_t exponent, bool is_negative) {
  double value = static_cast<double>(static_cast<int64_t>(mantissa));
  value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
  return with_sign(value, is_negative);
}

/// The bytes that `read_plain` may read: at most a sign, 7 digits, a point and three times eight bytes.
constexpr int plain_room = 40;

inline bool is_digit(uint8_t byte) { return static_cast<uint8_t>(byte - '0') <= 9; }

/// Appends the digits of a fraction, 24 at most, to `mantissa`, which overflows beyond 19 digits in all. Returns the
/// negated number of digits.
inline int64_t take_fraction(const uint8_t *text, uint64_t &mantissa) {
  const EightDigits first(text);
  EightDigits second(text + 8);
  // fp32 values have about eight digits, so there is no branch on whether more follow.
  second.count = first.count == 8 ? second.count : 0;
  mantissa = mantissa * integer_powers[first.count] + first.value();
  mantissa = mantissa * integer_powers[second.count] + second.value();
  if (second.count < 8) return -(first.count + second.count);
  const EightDigits third(text + 16);
  mantissa = mantissa * integer_powers[third.count] + third.value();
  return -(16 + third.count);
}

/// Reads up to 7 digits, a fraction (19 digits in all), and an exponent of up to 3 digits. The result is then that of
/// `cnumbers_read`.
///
/// For other text the result has no `next`. `plain_room` bytes must be readable at `text`.
__attribute__((always_inline)) inline CNumbersResult read_plain(const uint8_t *text) {
  constexpr CNumbersResult none = {CNumbersOther, 0, 0, nullptr};
  const bool is_negative = *text == '-';
  const uint8_t *position = text + is_negative;
  if (!is_digit(*position)) return none;
  // Single digits, as in `0.25` and `12.0`, are worth a branch.
  uint64_t mantissa = *position - '0';
  int64_t count = 1;
  if (is_digit(position[1])) {
    const EightDigits digits(position);
    if (mantissa == 0 || digits.count == 8) return none;
    mantissa = digits.value();
    count = digits.count;
  }
  position += count;
  int64_t exponent = 0;
  const bool is_integer = *position != '.';
  if (!is_integer) {
    ++position;
    if (is_digit(*position) && !is_digit(position[1])) {
      mantissa = mantissa * 10 + (*position - '0');
      exponent = -1;
    } else {
      exponent = take_fraction(position, mantissa);
      // 64 bits hold 19 digits.
      if (exponent == 0 || count - exponent > 19) return none;
    }
    position -= exponent;
  }
  if ((*position | 0x20) == 'e') {
    if (is_integer) return none;
    ++position;
    const bool is_small = *position == '-';
    position += is_small || *position == '+';
    const EightDigits digits(position);
    if (digits.count == 0 || digits.count > 3) return none;
    const auto written = static_cast<int64_t>(digits.value());
    exponent += is_small ? -written : written;
    position += digits.count;
  } else if (is_integer) {
    const auto value = static_cast<int64_t>(mantissa);
    return {CNumbersInteger, is_negative ? -value : value, 0, position};
  }
  double value;
  if (is_exact(mantissa, exponent)) {
    value = scaled(mantissa, exponent, is_negative);
  } else if (!scale_to_nearest(mantissa, exponent, is_negative, value) && !read_nearest(text, position, value)) {
    return none;
  }
  if (!(std::fabs(value) < limit)) return none;
  return {CNumbersDouble, 0, value, position};
}

}  // namespace cnumbers

#endif
