// Matrices packed for register tiles as in lanes.h, in bf16. Two neighbors along K share one 32-bit lane.
#pragma once
#include "lanes.h"
#include "../x86/bf16_dot.h"

CK_INLINE vf load_some(const float *from, size_t n) { return n >= CK_W ? vf_load(from) : vf_load_n(from, n); }

/// Packs a line of up to 2 * CK_W elements into pairs of neighbors, padded with zeros.
CK_INLINE vf pairs_along(const float *from, size_t n, float scale) {
  return pairs_of(scale * load_some(from, n), n > CK_W ? scale * load_some(from + CK_W, n - CK_W) : (vf)0.0f);
}

/// Packs `lanes` pairs of two lines. If there is no second line, zeros take its place.
CK_INLINE vf pairs_across(const float *from, ptrdiff_t step, bool both, size_t lanes, float scale) {
  return pairs_by_lane(scale * load_some(from, lanes), both ? scale * load_some(from + step, lanes) : (vf)0.0f);
}

/// For CK_W lanes `column` apart, packs pairs of `count` elements `row` apart. Vector p is at to + p * step, as in
/// lay_lanes.
CK_INLINE void lay_pairs(
    const float *from, ptrdiff_t row, size_t count, ptrdiff_t column, size_t lanes, float *to, size_t step) {
  size_t pairs = (count + 1) / 2, p = 0;
  if (column == 1) {
    for (; p < pairs; p++)
      vf_store(to + p * step, pairs_across(from + (ptrdiff_t)(2 * p) * row, row, 2 * p + 1 < count, lanes, 1));
  } else if (row == 1) {
    for (; p < pairs; p += CK_W) {
      size_t n = pairs - p < CK_W ? pairs - p : CK_W;
      vf a[CK_W];
      for (size_t j = 0; j < CK_W; j++)
        a[j] = j < lanes ? pairs_along(from + 2 * p + (ptrdiff_t)j * column, count - 2 * p, 1) : (vf)0.0f;
      square_turn(a);
      for (size_t j = 0; j < n; j++) vf_store(to + (p + j) * step, a[j]);
    }
  }
  for (; p < pairs; p++) {
    const float *line = from + (ptrdiff_t)(2 * p) * row;
    for (size_t j = 0; j < CK_W; j++, line += column) {
      to[p * step + j] = j < lanes ? pair_of(line[0], 2 * p + 1 < count ? line[row] : 0) : 0;
    }
  }
}

/// Packs `count` rows of up to 2 * CK_W elements, `column` apart, into consecutive vectors of pairs.
CK_INLINE void lay_pair_rows(
    const float *from, ptrdiff_t row, size_t count, ptrdiff_t column, size_t numbers, float scale, float *to) {
  size_t r = 0, pairs = (numbers + 1) / 2;
  if (column == 1) {
    for (; r < count; r++) vf_store(to + r * CK_W, pairs_along(from + (ptrdiff_t)r * row, numbers, scale));
  } else if (row == 1) {
    for (; r < count; r += CK_W) {
      size_t n = count - r < CK_W ? count - r : CK_W;
      vf a[CK_W];
      for (size_t p = 0; p < CK_W; p++) {
        const float *line = from + r + (ptrdiff_t)(2 * p) * column;
        a[p] = p < pairs ? pairs_across(line, column, 2 * p + 1 < numbers, n, scale) : (vf)0.0f;
      }
      square_turn(a);
      for (size_t i = 0; i < n; i++) vf_store(to + (r + i) * CK_W, a[i]);
    }
  }
  for (; r < count; r++) {
    const float *line = from + (ptrdiff_t)r * row;
    for (size_t p = 0; p < CK_W; p++) {
      float low = 2 * p < numbers ? scale * line[(ptrdiff_t)(2 * p) * column] : 0;
      to[r * CK_W + p] = pair_of(low, 2 * p + 1 < numbers ? scale * line[(ptrdiff_t)(2 * p + 1) * column] : 0);
    }
  }
}
