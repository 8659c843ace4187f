#pragma once
// The two passes of a resize.
#include "filter.h"

/// Source rows that are resized at a time.
enum { BLOCK = 4 };

/// Horizontal pass: resamples `BLOCK` rows of four-byte pixels to float rows of the result's width.
void cimages_horizontal_colours(const Filter *columns, const uint8_t *const rows[BLOCK], float *const resampled[BLOCK]);
#if defined(__x86_64__)
/// As above with AVX2 and with AVX-512; the operations are the same.
void cimages_horizontal_colours_avx2(const Filter *columns, const uint8_t *const rows[BLOCK], float *const resampled[BLOCK]);
void cimages_horizontal_colours_avx512(const Filter *columns, const uint8_t *const rows[BLOCK], float *const resampled[BLOCK]);
#endif
/// As above for one sample per pixel. `lines` has space for `BLOCK * width` floats.
void cimages_horizontal_gray(
  const Filter *columns, CImagesSamples samples, const uint8_t *const rows[BLOCK], size_t width, float *lines, float *const resampled[BLOCK]);

/// Vertical pass: adds `number` weighted rows, 1 to `BLOCK`, to `sums` in order. With `begins`, the sums start from
/// zero.
void cimages_vertical_add(float *sums, const float *const rows[], const float *weights, int number, size_t count, bool begins);
/// Converts sums to samples and stores them.
void cimages_write_samples(const float *sums, CImagesSamples samples, void *target, size_t count);
