#ifndef CNUMBERS_DIGITS_H
#define CNUMBERS_DIGITS_H

#include <cstdint>
#include <cstring>

/// Decimal digits, eight at a time in a 64-bit register (SWAR): byte 0 is the first digit.
namespace cnumbers {

constexpr uint64_t every_byte(uint8_t byte) { return uint64_t{0x0101010101010101} * byte; }

/// Reorders bytes of text to little-endian order.
inline uint64_t in_text_order(uint64_t bytes) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return __builtin_bswap64(bytes);
#else
  return bytes;
#endif
}

/// The digits at the start of the next eight bytes, up to the first byte that is no digit.
struct EightDigits {
  /// The values of digits; other bytes are above 9.
  uint64_t values;
  int count;

  /// Eight bytes must be readable at `text`.
  explicit EightDigits(const uint8_t *text) {
    uint64_t bytes;
    std::memcpy(&bytes, text, 8);
    values = in_text_order(bytes) ^ every_byte('0');
    // 7-bit sums carry into no other byte. 10 is the first value whose sum with 0x76 has the high bit.
    const uint64_t others = (((values & every_byte(0x7F)) + every_byte(0x76)) | values) & every_byte(0x80);
    count = others == 0 ? 8 : __builtin_ctzll(others) / 8;
  }

  /// The value of the first `count` digits.
  uint64_t value() const {
    // Shifts in zeros before the first digit. Two shifts, because a shift by 64 is undefined.
    uint64_t digits = values << (7 * (8 - count)) << (8 - count);
    // Combines pairs of digits, then four digits of each half, then both in the upper 32 bits.
    digits = digits * 10 + (digits >> 8);
    constexpr uint64_t pair = 0x000000FF000000FF;
    const uint64_t first = (digits & pair) * (100 + (uint64_t{1000000} << 32));
    const uint64_t second = ((digits >> 16) & pair) * (1 + (uint64_t{10000} << 32));
    return (first + second) >> 32;
  }
};

}  // namespace cnumbers

#endif
