// The horizontal pass. Four rows share each loaded weight, and their accumulators are independent.
#include "half.h"
#include "passes.h"

#pragma STDC FP_CONTRACT OFF

// Keeps accumulators in registers.
#define UNROLLED _Pragma("clang loop unroll(full)")

/// Pixel `index` of four, as floats.
INLINE F4 pixel_of(B16 bytes, int index) {
  B16 zero = {0};
  typedef int16_t S8 __attribute__((vector_size(16)));
  B16 pairs = index < 2 ? __builtin_shufflevector(bytes, zero, 0, 16, 1, 16, 2, 16, 3, 16, 4, 16, 5, 16, 6, 16, 7, 16)
                        : __builtin_shufflevector(bytes, zero, 8, 16, 9, 16, 10, 16, 11, 16, 12, 16, 13, 16, 14, 16, 15, 16);
  S8 shorts = (S8)pairs, none = {0};
  S8 wide = index % 2 == 0 ? __builtin_shufflevector(shorts, none, 0, 8, 1, 8, 2, 8, 3, 8)
                           : __builtin_shufflevector(shorts, none, 4, 8, 5, 8, 6, 8, 7, 8);
  return __builtin_convertvector((I4)wide, F4);
}

void cimages_horizontal_colours(const Filter *columns, const uint8_t *const rows[BLOCK], float *const resampled[BLOCK]) {
  for (int32_t x = 0; x < columns->count; x++) {
    Tap tap = columns->taps[x];
    F4 sums[BLOCK] = {0};
    size_t place = (size_t)tap.first * 4;
    int32_t i = 0;
    for (; i + 4 <= tap.count; i += 4, place += 16) {
      F4 weights = LOAD(F4, tap.weights + i);
      F4 first = f4_all(weights[0]), second = f4_all(weights[1]), third = f4_all(weights[2]), fourth = f4_all(weights[3]);
      UNROLLED for (int row = 0; row < BLOCK; row++) {
        B16 pixels = LOAD(B16, rows[row] + place);
        sums[row] += first * pixel_of(pixels, 0);
        sums[row] += second * pixel_of(pixels, 1);
        sums[row] += third * pixel_of(pixels, 2);
        sums[row] += fourth * pixel_of(pixels, 3);
      }
    }
    for (; i < tap.count; i++, place += 4) {
      F4 weight = f4_all(tap.weights[i]);
      UNROLLED for (int row = 0; row < BLOCK; row++) sums[row] += weight * f4_of_bytes(LOAD(B4, rows[row] + place));
    }
    UNROLLED for (int row = 0; row < BLOCK; row++) STORE(resampled[row] + (size_t)x * 4, sums[row]);
  }
}

INLINE F4 sample(CImagesSamples samples, const uint8_t *const rows[BLOCK], size_t x) {
  if (samples == CIMAGES_GRAY8) return f4_of_bytes((B4){rows[0][x], rows[1][x], rows[2][x], rows[3][x]});
  if (samples == CIMAGES_GRAY_FP32) {
    return (F4){LOAD(float, rows[0] + x * 4), LOAD(float, rows[1] + x * 4), LOAD(float, rows[2] + x * 4), LOAD(float, rows[3] + x * 4)};
  }
  return f4_of_fp16((H4){
    LOAD(uint16_t, rows[0] + x * 2), LOAD(uint16_t, rows[1] + x * 2), LOAD(uint16_t, rows[2] + x * 2), LOAD(uint16_t, rows[3] + x * 2)});
}

void cimages_horizontal_gray(
  const Filter *columns, CImagesSamples samples, const uint8_t *const rows[BLOCK], size_t width, float *lines, float *const resampled[BLOCK]) {
  // Transposes samples: the four rows' samples of one column form one vector.
  switch (samples) {
    case CIMAGES_GRAY8: for (size_t x = 0; x < width; x++) STORE(lines + x * 4, sample(CIMAGES_GRAY8, rows, x)); break;
    case CIMAGES_GRAY_FP32: for (size_t x = 0; x < width; x++) STORE(lines + x * 4, sample(CIMAGES_GRAY_FP32, rows, x)); break;
    default: for (size_t x = 0; x < width; x++) STORE(lines + x * 4, sample(CIMAGES_GRAY_FP16, rows, x));
  }
  for (int32_t x = 0; x < columns->count; x++) {
    Tap tap = columns->taps[x];
    const float *place = lines + (size_t)tap.first * 4;
    F4 sum = {0};
    for (int32_t i = 0; i < tap.count; i++, place += 4) sum += f4_all(tap.weights[i]) * LOAD(F4, place);
    UNROLLED for (int row = 0; row < BLOCK; row++) resampled[row][x] = sum[row];
  }
}
