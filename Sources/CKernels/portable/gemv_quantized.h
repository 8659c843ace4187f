// GEMV with a quantized matrix of up to four rows of x. The values of 4-bit or 8-bit codes are looked up, shifted and
// scaled in registers.
#include "../f16.h"
#include "prefetch.h"

enum { ROWS = 4 };  // weight rows per iteration, as for fp32 weights

/// The values of sixteen codes.
struct table16 {
  vf part[16 / CK_W];
};

CK_INLINE vf lookup16(const struct table16 *table, vi index) {
#if defined(CK_TARGET_AVX512)
  return _mm512_permutexvar_ps((__m512i)index, table->part[0]);
#elif defined(CK_TARGET_AVX2)
  __m256 low = _mm256_permutevar8x32_ps(table->part[0], (__m256i)index);
  __m256 high = _mm256_permutevar8x32_ps(table->part[1], (__m256i)index);
  return _mm256_blendv_ps(low, high, (__m256)(index << 28));  // bit 3 of the index
#elif defined(CK_TARGET_NEON)
  uint8x16x4_t bytes;
  for (int i = 0; i < 4; i++) bytes.val[i] = (uint8x16_t)table->part[i];
  return (vf)vqtbl4q_u8(bytes, (uint8x16_t)(((vu)index & 15) * 0x04040404u + 0x03020100u));
#else
  vf v;
  for (int i = 0; i < CK_W; i++) v[i] = ((const float *)table->part)[index[i] & 15];
  return v;
#endif
}

/// Permutes lanes from column order to the order in which codes of this kind are loaded, or back. Only 4-bit codes with
/// AVX-512 have a different order: column 0, column 8, column 1, column 9, and so on.
CK_INLINE vf ordered(vf v, int kind, bool back) {
#if defined(CK_TARGET_AVX512)
  const __m512i codes = _mm512_set_epi32(15, 7, 14, 6, 13, 5, 12, 4, 11, 3, 10, 2, 9, 1, 8, 0);
  const __m512i columns = _mm512_set_epi32(15, 13, 11, 9, 7, 5, 3, 1, 14, 12, 10, 8, 6, 4, 2, 0);
  return kind == CK_CODES_4BIT ? (vf)_mm512_permutexvar_ps(back ? columns : codes, v) : v;
#else
  (void)kind, (void)back;
  return v;
#endif
}

/// Loads the values of CK_W 4-bit codes from `p` on, in load order. Lookups use four bits of a lane only, so the bits
/// above them do not matter.
CK_INLINE vf load_nibbles(const uint8_t *p, const struct table16 *table) {
#if defined(CK_TARGET_AVX512)
  // Shifts each 32-bit half of the repeated eight bytes so that its own code is in the lowest bits. A load and a shift
  // do not delay the lookups.
  const __m512i starts = _mm512_set_epi32(28, 28, 24, 24, 20, 20, 16, 16, 12, 12, 8, 8, 4, 4, 0, 0);
  int64_t codes;
  memcpy(&codes, p, sizeof codes);
  return lookup16(table, (vi)_mm512_srlv_epi32(_mm512_set1_epi64(codes), starts));
#elif defined(CK_TARGET_AVX2)
  int32_t codes;
  memcpy(&codes, p, sizeof codes);
  return lookup16(table, (vi)_mm256_srlv_epi32(_mm256_set1_epi32(codes), _mm256_set_epi32(28, 24, 20, 16, 12, 8, 4, 0)));
#elif defined(CK_TARGET_NEON)
  uint16_t codes;
  memcpy(&codes, p, sizeof codes);
  return lookup16(table, (vi)((vu)(uint32_t)codes >> (vu){0, 4, 8, 12}));
#else
  vi index;
  for (int i = 0; i < CK_W; i++) index[i] = p[i / 2] >> (i % 2 * 4);
  return lookup16(table, index);
#endif
}

CK_INLINE vf load_codes(const uint8_t *p, const struct table16 *table, int kind) {
  if (kind == CK_CODES_4BIT) return load_nibbles(p, table);
  if (kind == CK_CODES_I8) {
    vsb q;
    memcpy(&q, p, sizeof q);
    return vf_of_vi(__builtin_convertvector(q, vi));
  }
  vb q;
  memcpy(&q, p, sizeof q);
  return vf_of_vi(__builtin_convertvector(q, vi));
}

/// Loads the first n codes. The other lanes have code 0.
CK_INLINE vf load_codes_n(const uint8_t *p, const struct table16 *table, int kind, size_t n) {
  uint8_t t[CK_W + 8] = {0};
  memcpy(t, p, kind == CK_CODES_4BIT ? (n + 1) / 2 : n);
  return load_codes(t, table, kind);
}

/// The parameters that convert a block's codes to weights. For 4-bit codes the table contains scale, offset and
/// rounding.
struct entry {
  struct table16 table;
  vf scale, offset;
};

CK_INLINE vf weight_of(vf v, vf scale, vf offset, bool scaled, bool rounds) {
  if (scaled) v = (v - offset) * scale;
  return rounds ? vf_round_f16(v) : v;
}

CK_INLINE void entry_read(struct entry *e, const ck_quantized_matrix *s, size_t at, int kind, bool scaled, bool rounds) {
  e->scale = scaled ? (vf)s->scale[at] : (vf)1.0f;
  e->offset = scaled && s->offset ? (vf)s->offset[at] : (vf)0.0f;
  if (kind != CK_CODES_4BIT) return;
  const float *table = s->has_tables ? s->table + 16 * at : s->table;
  for (int i = 0; i < 16 / CK_W; i++) {
    e->table.part[i] = weight_of(vf_load(table + i * CK_W), e->scale, e->offset, scaled, rounds);
  }
}

CK_INLINE vf weights_of(const uint8_t *p, const struct entry *e, int kind, bool scaled, bool rounds) {
  vf v = load_codes(p, &e->table, kind);
  return kind == CK_CODES_4BIT ? v : weight_of(v, e->scale, e->offset, scaled, rounds);
}

/// R weight rows from `row` by M rows of x. `bias` and `y` are those of `row`. `rows` is the number of rows that the
/// call reads.
CK_INLINE void coded_block(
    const ck_quantized_matrix *s, size_t row, size_t rows, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t k,
    int kind, bool scaled, bool rounds, int R, int M) {
  vf sum[ROWS * 4];
  for (int i = 0; i < R * M; i++) sum[i] = 0;
  const uint8_t *codes[ROWS];
  size_t entries[ROWS];
  for (int r = 0; r < R; r++) {
    size_t at = (row + (size_t)r) * s->ldw;
    codes[r] = (const uint8_t *)s->codes + (kind == CK_CODES_4BIT ? at / 2 : at);
    entries[r] = (row + (size_t)r) / s->row_block * s->entries;
  }
  const size_t line = kind == CK_CODES_4BIT ? 2 * CK_LINE : CK_LINE;
  const size_t row_bytes = kind == CK_CODES_4BIT ? s->ldw / 2 : s->ldw;
  struct ahead ahead = ahead_of(codes[0], row_bytes * R, row_bytes * rows);
  for (size_t l = 0, number = 0; l < k; number++) {
    size_t end = k - l < s->block ? k : l + s->block;
    struct entry e[ROWS];
    for (int r = 0; r < R; r++) entry_read(&e[r], s, entries[r] + number, kind, scaled, rounds);
    while (l + CK_W <= end) {
      size_t stop = l + line <= end ? l + line : l + CK_W;
      for (int r = 0; r < R && l % line == 0; r++) fetch_ahead(&ahead);
      for (; l < stop; l += CK_W) {
        vf v[4];
        for (int m = 0; m < M; m++) v[m] = ordered(vf_load(x + (size_t)m * ldx + l), kind, false);
        for (int r = 0; r < R; r++) {
          const uint8_t *p = codes[r] + (kind == CK_CODES_4BIT ? l / 2 : l);
          vf w = weights_of(p, &e[r], kind, scaled, rounds);
          for (int m = 0; m < M; m++) sum[r * M + m] = vf_fma(w, v[m], sum[r * M + m]);
        }
      }
    }
    if (l < end) {
      vf v[4];
      for (int m = 0; m < M; m++) v[m] = ordered(vf_load_n(x + (size_t)m * ldx + l, end - l), kind, false);
      for (int r = 0; r < R; r++) {
        const uint8_t *p = codes[r] + (kind == CK_CODES_4BIT ? l / 2 : l);
        vf w = load_codes_n(p, &e[r].table, kind, end - l);
        if (kind != CK_CODES_4BIT) w = weight_of(w, e[r].scale, e[r].offset, scaled, rounds);
        w = ordered(vf_keep_n(ordered(w, kind, true), end - l, 0), kind, false);
        for (int m = 0; m < M; m++) sum[r * M + m] = vf_fma(w, v[m], sum[r * M + m]);
      }
      l = end;
    }
  }
  for (int r = 0; r < R; r++) {
    for (int m = 0; m < M; m++) {
      float t = vf_sum(ordered(sum[r * M + m], kind, true));
      y[(size_t)m * ldy + (size_t)r] = bias ? t + bias[r] : t;
    }
  }
}

#define CK_CODED(name, kind, scaled, rounds)                                                                          \
  static void coded_##name(                                                                                           \
      const ck_quantized_matrix *s, size_t first, const float *x, size_t ldx, const float *bias, float *y, size_t ldy,      \
      size_t m, size_t n, size_t k) {                                                                                 \
    for (size_t i = 0; i < m;) {                                                                                      \
      size_t step = m - i >= 4 ? 4 : m - i >= 2 ? 2 : 1;                                                              \
      for (size_t j = 0; j < n;) {                                                                                    \
        const float *xi = x + i * ldx, *b = bias ? bias + j : bias;                                                   \
        float *yi = y + i * ldy + j;                                                                                  \
        bool four = j + ROWS <= n;                                                                                    \
        if (step == 4) {                                                                                              \
          if (four) coded_block(s, first + j, n, xi, ldx, b, yi, ldy, k, kind, scaled, rounds, ROWS, 4);              \
          else coded_block(s, first + j, n, xi, ldx, b, yi, ldy, k, kind, scaled, rounds, 1, 4);                      \
        } else if (step == 2) {                                                                                       \
          if (four) coded_block(s, first + j, n, xi, ldx, b, yi, ldy, k, kind, scaled, rounds, ROWS, 2);              \
          else coded_block(s, first + j, n, xi, ldx, b, yi, ldy, k, kind, scaled, rounds, 1, 2);                      \
        } else {                                                                                                      \
          if (four) coded_block(s, first + j, n, xi, ldx, b, yi, ldy, k, kind, scaled, rounds, ROWS, 1);              \
          else coded_block(s, first + j, n, xi, ldx, b, yi, ldy, k, kind, scaled, rounds, 1, 1);                      \
        }                                                                                                             \
        j += four ? ROWS : 1;                                                                                         \
      }                                                                                                               \
      i += step;                                                                                                      \
    }                                                                                                                 \
  }
CK_CODED(i8, CK_CODES_I8, true, false)
CK_CODED(i8_half, CK_CODES_I8, true, true)
CK_CODED(u8, CK_CODES_U8, true, false)
CK_CODED(u8_half, CK_CODES_U8, true, true)
CK_CODED(table, CK_CODES_4BIT, false, false)
CK_CODED(nibble, CK_CODES_4BIT, true, false)
CK_CODED(nibble_half, CK_CODES_4BIT, true, true)

void CK_FN(gemv_quantized_f32)(
    const ck_quantized_matrix *w, size_t first, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k) {
  switch (w->kind) {
    case CK_CODES_I8: (w->rounds ? coded_i8_half : coded_i8)(w, first, x, ldx, bias, y, ldy, m, n, k); break;
    case CK_CODES_U8: (w->rounds ? coded_u8_half : coded_u8)(w, first, x, ldx, bias, y, ldy, m, n, k); break;
    case CK_CODES_4BIT:
      if (!w->scale) {
        coded_table(w, first, x, ldx, bias, y, ldy, m, n, k);
      } else {
        (w->rounds ? coded_nibble_half : coded_nibble)(w, first, x, ldx, bias, y, ldy, m, n, k);
      }
      break;
  }
}
