// Products of rows by constant weights, both in pairs of brain floating point: a pair takes a float's place in all layouts.
#include "pairs.h"
#include "rows.h"

CK_INLINE size_t pairs_in(size_t numbers) { return (numbers + 1) / 2; }

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
  size_t blocks = blocks_of(n), pairs = pairs_in(k);
  for (size_t u = unit_begin; u < unit_end; u++) {
    size_t lanes = u * 2 + 1 < blocks ? 2 * CK_W : CK_W, first = u * 2 * CK_W;
    size_t columns = n - first < lanes ? n - first : lanes;
    const float *from = w + (ptrdiff_t)(first - unit_begin * 2 * CK_W) * column_stride;
    float *to = packed + first * pairs + k_begin / 2 * lanes;
    for (size_t l = k_begin; l < k_end; l += 2, from += 2 * row_stride, to += lanes) {
      for (size_t i = 0; i < lanes; i++) {
        const float *number = from + (ptrdiff_t)i * column_stride;
        to[i] = i < columns ? pair_of(*number, l + 1 < k_end ? number[row_stride] : 0) : 0;
      }
    }
  }
}

void CK_FN(rows_product_bf16_f32)(
    size_t rows, size_t n, size_t k, const float *packed_x, const float *packed_w, const ck_epilogue *epilogue,
    const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin,
    size_t unit_end) {
  rows_product(
      rows_pairs, sizeof(float), rows, n, pairs_in(k), packed_x, packed_w, NULL, epilogue, add, ldadd, out, ldo, row_begin,
      row_end, unit_begin, unit_end);
}
