// NCHWc blocks to rows of channels and back. The channels of a position are contiguous in both.
#include <string.h>

#include "ck_block.h"

/// Positions per iteration, so that cache lines shared by neighboring blocks are still cached when the next block is
/// processed.
enum { TILE = 32 };

static inline __attribute__((always_inline)) void rows_of_blocks(
    const float *in, size_t channels, size_t area, size_t size, float *out, size_t begin, size_t end) {
  for (size_t first = begin; first < end; first += TILE) {
    size_t last = end - first < TILE ? end : first + TILE;
    for (size_t c = 0; c < channels; c += size) {
      const float *from = in + c * area;
      size_t here = channels - c;
      if (here >= size) {
        for (size_t p = first; p < last; p++) memcpy(out + p * channels + c, from + p * size, size * sizeof *out);
      } else {
        for (size_t p = first; p < last; p++) memcpy(out + p * channels + c, from + p * size, here * sizeof *out);
      }
    }
  }
}

static inline __attribute__((always_inline)) void blocks_of_rows(
    const float *in, size_t channels, size_t area, size_t size, float *out, size_t begin, size_t end) {
  for (size_t first = begin; first < end; first += TILE) {
    size_t last = end - first < TILE ? end : first + TILE;
    for (size_t c = 0; c < channels; c += size) {
      float *to = out + c * area;
      size_t here = channels - c;
      if (here >= size) {
        for (size_t p = first; p < last; p++) memcpy(to + p * size, in + p * channels + c, size * sizeof *out);
      } else {
        for (size_t p = first; p < last; p++) {
          memcpy(to + p * size, in + p * channels + c, here * sizeof *out);
          memset(to + p * size + here, 0, (size - here) * sizeof *out);
        }
      }
    }
  }
}

// The sizes in use, as constants: each copy is then a few instructions.
#define CK_EACH_SIZE(F)                                                    \
  switch (size) {                                                          \
    case 16: F(in, channels, area, 16, out, begin, end); break;            \
    case 8: F(in, channels, area, 8, out, begin, end); break;              \
    case 4: F(in, channels, area, 4, out, begin, end); break;              \
    default: F(in, channels, area, size, out, begin, end);                 \
  }

void ck_blocks_to_rows_f32(
    const float *in, size_t channels, size_t area, size_t size, float *out, size_t begin, size_t end) {
  CK_EACH_SIZE(rows_of_blocks)
}

void ck_rows_to_blocks_f32(
    const float *in, size_t channels, size_t area, size_t size, float *out, size_t begin, size_t end) {
  CK_EACH_SIZE(blocks_of_rows)
}
