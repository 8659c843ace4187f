#pragma once
// Four-byte pixels, four at a time, each a 32-bit integer.
#include "CImages.h"
#include "vectors.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "byte 0 of a pixel is its lowest");

INLINE U4 u4_byte(U4 pixels, uint32_t byte) { return (pixels >> (byte * 8)) & u4_all(0xFF); }

/// Evaluates `step` for each four pixels from `x` on, with `number` = 4, then once for the remaining `number` pixels of
/// a row. With an inline function as `step`, the loop over whole vectors has no branches and no calls of memcpy.
#define EACH_VECTOR(count, step)                 \
  do {                                        \
    size_t x = 0;                             \
    for (; x + 4 <= (count); x += 4) {        \
      const size_t number = 4;                \
      step;                                   \
    }                                         \
    if (x < (count)) {                        \
      const size_t number = (count) - x;      \
      step;                                   \
    }                                         \
  } while (0)

/// `number` elements of `Type`, padded with zeros to a vector.
#define LOAD_FEW(Vector, Type, address, number)               \
  ({                                                          \
    Vector few_ = {0};                                        \
    memcpy(&few_, (address), (number) * sizeof(Type));        \
    few_;                                                     \
  })

#define STORE_FEW(Type, address, number, ...) ({ __typeof__(__VA_ARGS__) few_ = (__VA_ARGS__); memcpy((address), &few_, (number) * sizeof(Type)); })

INLINE U4 load_pixels(const void *source, size_t number) { return LOAD_FEW(U4, uint32_t, source, number); }
INLINE void store_pixels(void *target, U4 pixels, size_t number) { STORE_FEW(uint32_t, target, number, pixels); }
INLINE void store_bytes(void *target, U4 values, size_t number) {
  STORE_FEW(uint8_t, target, number, __builtin_convertvector(values, B4));
}
