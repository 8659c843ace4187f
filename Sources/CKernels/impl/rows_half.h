// Products of rows (rows.h) by weights that are packed as halves, and widened as they are read: half the memory, and the numbers of the same
// weights as floats, bit by bit.
#include "../half.h"

void CK_FN(rows_pack_weights_f16)(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, uint16_t *packed) {
  size_t blocks = blocks_of(n);
  for (size_t u = unit_begin; u < unit_end; u++) {
    size_t lanes = u * 2 + 1 < blocks ? 2 * CK_W : CK_W, first = u * 2 * CK_W;
    size_t columns = n - first < lanes ? n - first : lanes;
    const float *from = w + (ptrdiff_t)(first - unit_begin * 2 * CK_W) * column_stride;
    uint16_t *to = packed + first * k + k_begin * lanes;
    for (size_t l = k_begin; l < k_end; l++, from += row_stride, to += lanes) {
      float line[2 * CK_W] = {0};
      for (size_t i = 0; i < columns; i++) line[i] = from[(ptrdiff_t)i * column_stride];
      for (size_t i = 0; i < lanes; i += CK_W) vf_store_half(to + i, vf_load(line + i));
    }
  }
}

CK_INLINE void rows_sums_half(
    int P, int B, const struct rows *r, const uint16_t *weights, const struct ending *e, const float *x, const float *add,
    float *out) {
  vf sum[CK_STRIP], more[CK_STRIP];
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) sum[p] = more[p] = 0;
  for (size_t left = r->k; left > 0; x += r->group) {
    size_t width = left < CK_W ? left : CK_W;
    const float *q = x;
    for (size_t i = 0; i < width; i++, q++, weights += B * CK_W) {
      vf w0 = vf_of_half(weights), w1 = B == 2 ? vf_of_half(weights + CK_W) : w0;
#pragma clang loop unroll(full)
      for (int p = 0; p < P; p++) {
        vf v = q[p * CK_W];
        sum[p] = vf_fma(v, w0, sum[p]);
        if (B == 2) more[p] = vf_fma(v, w1, more[p]);
      }
    }
    left -= width;
  }
  rows_end(P, B, sum, more, e, add, r->ldadd, out, r->ldo, r->columns);
}

typedef void (*rows_half_function)(
    const struct rows *r, const uint16_t *weights, const struct ending *e, const float *x, const float *add, float *out);
#define CK_ROWS_HALF_ENTRY(P, B)                                                                                      \
  static void rows_half_##B##_##P(                                                                                    \
      const struct rows *r, const uint16_t *weights, const struct ending *e, const float *x, const float *add,        \
      float *out) {                                                                                                   \
    rows_sums_half(P, B, r, weights, e, x, add, out);                                                                 \
  }
#define CK_ROWS_HALF_NAME(P, B) rows_half_##B##_##P,
CK_STRIP_WIDTHS(CK_ROWS_HALF_ENTRY, 1)
CK_STRIP_WIDTHS(CK_ROWS_HALF_ENTRY, 2)
static const rows_half_function rows_half_functions[2][CK_STRIP + 1] = {
    {NULL, CK_STRIP_WIDTHS(CK_ROWS_HALF_NAME, 1)}, {NULL, CK_STRIP_WIDTHS(CK_ROWS_HALF_NAME, 2)}};

void CK_FN(rows_product_f16w_f32)(
    size_t rows, size_t n, size_t k, const float *packed_x, const uint16_t *packed_w, const ck_epilogue *epilogue,
    const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin,
    size_t unit_end) {
  struct ending e = ending_of(epilogue);
  size_t blocks = blocks_of(n);
  float bias[2 * CK_W];
  struct rows r = {.k = k, .group = (ptrdiff_t)(rows * CK_W), .ldo = ldo, .ldadd = ldadd};
  for (size_t u = unit_begin; u < unit_end; u++) {
    size_t count = u * 2 + 1 < blocks ? 2 : 1, first = u * 2 * CK_W;
    r.columns = n - first < count * CK_W ? n - first : count * CK_W;
    e.bias = NULL;
    if (epilogue->bias) {
      for (size_t i = 0; i < 2 * CK_W; i++) bias[i] = i < r.columns ? epilogue->bias[first + i] : 0;
      e.bias = bias;
    }
    for (size_t row = row_begin; row < row_end;) {
      size_t p = strip_of(row_end - row);
      const float *sum = add ? add + (ptrdiff_t)row * ldadd + first : NULL;
      rows_half_functions[count - 1][p](
          &r, packed_w + first * k, &e, packed_x + row * CK_W, sum, out + (ptrdiff_t)row * ldo + first);
      row += p;
    }
  }
}
