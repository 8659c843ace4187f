// Matrices packed for register tiles: a vector is CK_W neighbors along one axis; the vectors follow each other along
// the other axis.
#pragma once
#include "../vector.h"

/// Interleaves the lower half of x with that of y; lanes_high does so with the upper half.
CK_INLINE vf lanes_low(vf x, vf y) {
#if CK_W == 16
  return __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
#elif CK_W == 8
  return __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
#else
  return __builtin_shufflevector(x, y, 0, 4, 1, 5);
#endif
}
CK_INLINE vf lanes_high(vf x, vf y) {
#if CK_W == 16
  return __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#elif CK_W == 8
  return __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
#else
  return __builtin_shufflevector(x, y, 2, 6, 3, 7);
#endif
}

/// Transposes CK_W x CK_W elements in log2(CK_W) rounds. Each round interleaves row i with row i + CK_W / 2.
CK_INLINE void square_turn(vf *a) {
  vf b[CK_W];
#pragma clang loop unroll(full)
  for (int lanes = 1; lanes < CK_W; lanes *= 2) {
#pragma clang loop unroll(full)
    for (int i = 0; i < CK_W / 2; i++) {
      b[2 * i] = lanes_low(a[i], a[i + CK_W / 2]);
      b[2 * i + 1] = lanes_high(a[i], a[i + CK_W / 2]);
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < CK_W; i++) a[i] = b[i];
  }
}

/// Vector i (of `count`) at to + i * step is scale * from[i * row + j * column] for j in 0 ..< lanes, then zeros.
CK_INLINE void lay_lanes(
    const float *from, ptrdiff_t row, size_t count, ptrdiff_t column, size_t lanes, float scale, float *to, size_t step) {
  size_t i = 0;
  if (column == 1 && lanes == CK_W) {
    for (; i < count; i++) vf_store(to + i * step, scale * vf_load(from + (ptrdiff_t)i * row));
  } else if (column == 1) {
    for (; i < count; i++) vf_store(to + i * step, scale * vf_load_n(from + (ptrdiff_t)i * row, lanes));
  } else if (row == 1) {
    for (; i < count; i += CK_W) {
      size_t n = count - i < CK_W ? count - i : CK_W;
      vf a[CK_W];
      for (size_t j = 0; j < CK_W; j++) {
        const float *line = from + i + (ptrdiff_t)j * column;
        a[j] = j >= lanes ? (vf)0.0f : scale * (n == CK_W ? vf_load(line) : vf_load_n(line, n));
      }
      square_turn(a);
      for (size_t j = 0; j < n; j++) vf_store(to + (i + j) * step, a[j]);
    }
  }
  for (; i < count; i++) {
    const float *line = from + (ptrdiff_t)i * row;
    for (size_t j = 0; j < CK_W; j++) to[i * step + j] = j < lanes ? scale * line[(ptrdiff_t)j * column] : 0;
  }
}
