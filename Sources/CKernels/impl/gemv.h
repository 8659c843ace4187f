// Products of up to four rows with a weight matrix: every weight vector is loaded (and widened) once for all rows of x.
#include "../half.h"

enum { ROWS = 4 };  // weight rows in flight: enough streams for the prefetcher, enough sums to hide the latency

/// How weights are stored; the loaders below turn CK_W of them, or the last few, into floats.
struct weights {
  const void *w;
  size_t ldw;
  const float *scale;        // int8
  const int8_t *zero_point;  // int8
  const float *table;        // 4-bit indices
};

CK_INLINE vf load_f32(const struct weights *s, size_t row, size_t l) {
  return vf_load((const float *)s->w + row * s->ldw + l);
}
CK_INLINE vf load_n_f32(const struct weights *s, size_t row, size_t l, size_t n) {
  return vf_load_n((const float *)s->w + row * s->ldw + l, n);
}

CK_INLINE vf load_f16(const struct weights *s, size_t row, size_t l) {
  return vf_of_half((const uint16_t *)s->w + row * s->ldw + l);
}
CK_INLINE vf load_n_f16(const struct weights *s, size_t row, size_t l, size_t n) {
  uint16_t t[CK_W] = {0};
  memcpy(t, (const uint16_t *)s->w + row * s->ldw + l, n * sizeof *t);
  return vf_of_half(t);
}

CK_INLINE vf load_i8(const struct weights *s, size_t row, size_t l) {
  vsb q;
  memcpy(&q, (const int8_t *)s->w + row * s->ldw + l, sizeof q);
  vi v = __builtin_convertvector(q, vi);
  return vf_of_vi(s->zero_point ? v - (int32_t)s->zero_point[row] : v);
}
CK_INLINE vf load_n_i8(const struct weights *s, size_t row, size_t l, size_t n) {
  int8_t t[CK_W] = {0};
  memcpy(t, (const int8_t *)s->w + row * s->ldw + l, n);
  struct weights tail = {.w = t};
  vf v = load_i8(&tail, 0, 0);
  return s->zero_point ? v - (float)s->zero_point[row] : v;
}

CK_INLINE vf lookup16(const float *table, vi index) {
#if defined(CK_TARGET_AVX512)
  return _mm512_permutexvar_ps((__m512i)index, _mm512_loadu_ps(table));
#elif defined(CK_TARGET_AVX2)
  __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), (__m256i)index);
  __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), (__m256i)index);
  return _mm256_blendv_ps(low, high, (__m256)(index << 28));  // bit 3 of the index
#else
  vf v;
  for (int i = 0; i < CK_W; i++) v[i] = table[index[i]];
  return v;
#endif
}
CK_INLINE vf load_lut4(const struct weights *s, size_t row, size_t l) {
  const uint8_t *p = (const uint8_t *)s->w + (row * s->ldw + l) / 2;
#if defined(CK_TARGET_AVX512)
  __m128i packed = _mm_loadl_epi64((const __m128i *)p);
  __m128i both = _mm_unpacklo_epi8(packed, _mm_srli_epi16(packed, 4));  // the permutation looks at four bits only
  return lookup16(s->table, (vi)_mm512_cvtepu8_epi32(both));
#else
  vi index;
  for (int i = 0; i < CK_W; i++) index[i] = p[i / 2] >> (i % 2 * 4) & 15;
  return lookup16(s->table, index);
#endif
}
CK_INLINE vf load_n_lut4(const struct weights *s, size_t row, size_t l, size_t n) {
  uint8_t t[CK_W / 2 + 8] = {0};
  memcpy(t, (const uint8_t *)s->w + (row * s->ldw + l) / 2, (n + 1) / 2);
  struct weights tail = {.w = t, .table = s->table};
  return load_lut4(&tail, 0, 0);
}

/// R weight rows from j by M rows of x.
#define CK_GEMV_BLOCK(kind)                                                                                           \
  CK_INLINE void block_##kind(                                                                                        \
      const struct weights *s, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t j, size_t k, \
      int R, int M) {                                                                                                 \
    vf sum[ROWS * 4];                                                                                                 \
    for (int i = 0; i < R * M; i++) sum[i] = 0;                                                                       \
    size_t l = 0;                                                                                                     \
    for (; l + CK_W <= k; l += CK_W) {                                                                                \
      vf v[4];                                                                                                        \
      for (int m = 0; m < M; m++) v[m] = vf_load(x + (size_t)m * ldx + l);                                            \
      for (int r = 0; r < R; r++) {                                                                                   \
        vf w = load_##kind(s, j + (size_t)r, l);                                                                      \
        for (int m = 0; m < M; m++) sum[r * M + m] = vf_fma(w, v[m], sum[r * M + m]);                                 \
      }                                                                                                               \
    }                                                                                                                 \
    if (l < k) {                                                                                                      \
      vf v[4];                                                                                                        \
      for (int m = 0; m < M; m++) v[m] = vf_load_n(x + (size_t)m * ldx + l, k - l);                                   \
      for (int r = 0; r < R; r++) {                                                                                   \
        vf w = vf_keep_n(load_n_##kind(s, j + (size_t)r, l, k - l), k - l, 0);                                        \
        for (int m = 0; m < M; m++) sum[r * M + m] = vf_fma(w, v[m], sum[r * M + m]);                                 \
      }                                                                                                               \
    }                                                                                                                 \
    for (int r = 0; r < R; r++) {                                                                                     \
      for (int m = 0; m < M; m++) {                                                                                   \
        float t = vf_sum(sum[r * M + m]);                                                                             \
        if (s->scale) t *= s->scale[j + (size_t)r];                                                                   \
        y[(size_t)m * ldy + j + (size_t)r] = bias ? t + bias[j + (size_t)r] : t;                                      \
      }                                                                                                               \
    }                                                                                                                 \
  }                                                                                                                   \
  static void rows_##kind(                                                                                            \
      const struct weights *s, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m, size_t n, \
      size_t k) {                                                                                                     \
    for (size_t i = 0; i < m;) {                                                                                      \
      const float *xi = x + i * ldx;                                                                                  \
      float *yi = y + i * ldy;                                                                                        \
      size_t j = 0, step = m - i >= 4 ? 4 : m - i >= 2 ? 2 : 1;                                                       \
      if (step == 4) {                                                                                                \
        for (; j + ROWS <= n; j += ROWS) block_##kind(s, xi, ldx, bias, yi, ldy, j, k, ROWS, 4);                      \
        for (; j < n; j++) block_##kind(s, xi, ldx, bias, yi, ldy, j, k, 1, 4);                                       \
      } else if (step == 2) {                                                                                         \
        for (; j + ROWS <= n; j += ROWS) block_##kind(s, xi, ldx, bias, yi, ldy, j, k, ROWS, 2);                      \
        for (; j < n; j++) block_##kind(s, xi, ldx, bias, yi, ldy, j, k, 1, 2);                                       \
      } else {                                                                                                        \
        for (; j + ROWS <= n; j += ROWS) block_##kind(s, xi, ldx, bias, yi, ldy, j, k, ROWS, 1);                      \
        for (; j < n; j++) block_##kind(s, xi, ldx, bias, yi, ldy, j, k, 1, 1);                                       \
      }                                                                                                               \
      i += step;                                                                                                      \
    }                                                                                                                 \
  }
CK_GEMV_BLOCK(f32)
CK_GEMV_BLOCK(f16)
CK_GEMV_BLOCK(i8)
CK_GEMV_BLOCK(lut4)

void CK_FN(gemv_f32)(
    const float *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m, size_t n,
    size_t k) {
  struct weights s = {.w = w, .ldw = ldw};
  rows_f32(&s, x, ldx, bias, y, ldy, m, n, k);
}

void CK_FN(gemv_f16w_f32)(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k) {
  struct weights s = {.w = w, .ldw = ldw};
  rows_f16(&s, x, ldx, bias, y, ldy, m, n, k);
}

void CK_FN(gemv_i8w_f32)(
    const int8_t *w, size_t ldw, const float *scale, const int8_t *zero_point, const float *x, size_t ldx,
    const float *bias, float *y, size_t ldy, size_t m, size_t n, size_t k) {
  struct weights s = {.w = w, .ldw = ldw, .scale = scale, .zero_point = zero_point};
  rows_i8(&s, x, ldx, bias, y, ldy, m, n, k);
}

void CK_FN(gemv_lut4_f32)(
    const uint8_t *w, size_t ldw, const float *table, const float *x, size_t ldx, const float *bias, float *y,
    size_t ldy, size_t m, size_t n, size_t k) {
  struct weights s = {.w = w, .ldw = ldw, .table = table};
  rows_lut4(&s, x, ldx, bias, y, ldy, m, n, k);
}

// Weights [k, n]: KN_ROWS rows of w stream by at a time, and are added to y, which stays in the cache.

enum { KN_ROWS = 8 };

/// y[0 ..< M][j] += sum over R rows of w, for all columns.
CK_INLINE void add_rows(
    const float *w, size_t ldw, const float *x, size_t ldx, float *y, size_t ldy, size_t n, int R, int M) {
  size_t j = 0;
  for (; j + CK_W <= n; j += CK_W) {
    vf sum[4];
    for (int m = 0; m < M; m++) sum[m] = vf_load(y + (size_t)m * ldy + j);
    for (int r = 0; r < R; r++) {
      vf v = vf_load(w + (size_t)r * ldw + j);
      for (int m = 0; m < M; m++) sum[m] = vf_fma(v, (vf)x[(size_t)m * ldx + (size_t)r], sum[m]);
    }
    for (int m = 0; m < M; m++) vf_store(y + (size_t)m * ldy + j, sum[m]);
  }
  if (j < n) {
    vf sum[4];
    for (int m = 0; m < M; m++) sum[m] = vf_load_n(y + (size_t)m * ldy + j, n - j);
    for (int r = 0; r < R; r++) {
      vf v = vf_load_n(w + (size_t)r * ldw + j, n - j);
      for (int m = 0; m < M; m++) sum[m] = vf_fma(v, (vf)x[(size_t)m * ldx + (size_t)r], sum[m]);
    }
    for (int m = 0; m < M; m++) vf_store_n(y + (size_t)m * ldy + j, sum[m], n - j);
  }
}

#define CK_COLUMNS(M)                                                                                                 \
  static void columns_##M(                                                                                            \
      const float *w, size_t ldw, const float *x, size_t ldx, float *y, size_t ldy, size_t n, size_t k) {             \
    size_t l = 0;                                                                                                     \
    for (; l + KN_ROWS <= k; l += KN_ROWS) add_rows(w + l * ldw, ldw, x + l, ldx, y, ldy, n, KN_ROWS, M);             \
    for (; l < k; l++) add_rows(w + l * ldw, ldw, x + l, ldx, y, ldy, n, 1, M);                                       \
  }
CK_COLUMNS(1)
CK_COLUMNS(2)
CK_COLUMNS(4)

void CK_FN(gemv_kn_f32)(
    const float *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m, size_t n,
    size_t k) {
  for (size_t i = 0; i < m; i++) {
    if (bias) {
      memcpy(y + i * ldy, bias, n * sizeof *y);
    } else {
      memset(y + i * ldy, 0, n * sizeof *y);
    }
  }
  for (size_t i = 0; i < m;) {
    size_t step = m - i >= 4 ? 4 : m - i >= 2 ? 2 : 1;
    const float *xi = x + i * ldx;
    float *yi = y + i * ldy;
    if (step == 4) {
      columns_4(w, ldw, xi, ldx, yi, ldy, n, k);
    } else if (step == 2) {
      columns_2(w, ldw, xi, ldx, yi, ldy, n, k);
    } else {
      columns_1(w, ldw, xi, ldx, yi, ldy, n, k);
    }
    i += step;
  }
}
