// Products of rows by constant weights, both in fours of bytes: a four takes a float's place in all layouts.
#include "fours.h"
#include "rows.h"

void CK_FN(rows_pack_i8)(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, float inverse, int32_t low, size_t row_begin, size_t row_end,
    float *packed) {
  struct steps s = {inverse, low};
  for (size_t l = 0; l < k; l += 4 * CK_W) {
    size_t lanes = k - l < 4 * CK_W ? k - l : 4 * CK_W;
    const float *from = x + (ptrdiff_t)row_begin * ldx + (ptrdiff_t)l;
    uint8_t *to = (uint8_t *)(packed + (l / (4 * CK_W) * rows + row_begin) * CK_W);
    for (size_t r = row_begin; r < row_end; r++, from += ldx, to += 4 * CK_W) {
      for (size_t i = 0; i < 4 * CK_W; i += CK_W) {
        vf numbers = i + CK_W <= lanes ? vf_load(from + i) : i < lanes ? vf_load_n(from + i, lanes - i) : (vf)0.0f;
        store_bytes(to + i, numbers, s);
      }
    }
  }
}

void CK_FN(rows_pack_weights_i8)(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed) {
  rows_pack_along(k, n, w, row_stride, column_stride, k_begin, k_end, unit_begin, unit_end, packed);
}

void CK_FN(rows_product_i8_f32)(
    size_t rows, size_t n, size_t k, const float *packed_x, const float *packed_w, const ck_integer_sums *sums,
    const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin,
    size_t row_end, size_t unit_begin, size_t unit_end) {
  rows_product(
      rows_fours, sizeof(float), rows, n, along(k), packed_x, packed_w, NULL, sums, epilogue, add, ldadd, out, ldo, row_begin,
      row_end, unit_begin, unit_end);
}
