// GEMM with constant prepacked weights. Every vector is CK_W columns of the result for one row, and an element of the
// row is broadcast, as in NCHWc convolutions (block_strip.h). Rows are read in place, or packed in blocks of CK_W of K
// first. Packed rows of a register tile share neighboring cache lines, however large the row stride is.
#include "lanes.h"
#include "block_strip.h"
#if !defined(CK_TARGET_AVX512BF16) && !defined(CK_TARGET_AVX512VNNI)
#include "gemm_decoded.h"
#endif

/// Columns of a unit: two blocks, or one at the end.
struct columns {
  size_t first, lanes;
  size_t columns;  // columns that exist, at most `lanes`
};

CK_INLINE struct columns columns_of(size_t n, size_t number) {
  size_t lanes = number * 2 + 1 < blocks_of(n) ? 2 * CK_W : CK_W, first = number * 2 * CK_W;
  return (struct columns){first, lanes, n - first < lanes ? n - first : lanes};
}

/// Blocks of a row that are packed consecutively. Rows are in different pages, so several lines per row hide memory
/// latency.
enum { PACKED_TOGETHER = 8 };

#if defined(CK_TARGET_AVX512BF16) || defined(CK_TARGET_AVX512VNNI)
#define CK_ROWS_OTHERS 1
/// Number of 32-bit lanes that `numbers` elements along K take.
CK_INLINE size_t along(size_t numbers) { return (numbers + CK_ALONG - 1) / CK_ALONG; }

/// Packs weights, with CK_ALONG consecutive elements along K in one 32-bit lane. `k_begin` is a multiple of CK_ALONG.
static void rows_pack_along(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed) {
  for (size_t number = unit_begin; number < unit_end; number++) {
    struct columns u = columns_of(n, number);
    const float *from = w + (ptrdiff_t)(u.first - unit_begin * 2 * CK_W) * column_stride;
    float *to = packed + u.first * along(k) + k_begin / CK_ALONG * u.lanes;
    for (size_t l = k_begin; l < k_end; l += CK_ALONG, from += CK_ALONG * row_stride, to += u.lanes) {
      for (size_t i = 0; i < u.lanes; i++) {
        to[i] = i < u.columns ? numbers_along(from + (ptrdiff_t)i * column_stride, row_stride, k_end - l) : 0;
      }
    }
  }
}
#else
void CK_FN(gemm_prepacked_pack_f32)(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, float scale, size_t row_begin, size_t row_end, float *packed) {
  const size_t stretch = PACKED_TOGETHER * CK_W;
  for (size_t first = 0; first < k; first += stretch) {
    const size_t end = k - first < stretch ? k : first + stretch;
    for (size_t r = row_begin; r < row_end; r++) {
      const float *from = x + (ptrdiff_t)r * ldx;
      float *to = packed + (first / CK_W * rows + r) * CK_W;
      size_t l = first;
      for (; l + CK_W <= end; l += CK_W, to += rows * CK_W) vf_store(to, scale * vf_load(from + l));
      if (l < end) vf_store(to, scale * vf_load_n(from + l, end - l));
    }
  }
}

void CK_FN(gemm_prepacked_pack_weights_f32)(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed) {
  for (size_t number = unit_begin; number < unit_end; number++) {
    struct columns u = columns_of(n, number);
    for (size_t j = 0; j < u.lanes; j += CK_W) {
      size_t columns = u.columns - j < CK_W ? u.columns - j : CK_W;
      lay_lanes(
          w + (ptrdiff_t)(u.first + j - unit_begin * 2 * CK_W) * column_stride, row_stride, k_end - k_begin, column_stride,
          columns, 1, packed + u.first * k + k_begin * u.lanes + j, u.lanes);
    }
  }
}

void CK_FN(gemm_prepacked_pack_weights_f16)(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, uint16_t *packed) {
  for (size_t number = unit_begin; number < unit_end; number++) {
    struct columns u = columns_of(n, number);
    const float *from = w + (ptrdiff_t)(u.first - unit_begin * 2 * CK_W) * column_stride;
    uint16_t *to = packed + u.first * k + k_begin * u.lanes;
    for (size_t l = k_begin; l < k_end; l++, from += row_stride, to += u.lanes) {
      float line[2 * CK_W] = {0};
      for (size_t i = 0; i < u.columns; i++) line[i] = from[(ptrdiff_t)i * column_stride];
      for (size_t i = 0; i < u.lanes; i += CK_W) vf_store_f16(to + i, vf_load(line + i));
    }
  }
}

size_t CK_FN(gemm_prepacked_units)(size_t n) { return (blocks_of(n) + 1) / 2; }
size_t CK_FN(gemm_prepacked_packed_size)(size_t rows, size_t k) { return rows * blocks_of(k) * CK_W; }
size_t CK_FN(gemm_prepacked_packed_weights_size)(size_t k, size_t n) { return blocks_of(n) * CK_W * k; }
size_t CK_FN(gemm_prepacked_pass)(size_t k) { return pass_size(blocks_of(k), CK_W) * CK_W; }
size_t CK_FN(gemm_prepacked_widened_size)(size_t k) { return CK_FN(gemm_prepacked_pass)(k) * 2 * CK_W; }
#endif

/// Parameters that all register tiles of rows share.
struct rows {
  const void *weights;
  size_t k;         // elements of a row in this K block
  ptrdiff_t group;  // floats between blocks of K,
  ptrdiff_t apart;  // and between rows that are not packed
  ptrdiff_t ldo, ldadd;
  size_t columns;
  struct passes passes;
  struct fetching *next;
};

/// Initial accumulators, as in strip_begin.
CK_INLINE void rows_begin(
    int P, int B, const struct rows *r, const struct ending *e, const float *add, const float *out, vf *sum, vf *more) {
#if defined(CK_TARGET_AVX512VNNI)
  (void)r, (void)add, (void)out;
  integers_begin(P, B, e, sum, more);
#else
  (void)e;
  const float *from = !r->passes.begins ? out : r->passes.ends ? NULL : add;
  ptrdiff_t row = r->passes.begins ? r->ldadd : r->ldo;
  size_t n0 = r->columns < CK_W ? r->columns : CK_W, n1 = r->columns - n0;
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) sum[p] = more[p] = 0;
  if (from && r->columns == (size_t)B * CK_W) {
#pragma clang loop unroll(full)
    for (int p = 0; p < P; p++) {
      sum[p] = vf_load(from + p * row);
      if (B == 2) more[p] = vf_load(from + p * row + CK_W);
    }
  } else if (from) {
#pragma clang loop unroll(full)
    for (int p = 0; p < P; p++) {
      sum[p] = vf_load_n(from + p * row, n0);
      if (B == 2) more[p] = vf_load_n(from + p * row + CK_W, n1);
    }
  }
#endif
}

/// Stores P rows of a unit, only the columns that exist. After the last K block it adds bias and addend and applies the
/// activation.
CK_INLINE void rows_end(
    int P, int B, const struct rows *r, const vf *sum, const vf *more, const struct ending *e, const float *add, float *out) {
  vf done[2 * CK_STRIP];
  size_t n0 = r->columns < CK_W ? r->columns : CK_W, n1 = r->columns - n0;
  if (r->passes.ends) {
    vf bias0 = e->bias ? vf_load(e->bias) : (vf)0.0f, bias1 = e->bias && B == 2 ? vf_load(e->bias + CK_W) : (vf)0.0f;
    if (!r->passes.begins) add = NULL;
#pragma clang loop unroll(full)
    for (int p = 0; p < P; p++) {
#if defined(CK_TARGET_AVX512VNNI)
      vf a = integers_end(e, 0, sum[p]) + bias0, b = B == 2 ? integers_end(e, 1, more[p]) + bias1 : (vf)0.0f;
#else
      vf a = sum[p] + bias0, b = more[p] + bias1;
#endif
      if (add) {
        a += vf_load_n(add + p * r->ldadd, n0);
        if (B == 2) b += vf_load_n(add + p * r->ldadd + CK_W, n1);
      }
      done[p * B] = vf_clamp(a, e->clamp);
      if (B == 2) done[p * B + 1] = vf_clamp(b, e->clamp);
    }
    if (e->activation) e->activation(e->alpha, e->beta, (const float *)done, (float *)done, (size_t)(P * B) * CK_W);
  } else {
#pragma clang loop unroll(full)
    for (int p = 0; p < P; p++) {
      done[p * B] = sum[p];
      if (B == 2) done[p * B + 1] = more[p];
    }
  }
  if (r->columns == (size_t)B * CK_W) {
#pragma clang loop unroll(full)
    for (int p = 0; p < P; p++) {
      vf_store(out + p * r->ldo, done[p * B]);
      if (B == 2) vf_store(out + p * r->ldo + CK_W, done[p * B + 1]);
    }
  } else {
    for (int p = 0; p < P; p++) {
      vf_store_n(out + p * r->ldo, done[p * B], n0);
      if (B == 2) vf_store_n(out + p * r->ldo + CK_W, done[p * B + 1], n1);
    }
  }
}

CK_INLINE void rows_sums(
    int P, int B, enum weights_kind kind, ptrdiff_t apart, const struct rows *r, const struct ending *e, const float *x, const float *add,
    float *out) {
  vf sum[CK_STRIP], more[CK_STRIP];
  rows_begin(P, B, r, e, add, out, sum, more);
  struct fetching next = *r->next;
  rows_products(P, B, kind, apart, x, r->group, r->k, r->weights, 0, &next, sum, more);
  *r->next = fetching_left(next);
  rows_end(P, B, r, sum, more, e, add, out);
}

typedef void (*rows_function)(const struct rows *r, const struct ending *e, const float *x, const float *add, float *out);
#define CK_ROWS_ENTRY(P, B, NAME, KIND, APART)                                                                        \
  static void rows_##NAME##_##B##_##P(                                                                                \
      const struct rows *r, const struct ending *e, const float *x, const float *add, float *out) {                   \
    rows_sums(P, B, KIND, APART, r, e, x, add, out);                                                                  \
  }
#define CK_ROWS_NAME(P, B, NAME) rows_##NAME##_##B##_##P,
#define CK_ROWS_SET(NAME, KIND, APART)                                                                                \
  CK_STRIP_WIDTHS(CK_ROWS_ENTRY, 1, NAME, KIND, APART)                                                                \
  CK_STRIP_WIDTHS(CK_ROWS_ENTRY, 2, NAME, KIND, APART)                                                                \
  static const rows_function rows_##NAME[2][CK_STRIP + 1] = {                                                         \
      {NULL, CK_STRIP_WIDTHS(CK_ROWS_NAME, 1, NAME)}, {NULL, CK_STRIP_WIDTHS(CK_ROWS_NAME, 2, NAME)}};
#if defined(CK_TARGET_AVX512BF16)
CK_ROWS_SET(bf16, WEIGHTS_BF16, CK_W)
#elif defined(CK_TARGET_AVX512VNNI)
CK_ROWS_SET(int8, WEIGHTS_INT8, CK_W)
#else
CK_ROWS_SET(f32, WEIGHTS_F32, CK_W)
CK_ROWS_SET(f16, WEIGHTS_F16, CK_W)
CK_ROWS_SET(f32_apart, WEIGHTS_F32, r->apart)
CK_ROWS_SET(f16_apart, WEIGHTS_F16, r->apart)
#endif

/// `coded`: quantized weights instead of `packed_w`, which are decoded to fp32 in `widened`.
static void rows_product(
    const rows_function functions[2][CK_STRIP + 1], size_t size, size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end,
    const float *x, ptrdiff_t ldx, const void *packed_w, const ck_quantized_matrix *coded, float *widened, const ck_integer_sums *sums, const ck_epilogue *epilogue,
    const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end) {
  struct ending e = ending_of(epilogue);
  float bias[2 * CK_W];
  struct rows r = {
      .k = k_end - k_begin, .group = ldx ? CK_W : (ptrdiff_t)(rows * CK_W), .apart = ldx, .ldo = ldo, .ldadd = ldadd,
      .passes = {k_begin == 0, k_end == k}};
  const ptrdiff_t row_step = ldx ? ldx : CK_W;
  size_t strips = (row_end - row_begin + CK_STRIP - 1) / CK_STRIP;
  for (size_t number = unit_begin; number < unit_end; number++) {
    struct columns u = columns_of(n, number);
    size_t line = u.lanes * size;
    r.weights = coded ? (const char *)widened : (const char *)packed_w + u.first * k * size + k_begin * line;
    r.columns = u.columns;
    e.bias = NULL;
    if (epilogue->bias) {
      for (size_t i = 0; i < 2 * CK_W; i++) bias[i] = i < r.columns ? epilogue->bias[u.first + i] : 0;
      e.bias = bias;
    }
    if (sums) e.starts = sums->starts + u.first, e.scales = sums->scales + u.first;
    // Prefetches the next unit's weights for the same K block, which start one unit further. The next K block of the
    // same unit is used later.
    struct fetching next = fetching_of(
        (const char *)r.weights + k * line, r.k * line, number + 1 < unit_end && !coded ? strips : 0, blocks_of(r.k));
    r.next = &next;
#if !defined(CK_ROWS_OTHERS)
    if (coded) {
      decode_unit(coded, u.first, u.columns, u.lanes, k_begin, k_end, widened);
    } else if (widened && strips >= WIDENED_STRIPS) {
      widen_weights(r.weights, r.k * u.lanes, widened);
      r.weights = widened, functions = ldx ? rows_f32_apart : rows_f32;
    }
#else
    (void)widened;  // and no other set has quantized weights
#endif
    for (size_t row = row_begin; row < row_end;) {
      size_t p = strip_of(row_end - row, CK_STRIP);
      const float *sum = add ? add + (ptrdiff_t)row * ldadd + u.first : NULL;
      functions[u.lanes / CK_W - 1][p](&r, &e, x + (ptrdiff_t)row * row_step, sum, out + (ptrdiff_t)row * ldo + u.first);
      row += p;
    }
  }
}

#if !defined(CK_ROWS_OTHERS)
void CK_FN(gemm_prepacked_product_f32)(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const float *packed_w, const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo,
    size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end) {
  rows_product(
      ldx ? rows_f32_apart : rows_f32, sizeof(float), rows, n, k, k_begin, k_end, x, ldx, packed_w, NULL, NULL, NULL, epilogue,
      add, ldadd, out, ldo, row_begin, row_end, unit_begin, unit_end);
}

/// Converts fp16 weights when it reads them: half the memory traffic, bit-identical to the same weights in fp32.
void CK_FN(gemm_prepacked_product_f16w_f32)(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const uint16_t *packed_w, float *widened, const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd, float *out,
    ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end) {
  rows_product(
      ldx ? rows_f16_apart : rows_f16, sizeof(uint16_t), rows, n, k, k_begin, k_end, x, ldx, packed_w, NULL, widened, NULL,
      epilogue, add, ldadd, out, ldo, row_begin, row_end, unit_begin, unit_end);
}

size_t CK_FN(gemm_prepacked_decoded_size)(size_t k) { return decoded_size(CK_FN(gemm_prepacked_pass)(k)); }
void CK_FN(gemm_prepacked_product_quantized_f32)(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const ck_quantized_matrix *w, float *decoded, const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd,
    float *out, ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end) {
  rows_product(
      ldx ? rows_f32_apart : rows_f32, sizeof(float), rows, n, k, k_begin, k_end, x, ldx, NULL, w, decoded, NULL, epilogue, add,
      ldadd, out, ldo, row_begin, row_end, unit_begin, unit_end);
}
#endif
