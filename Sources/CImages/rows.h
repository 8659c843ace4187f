#pragma once
// Rows of samples on their way through a resize.
#include "filter.h"

/// Rows of a source that are resized together.
enum { BLOCK = 4 };

/// Resizes `BLOCK` rows of four bytes a pixel along their columns to rows of float.
void rows_narrow_colours(const Filter *columns, const uint8_t *const rows[BLOCK], float *const narrow[BLOCK]);
#if defined(__x86_64__)
/// The same with AVX2, by the same operations.
void rows_narrow_colours_avx2(const Filter *columns, const uint8_t *const rows[BLOCK], float *const narrow[BLOCK]);
#endif
/// The same for one sample a pixel. `lines` has room for `BLOCK * width` floats.
void rows_narrow_gray(
  const Filter *columns, CImagesSamples samples, const uint8_t *const rows[BLOCK], size_t width, float *lines, float *const narrow[BLOCK]);

/// Adds `number` rows, 1 to `BLOCK`, to `sums` one after the other, each times its weight. With `begins`, the sums are zero before.
void rows_add(float *sums, const float *const rows[], const float *weights, int number, size_t count, bool begins);
/// Writes sums as samples.
void rows_write(const float *sums, CImagesSamples samples, void *target, size_t count);
