#pragma once
// The two passes of a resize.
#include "filter.h"

/// Rows of a source that are resized together.
enum { BLOCK = 4 };

/// Horizontal pass: `BLOCK` rows of four bytes a pixel become rows of float in the width of the result.
void cimages_horizontal_colours(const Filter *columns, const uint8_t *const rows[BLOCK], float *const resampled[BLOCK]);
#if defined(__x86_64__)
/// The same with AVX2 and with AVX-512, by the same operations.
void cimages_horizontal_colours_avx2(const Filter *columns, const uint8_t *const rows[BLOCK], float *const resampled[BLOCK]);
void cimages_horizontal_colours_avx512(const Filter *columns, const uint8_t *const rows[BLOCK], float *const resampled[BLOCK]);
#endif
/// The same for one sample a pixel. `lines` has room for `BLOCK * width` floats.
void cimages_horizontal_gray(
  const Filter *columns, CImagesSamples samples, const uint8_t *const rows[BLOCK], size_t width, float *lines, float *const resampled[BLOCK]);

/// Vertical pass: adds `number` rows, 1 to `BLOCK`, to `sums` one after the other, each times its weight. With `begins`, the sums are zero before.
void cimages_vertical_add(float *sums, const float *const rows[], const float *weights, int number, size_t count, bool begins);
/// Writes sums as samples.
void cimages_write_samples(const float *sums, CImagesSamples samples, void *target, size_t count);
