#include "CNumbers.h"

#include <charconv>
#include <cmath>
#include <cstring>

/// Swift's `description` from the shortest digits of `std::to_chars`. Both choose the closest of the shortest texts.
namespace {

/// Up to here a type holds every integer; Swift prints larger values with an exponent.
template <typename Type>
constexpr Type last_integer = sizeof(Type) == 4 ? Type{16777216} : Type{9007199254740992};

uint8_t *print_integer(int64_t value, uint8_t *out) {
  auto *text = reinterpret_cast<char *>(out);
  return reinterpret_cast<uint8_t *>(std::to_chars(text, text + CNumbersRoom, value).ptr);
}

/// Moves the point in `text`, the digits of a value that is not an integer, as in `1.25e-02`. The exponent is -4 to 15.
///
/// Copies have a fixed size. Bytes that they write beyond the digits are overwritten or not counted.
uint8_t *place_point(const char *text, const char *end, uint8_t *out) {
  const char *exponent = end - 3;
  const int digits = static_cast<int>(exponent - 1 - text) - (text[1] == '.');
  const int power = (exponent[1] - '0') * 10 + (exponent[2] - '0');
  if (exponent[0] == '-') {
    std::memcpy(out, "0.000", 5);
    out += 1 + power;
    *out = static_cast<uint8_t>(text[0]);
    std::memcpy(out + 1, text + 2, 16);
    return out + digits;
  }
  *out = static_cast<uint8_t>(text[0]);
  std::memcpy(out + 1, text + 2, 16);
  out[1 + power] = '.';
  std::memcpy(out + 2 + power, text + 2 + power, 16);
  return out + 1 + digits;
}

template <typename Type>
uint8_t *print_finite(Type value, uint8_t *out) {
  *out = '-';
  out += std::signbit(value);
  value = std::fabs(value);
  if (value <= last_integer<Type>) {
    const auto integer = static_cast<int64_t>(value);
    if (static_cast<Type>(integer) == value) {
      out = print_integer(integer, out);
      *out++ = '.';
      *out++ = '0';
      return out;
    }
  }
  char text[CNumbersRoom + 16];
  const char *end = std::to_chars(text, text + CNumbersRoom, value, std::chars_format::scientific).ptr;
  if (value <= last_integer<Type> && value >= static_cast<Type>(1e-4)) return place_point(text, end, out);
  std::memcpy(out, text, 24);
  return out + (end - text);
}

uint8_t *print_word(const char *word, uint8_t *out) {
  const size_t length = std::strlen(word);
  std::memcpy(out, word, length);
  return out + length;
}

template <typename Type>
uint8_t *print(Type value, uint8_t *out) {
  if (std::isfinite(value)) return print_finite(value, out);
  return print_word(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity", out);
}

uint8_t *print_element(int32_t value, uint8_t *out) { return print_integer(value, out); }

template <typename Type>
uint8_t *print_element(Type value, uint8_t *out) {
  if (std::isfinite(value)) return print_finite(value, out);
  *out++ = '"';
  out = print(value, out);
  *out++ = '"';
  return out;
}

template <typename Type>
size_t print_list(const Type *values, size_t count, uint8_t *out) {
  const uint8_t *first = out;
  for (size_t index = 0; index < count; ++index) {
    if (index > 0) {
      *out++ = ',';
      *out++ = ' ';
    }
    Type value;
    std::memcpy(&value, reinterpret_cast<const uint8_t *>(values) + index * sizeof value, sizeof value);
    out = print_element(value, out);
  }
  return static_cast<size_t>(out - first);
}

}  // namespace

size_t cnumbers_print_double(double value, uint8_t *out) { return static_cast<size_t>(print(value, out) - out); }
size_t cnumbers_print_float(float value, uint8_t *out) { return static_cast<size_t>(print(value, out) - out); }
size_t cnumbers_print_integer(int64_t value, uint8_t *out) {
  return static_cast<size_t>(print_integer(value, out) - out);
}

size_t cnumbers_print_doubles(const double *values, size_t count, uint8_t *out) {
  return print_list(values, count, out);
}
size_t cnumbers_print_floats(const float *values, size_t count, uint8_t *out) { return print_list(values, count, out); }
size_t cnumbers_print_int32s(const int32_t *values, size_t count, uint8_t *out) {
  return print_list(values, count, out);
}
