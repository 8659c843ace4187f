#include "CNumbers.h"
#include "plain.h"

#include <cmath>
#include <cstring>
#include <fast_float/fast_float.h>

namespace {

bool is_digit(const uint8_t *text, const uint8_t *end) { return text < end && *text >= '0' && *text <= '9'; }

/// Accumulates digits: the first 19 significant ones, which fit in 64 bits.
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

/// The slow path of `cnumbers_read`, for any text.
CNumbersResult read_carefully(const uint8_t *text, const uint8_t *end, bool is_word) {
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
  if (digits.significant <= 19 && cnumbers::is_exact(digits.mantissa, exponent)) {
    value = cnumbers::scaled(digits.mantissa, exponent, is_negative);
  } else if (!cnumbers::read_nearest(text, position, value)) {
    return other();
  }
  if (!(std::fabs(value) < cnumbers::limit)) return other();
  return {CNumbersDouble, 0, value, position};
}

}  // namespace

bool cnumbers::read_nearest(const uint8_t *text, const uint8_t *end, double &value) {
  const auto *last = reinterpret_cast<const char *>(end);
  const auto read = fast_float::from_chars(reinterpret_cast<const char *>(text), last, value);
  return read.ec == std::errc() && read.ptr == last;
}

bool cnumbers::scale_to_nearest(uint64_t mantissa, int64_t exponent, bool is_negative, double &value) {
  using Format = fast_float::binary_format<double>;
  const auto nearest = fast_float::compute_float<Format>(exponent, mantissa);
  // Zeros, subnormals, infinities, and cases that `compute_float` cannot decide.
  if (nearest.power2 <= 0 || nearest.power2 >= Format::infinite_power()) return false;
  const uint64_t bits = nearest.mantissa | static_cast<uint64_t>(nearest.power2) << 52;
  std::memcpy(&value, &bits, sizeof value);
  value = with_sign(value, is_negative);
  return true;
}

CNumbersResult cnumbers_read(const uint8_t *text, const uint8_t *end, int is_word) {
  if (end - text >= cnumbers::plain_room) {
    const CNumbersResult result = cnumbers::read_plain(text);
    if (result.next != nullptr) return result;
  }
  return read_carefully(text, end, is_word != 0);
}
