// Products of rows by constant weights, both in pairs of brain floating point: a pair takes a float's place in all layouts.
#include "pairs.h"
#include "rows.h"

void CK_FN(rows_pack_bf16)(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, size_t row_begin, size_t row_end, float *packed) {
  for (size_t l = 0; l < k; l += 2 * CK_W) {
    size_t lanes = k - l < 2 * CK_W ? k - l : 2 * CK_W, low = lanes < CK_W ? lanes : CK_W;
    const float *from = x + (ptrdiff_t)row_begin * ldx + (ptrdiff_t)l;
    float *to = packed + (l / (2 * CK_W) * rows + row_begin) * CK_W;
    for (size_t r = row_begin; r < row_end; r++, from += ldx, to += CK_W) {
      vf_store(to, pairs_of(vf_load_n(from, low), lanes > CK_W ? vf_load_n(from + CK_W, lanes - CK_W) : (vf)0.0f));
    }
  }
}

void CK_FN(rows_pack_weights_bf16)(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed) {
  rows_pack_along(k, n, w, row_stride, column_stride, k_begin, k_end, unit_begin, unit_end, packed);
}

void CK_FN(rows_product_bf16_f32)(
    size_t rows, size_t n, size_t k, const float *packed_x, const float *packed_w, const ck_epilogue *epilogue,
    const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin,
    size_t unit_end) {
  rows_product(
      rows_pairs, sizeof(float), rows, n, along(k), packed_x, packed_w, NULL, NULL, epilogue, add, ldadd, out, ldo, row_begin,
      row_end, unit_begin, unit_end);
}
