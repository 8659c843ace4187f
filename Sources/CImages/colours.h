#pragma once
// Pixels of four bytes, four at a time, each a 32-bit integer.
#include "CImages.h"
#include "vectors.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "byte 0 of a pixel is its lowest");

INLINE U4 u4_byte(U4 pixels, uint32_t byte) { return (pixels >> (byte * 8)) & u4_all(0xFF); }

/// Pixels that a vector of four at `x` has of a row of `count`.
INLINE size_t pixels_at(size_t x, size_t count) { return count - x < 4 ? count - x : 4; }

INLINE U4 load_pixels(const void *source, size_t count) {
  if (count == 4) return LOAD(U4, source);
  U4 pixels = {0};
  memcpy(&pixels, source, count * 4);
  return pixels;
}

INLINE void store_pixels(void *target, U4 pixels, size_t count) {
  if (count == 4) {
    STORE(target, pixels);
  } else {
    memcpy(target, &pixels, count * 4);
  }
}

INLINE void store_bytes(void *target, U4 values, size_t count) {
  B4 bytes = __builtin_convertvector(values, B4);
  if (count == 4) {
    STORE(target, bytes);
  } else {
    memcpy(target, &bytes, count);
  }
}
