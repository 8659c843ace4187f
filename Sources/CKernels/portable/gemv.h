// GEMV with up to four rows of x. Every weight vector is loaded (and converted) once for all rows of x.
#include "../f16.h"

#include "prefetch.h"

// Weight rows per iteration, chosen by measurement. fp32 weights are bound by the hardware prefetcher, which profits
// from many streams. SOME is the count with several rows of x, which have their own accumulators.
enum { ROWS_f32 = 8, ROWS_f16 = 4, ROWS_bf16 = 4, SOME_f32 = 4, SOME_f16 = 2, SOME_bf16 = 2 };

/// Stored weights. The loaders below convert CK_W of them, or the last few, to fp32.
struct weights {
  const void *w;
  size_t ldw;
};

#if defined(CK_TARGET_AVX512BF16)
/// bf16 is the upper half of an fp32.
CK_INLINE vf load_bf16(const struct weights *s, size_t row, size_t l) {
  const uint16_t *from = (const uint16_t *)s->w + row * s->ldw + l;
  return (vf)_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)from)), 16);
}
CK_INLINE vf load_n_bf16(const struct weights *s, size_t row, size_t l, size_t n) {
  const uint16_t *from = (const uint16_t *)s->w + row * s->ldw + l;
  __m256i some = _mm256_maskz_loadu_epi16((__mmask16)_bzhi_u32(0xffffu, (unsigned)n), from);
  return (vf)_mm512_slli_epi32(_mm512_cvtepu16_epi32(some), 16);
}
#else
CK_INLINE vf load_f32(const struct weights *s, size_t row, size_t l) {
  return vf_load((const float *)s->w + row * s->ldw + l);
}
CK_INLINE vf load_n_f32(const struct weights *s, size_t row, size_t l, size_t n) {
  return vf_load_n((const float *)s->w + row * s->ldw + l, n);
}

CK_INLINE vf load_f16(const struct weights *s, size_t row, size_t l) {
  return vf_from_f16((const uint16_t *)s->w + row * s->ldw + l);
}
CK_INLINE vf load_n_f16(const struct weights *s, size_t row, size_t l, size_t n) {
  uint16_t t[CK_W] = {0};
  memcpy(t, (const uint16_t *)s->w + row * s->ldw + l, n * sizeof *t);
  return vf_from_f16(t);
}
#endif

enum { LINE_f32 = CK_LINE / sizeof(float), LINE_f16 = CK_LINE / sizeof(uint16_t), LINE_bf16 = LINE_f16 };

/// R weight rows from j by M rows of x. Processes one cache line of each row after the other.
#define CK_GEMV_BLOCK(kind)                                                                                           \
  CK_INLINE void block_##kind(                                                                                        \
      const struct weights *s, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t j, size_t n,\
      size_t k, int R, int M) {                                                                                       \
    vf sum[ROWS_f32 * 4];                                                                                             \
    for (int i = 0; i < R * M; i++) sum[i] = 0;                                                                       \
    size_t l = 0;                                                                                                     \
    const bool fetches = LINE_##kind * sizeof(float) > CK_LINE;                                                       \
    const size_t row_bytes = s->ldw * (CK_LINE / LINE_##kind);                                                        \
    struct ahead ahead = ahead_of((const char *)s->w + j * row_bytes, row_bytes * R, row_bytes * n);                  \
    while (l + CK_W <= k) {                                                                                           \
      size_t end = l + LINE_##kind <= k ? l + LINE_##kind : l + CK_W;                                                 \
      for (int r = 0; r < R && fetches; r++) fetch_ahead(&ahead);                                                     \
      for (; l < end; l += CK_W) {                                                                                    \
        vf v[4];                                                                                                      \
        for (int m = 0; m < M; m++) v[m] = vf_load(x + (size_t)m * ldx + l);                                          \
        for (int r = 0; r < R; r++) {                                                                                 \
          vf w = load_##kind(s, j + (size_t)r, l);                                                                    \
          for (int m = 0; m < M; m++) sum[r * M + m] = vf_fma(w, v[m], sum[r * M + m]);                               \
        }                                                                                                             \
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
        y[(size_t)m * ldy + j + (size_t)r] = bias ? t + bias[j + (size_t)r] : t;                                      \
      }                                                                                                               \
    }                                                                                                                 \
  }                                                                                                                   \
  static void rows_##kind(                                                                                            \
      const struct weights *s, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m, size_t n,\
      size_t k) {                                                                                                     \
    for (size_t i = 0; i < m;) {                                                                                      \
      const float *xi = x + i * ldx;                                                                                  \
      float *yi = y + i * ldy;                                                                                        \
      size_t j = 0, step = m - i >= 4 ? 4 : m - i >= 2 ? 2 : 1;                                                       \
      if (step == 4) {                                                                                                \
        for (; j + SOME_##kind <= n; j += SOME_##kind) block_##kind(s, xi, ldx, bias, yi, ldy, j, n, k, SOME_##kind, 4);\
        for (; j < n; j++) block_##kind(s, xi, ldx, bias, yi, ldy, j, n, k, 1, 4);                                    \
      } else if (step == 2) {                                                                                         \
        for (; j + SOME_##kind <= n; j += SOME_##kind) block_##kind(s, xi, ldx, bias, yi, ldy, j, n, k, SOME_##kind, 2);\
        for (; j < n; j++) block_##kind(s, xi, ldx, bias, yi, ldy, j, n, k, 1, 2);                                    \
      } else {                                                                                                        \
        for (; j + ROWS_##kind <= n; j += ROWS_##kind) block_##kind(s, xi, ldx, bias, yi, ldy, j, n, k, ROWS_##kind, 1);\
        for (; j < n; j++) block_##kind(s, xi, ldx, bias, yi, ldy, j, n, k, 1, 1);                                    \
      }                                                                                                               \
      i += step;                                                                                                      \
    }                                                                                                                 \
  }
#if defined(CK_TARGET_AVX512BF16)
CK_GEMV_BLOCK(bf16)

void CK_FN(gemv_bf16w_f32)(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k) {
  struct weights s = {.w = w, .ldw = ldw};
  rows_bf16(&s, x, ldx, bias, y, ldy, m, n, k);
}
#else
CK_GEMV_BLOCK(f32)
CK_GEMV_BLOCK(f16)

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
#endif

// Weights [k, n]: streams KN_ROWS rows of w at a time and adds them to y, which stays in the cache.

enum { KN_ROWS = 8 };

/// y[0 ..< M][j] += sum over R rows from `row` of w, for all columns.
#define CK_GEMV_COLUMNS(kind)                                                                                         \
  CK_INLINE void add_rows_##kind(                                                                                     \
      const struct weights *s, size_t row, const float *x, size_t ldx, float *y, size_t ldy, size_t n, int R, int M) {\
    size_t j = 0;                                                                                                     \
    for (; j + CK_W <= n; j += CK_W) {                                                                                \
      vf sum[4];                                                                                                      \
      for (int m = 0; m < M; m++) sum[m] = vf_load(y + (size_t)m * ldy + j);                                          \
      for (int r = 0; r < R; r++) {                                                                                   \
        vf v = load_##kind(s, row + (size_t)r, j);                                                                    \
        for (int m = 0; m < M; m++) sum[m] = vf_fma(v, (vf)x[(size_t)m * ldx + (size_t)r], sum[m]);                   \
      }                                                                                                               \
      for (int m = 0; m < M; m++) vf_store(y + (size_t)m * ldy + j, sum[m]);                                          \
    }                                                                                                                 \
    if (j < n) {                                                                                                      \
      vf sum[4];                                                                                                      \
      for (int m = 0; m < M; m++) sum[m] = vf_load_n(y + (size_t)m * ldy + j, n - j);                                 \
      for (int r = 0; r < R; r++) {                                                                                   \
        vf v = load_n_##kind(s, row + (size_t)r, j, n - j);                                                           \
        for (int m = 0; m < M; m++) sum[m] = vf_fma(v, (vf)x[(size_t)m * ldx + (size_t)r], sum[m]);                   \
      }                                                                                                               \
      for (int m = 0; m < M; m++) vf_store_n(y + (size_t)m * ldy + j, sum[m], n - j);                                 \
    }                                                                                                                 \
  }                                                                                                                   \
  CK_INLINE void columns_##kind(                                                                                      \
      const struct weights *s, const float *x, size_t ldx, float *y, size_t ldy, size_t n, size_t k, int M) {         \
    size_t l = 0;                                                                                                     \
    for (; l + KN_ROWS <= k; l += KN_ROWS) add_rows_##kind(s, l, x + l, ldx, y, ldy, n, KN_ROWS, M);                  \
    for (; l < k; l++) add_rows_##kind(s, l, x + l, ldx, y, ldy, n, 1, M);                                            \
  }                                                                                                                   \
  static void add_columns_##kind(                                                                                     \
      const struct weights *s, const float *x, size_t ldx, float *y, size_t ldy, size_t m, size_t n, size_t k) {      \
    for (size_t i = 0; i < m;) {                                                                                      \
      size_t step = m - i >= 4 ? 4 : m - i >= 2 ? 2 : 1;                                                              \
      if (step == 4) {                                                                                                \
        columns_##kind(s, x + i * ldx, ldx, y + i * ldy, ldy, n, k, 4);                                               \
      } else if (step == 2) {                                                                                         \
        columns_##kind(s, x + i * ldx, ldx, y + i * ldy, ldy, n, k, 2);                                               \
      } else {                                                                                                        \
        columns_##kind(s, x + i * ldx, ldx, y + i * ldy, ldy, n, k, 1);                                               \
      }                                                                                                               \
      i += step;                                                                                                      \
    }                                                                                                                 \
  }

static void begin_columns(const float *bias, float *y, size_t ldy, size_t m, size_t n) {
  for (size_t i = 0; i < m; i++) {
    if (bias) {
      memcpy(y + i * ldy, bias, n * sizeof *y);
    } else {
      memset(y + i * ldy, 0, n * sizeof *y);
    }
  }
}

#if defined(CK_TARGET_AVX512BF16)
CK_GEMV_COLUMNS(bf16)

void CK_FN(gemv_kn_bf16w_f32)(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k) {
  struct weights s = {.w = w, .ldw = ldw};
  begin_columns(bias, y, ldy, m, n);
  add_columns_bf16(&s, x, ldx, y, ldy, m, n, k);
}
#else
CK_GEMV_COLUMNS(f32)
CK_GEMV_COLUMNS(f16)

void CK_FN(gemv_kn_f32)(
    const float *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m, size_t n,
    size_t k) {
  struct weights s = {.w = w, .ldw = ldw};
  begin_columns(bias, y, ldy, m, n);
  add_columns_f32(&s, x, ldx, y, ldy, m, n, k);
}

void CK_FN(gemv_kn_f16w_f32)(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k) {
  struct weights s = {.w = w, .ldw = ldw};
  begin_columns(bias, y, ldy, m, n);
  add_columns_f16(&s, x, ldx, y, ldy, m, n, k);
}
#endif
