// The vertical pass.
#include "half.h"
#include "passes.h"

#pragma STDC FP_CONTRACT OFF

INLINE void add(float *sums, const float *const rows[], const float *weights, int number, size_t count, bool begins) {
  size_t x = 0;
  for (; x + 4 <= count; x += 4) {
    F4 sum = begins ? (F4){0} : LOAD(F4, sums + x);
    for (int row = 0; row < number; row++) sum += f4_all(weights[row]) * LOAD(F4, rows[row] + x);
    STORE(sums + x, sum);
  }
  for (; x < count; x++) {
    float sum = begins ? 0 : sums[x];
    for (int row = 0; row < number; row++) sum += weights[row] * rows[row][x];
    sums[x] = sum;
  }
}

INLINE void add_any(float *sums, const float *const rows[], const float *weights, int number, size_t count, bool begins) {
  switch (number) {
    case 1: add(sums, rows, weights, 1, count, begins); break;
    case 2: add(sums, rows, weights, 2, count, begins); break;
    case 3: add(sums, rows, weights, 3, count, begins); break;
    default: add(sums, rows, weights, 4, count, begins);
  }
}

void cimages_vertical_add(float *sums, const float *const rows[], const float *weights, int number, size_t count, bool begins) {
  begins ? add_any(sums, rows, weights, number, count, true) : add_any(sums, rows, weights, number, count, false);
}

static void write_bytes(const float *sums, uint8_t *target, size_t count) {
  size_t x = 0;
  for (; x + 16 <= count; x += 16) {
    I4 a = i4_rounded_away(LOAD(F4, sums + x)), b = i4_rounded_away(LOAD(F4, sums + x + 4));
    I4 c = i4_rounded_away(LOAD(F4, sums + x + 8)), d = i4_rounded_away(LOAD(F4, sums + x + 12));
    STORE(target + x, b16_of_i4(a, b, c, d));
  }
  for (; x < count; x++) target[x] = (uint8_t)i4_rounded_away(f4_all(sums[x]))[0];
}

void cimages_write_samples(const float *sums, CImagesSamples samples, void *target, size_t count) {
  switch (samples) {
    case CIMAGES_GRAY_FP16: cimages_fp16_of_fp32(sums, target, count); break;
    case CIMAGES_GRAY_FP32: memcpy(target, sums, count * sizeof *sums); break;
    default: write_bytes(sums, target, count);
  }
}
