// GEMV with a quantized matrix of up to four rows of x.
#include "gemv_codes.h"
#include "prefetch.h"

enum { ROWS = 4 };   // weight rows per iteration, as for fp32 weights
enum { STEP = 32 };  // columns per iteration: the length of the shortest common blocks

CK_INLINE size_t code_bytes(int kind, size_t codes) { return kind == CK_CODES_4BIT ? codes / 2 : codes; }

/// What the products of up to ROWS weight rows by M rows of x read.
struct coded {
  const uint8_t *codes;
  size_t row_bytes;
  const float *x;
  size_t ldx;
  struct ahead ahead;
};

/// Adds the products of CK_W columns from l on of row r by `v`.
CK_INLINE void coded_products(
    const struct coded *c, size_t l, int r, const vf *v, const struct entry *e, int kind, enum rounding rounding, int M,
    vf *sum) {
  vf w = weights_of(c->codes + (size_t)r * c->row_bytes + code_bytes(kind, l), e, kind, rounding);
#pragma clang loop unroll(full)
  for (int m = 0; m < M; m++) sum[r * M + m] = vf_fma(w, v[m], sum[r * M + m]);
}

/// Adds the products of CK_W columns from l on.
CK_INLINE void coded_vector(
    const struct coded *c, size_t l, const struct entry *e, int kind, enum rounding rounding, int R, int M, vf *sum) {
  vf v[4];
#pragma clang loop unroll(full)
  for (int m = 0; m < M; m++) v[m] = ordered(vf_load(c->x + (size_t)m * c->ldx + l), kind, false);
#pragma clang loop unroll(full)
  for (int r = 0; r < R; r++) coded_products(c, l, r, v, &e[r], kind, rounding, M, sum);
}

/// Adds the products of STEP columns from l on.
CK_INLINE void coded_step(
    struct coded *c, size_t l, const struct entry *e, int kind, enum rounding rounding, int R, int M, vf *sum) {
  const size_t bytes = code_bytes(kind, (size_t)R * STEP);
  for (size_t i = 0; i < bytes; i += CK_LINE) {
    if (bytes >= CK_LINE || l % (STEP * CK_LINE / bytes) == 0) fetch_ahead(&c->ahead);
  }
  if (kind == CK_CODES_4BIT && CK_W < 16) {
    // Tables of several registers: one row's at a time.
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
#pragma clang loop unroll(full)
      for (size_t i = 0; i < STEP; i += CK_W) {
        vf v[4];
#pragma clang loop unroll(full)
        for (int m = 0; m < M; m++) v[m] = vf_load(c->x + (size_t)m * c->ldx + l + i);
        coded_products(c, l + i, r, v, &e[r], kind, rounding, M, sum);
      }
    }
    return;
  }
#pragma clang loop unroll(full)
  for (size_t i = 0; i < STEP; i += CK_W) coded_vector(c, l + i, e, kind, rounding, R, M, sum);
}

/// Adds the products of n columns from l on, less than CK_W.
CK_INLINE void coded_rest(
    const struct coded *c, size_t l, size_t n, const struct entry *e, int kind, enum rounding rounding, int R, int M, vf *sum) {
  vf v[4];
#pragma clang loop unroll(full)
  for (int m = 0; m < M; m++) v[m] = ordered(vf_load_n(c->x + (size_t)m * c->ldx + l, n), kind, false);
#pragma clang loop unroll(full)
  for (int r = 0; r < R; r++) {
    uint8_t padded[CK_W + 8] = {0};
    const uint8_t *p = c->codes + (size_t)r * c->row_bytes + code_bytes(kind, l);
    memcpy(padded, p, kind == CK_CODES_4BIT ? (n + 1) / 2 : n);
    // The weight of code 0 may be infinite, so lanes without a code are cleared.
    vf w = ordered(weights_of(padded, &e[r], kind, rounding), kind, true);
    w = ordered(vf_keep_n(w, n, 0), kind, false);
#pragma clang loop unroll(full)
    for (int m = 0; m < M; m++) sum[r * M + m] = vf_fma(w, v[m], sum[r * M + m]);
  }
}

/// R weight rows from `row` by M rows of x. `bias` and `y` are those of `row`. `rows` is the number of rows that the
/// call reads. If `narrow`, each row has blocks of its own, of STEP columns, and k is a multiple of STEP; there is one
/// table.
CK_INLINE void coded_block(
    const ck_quantized_matrix *s, size_t row, size_t rows, const float *x, size_t ldx, const float *bias, float *y,
    size_t ldy, size_t k, int kind, enum rounding rounding, bool narrow, int R, int M) {
  vf sum[ROWS * 4];
#pragma clang loop unroll(full)
  for (int i = 0; i < R * M; i++) sum[i] = 0;
  struct coded c = {.row_bytes = code_bytes(kind, s->ldw), .x = x, .ldx = ldx};
  c.codes = (const uint8_t *)s->codes + row * c.row_bytes;
  c.ahead = ahead_of(c.codes, c.row_bytes * R, c.row_bytes * rows);
  const float *scale = s->scale, *offset = s->offset;
  struct entry e[ROWS];
  struct values values;
  if (kind == CK_CODES_4BIT && !s->has_tables) values = values_read(s->table);
  if (narrow) {
    const size_t entries = s->entries;
    scale += row * entries;
    if (offset) offset += row * entries;
    struct ahead ahead = ahead_of(scale, entries * R * sizeof *scale, entries * rows * sizeof *scale);
    for (size_t l = 0, number = 0; l < k; l += STEP, number++) {
      if (number % (CK_LINE / sizeof *scale / (size_t)R) == 0) fetch_ahead(&ahead);
#pragma clang loop unroll(full)
      for (int r = 0; r < R; r++) {
        entry_read(&e[r], &values, scale, offset, (size_t)r * entries + number, kind, rounding);
      }
      coded_step(&c, l, e, kind, rounding, R, M, sum);
    }
  } else {
    size_t entries[ROWS];
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) entries[r] = (row + (size_t)r) / s->row_block * s->entries;
    for (size_t l = 0, number = 0; l < k; number++) {
      size_t end = k - l < s->block ? k : l + s->block;
#pragma clang loop unroll(full)
      for (int r = 0; r < R; r++) {
        const size_t at = entries[r] + number;
        if (kind == CK_CODES_4BIT && s->has_tables) values = values_read(s->table + 16 * at);
        entry_read(&e[r], &values, scale, offset, at, kind, rounding);
      }
      for (; l + STEP <= end; l += STEP) coded_step(&c, l, e, kind, rounding, R, M, sum);
      for (; l + CK_W <= end; l += CK_W) coded_vector(&c, l, e, kind, rounding, R, M, sum);
      if (l < end) coded_rest(&c, l, end - l, e, kind, rounding, R, M, sum);
      l = end;
    }
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < R; r++) {
#pragma clang loop unroll(full)
    for (int m = 0; m < M; m++) {
      float t = vf_sum(ordered(sum[r * M + m], kind, true));
      y[(size_t)m * ldy + (size_t)r] = bias ? t + bias[r] : t;
    }
  }
}

bool CK_FN(rounds_normally)(const float *scale, const float *offset, size_t count) {
  const uint32_t least = (127 - 14) << 23, most = (127 + 5) << 23;
  vi bad = 0;
  for (size_t i = 0; i < count; i += CK_W) {
    size_t n = count - i < CK_W ? count - i : CK_W;
    vu bits = (vu)vf_load_n(scale + i, n), magnitude = bits & 0x7fffffffu;
    bad |= (vi)(bits & 0x1fffu) | ((magnitude - least > most - least) & (magnitude != 0));
    if (offset) {
      vf z = vf_load_n(offset + i, n), whole = (z + 0x1.8p23f) - 0x1.8p23f;
      bad |= (whole != z) | ~(vf_abs(z) <= CK_MOST_VALUE);
    }
  }
  return !vi_any(bad != 0);
}

/// Whether the entries of ROWS rows round normally.
CK_INLINE bool rows_round_normally(const ck_quantized_matrix *s, size_t row) {
  for (size_t r = row; r < row + ROWS; r++) {
    size_t at = r / s->row_block * s->entries;
    if (!CK_FN(rounds_normally)(s->scale + at, s->offset ? s->offset + at : NULL, s->entries)) return false;
  }
  return true;
}

typedef void (*coded_function)(
    const ck_quantized_matrix *s, size_t row, size_t rows, const float *x, size_t ldx, const float *bias, float *y,
    size_t ldy, size_t m, size_t k);

#define CK_CODED(name, kind, rounding, narrow, R)                                                                     \
  static void coded_##name(                                                                                           \
      const ck_quantized_matrix *s, size_t row, size_t rows, const float *x, size_t ldx, const float *bias, float *y, \
      size_t ldy, size_t m, size_t k) {                                                                               \
    if (m == 4) coded_block(s, row, rows, x, ldx, bias, y, ldy, k, kind, rounding, narrow, R, 4);                     \
    else if (m == 2) coded_block(s, row, rows, x, ldx, bias, y, ldy, k, kind, rounding, narrow, R, 2);                \
    else coded_block(s, row, rows, x, ldx, bias, y, ldy, k, kind, rounding, narrow, R, 1);                            \
  }
/// The functions of a kind of codes by `rounding`: of one row, and of ROWS rows by `narrow`.
#define CK_CODED_KIND(name, kind)                                                                                     \
  CK_CODED(name##_one, kind, ROUND_NONE, false, 1)                                                                    \
  CK_CODED(name##_one_half, kind, ROUND_HALF, false, 1)                                                               \
  CK_CODED(name, kind, ROUND_NONE, false, ROWS)                                                                       \
  CK_CODED(name##_half, kind, ROUND_HALF, false, ROWS)                                                                \
  CK_CODED(name##_normal, kind, ROUND_NORMAL, false, ROWS)                                                            \
  CK_CODED(name##_shifted, kind, ROUND_NORMAL_SHIFTED, false, ROWS)                                                   \
  CK_CODED(name##_narrow, kind, ROUND_NONE, true, ROWS)                                                               \
  CK_CODED(name##_narrow_half, kind, ROUND_HALF, true, ROWS)                                                          \
  CK_CODED(name##_narrow_normal, kind, ROUND_NORMAL, true, ROWS)                                                      \
  CK_CODED(name##_narrow_shifted, kind, ROUND_NORMAL_SHIFTED, true, ROWS)                                             \
  static const coded_function coded_##name##_one_row[] = {coded_##name##_one, coded_##name##_one_half};               \
  static const coded_function coded_##name##_rows[][4] = {                                                            \
      {coded_##name, coded_##name##_half, coded_##name##_normal, coded_##name##_shifted},                             \
      {coded_##name##_narrow, coded_##name##_narrow_half, coded_##name##_narrow_normal,                               \
       coded_##name##_narrow_shifted},                                                                                \
  };
CK_CODED_KIND(i8, CK_CODES_I8)
CK_CODED_KIND(u8, CK_CODES_U8)
CK_CODED_KIND(nibble, CK_CODES_4BIT)

void CK_FN(gemv_quantized_f32)(
    const ck_quantized_matrix *w, size_t first, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k) {
  const bool is_nibble = w->kind == CK_CODES_4BIT;
  const coded_function *one = is_nibble ? coded_nibble_one_row : w->kind == CK_CODES_I8 ? coded_i8_one_row : coded_u8_one_row;
  const coded_function(*rows)[4] = is_nibble ? coded_nibble_rows : w->kind == CK_CODES_I8 ? coded_i8_rows : coded_u8_rows;
  const bool narrow = w->scale && w->block == STEP && k % STEP == 0 && w->row_block == 1 && !w->has_tables;
  const bool may_be_normal = w->rounds && w->scale && (!is_nibble || (!w->has_tables && values_are_short(w->table, 16)));
  for (size_t i = 0; i < m;) {
    size_t step = m - i >= 4 ? 4 : m - i >= 2 ? 2 : 1;
    const float *xi = x + i * ldx;
    float *yi = y + i * ldy;
    size_t j = 0;
    for (; j + ROWS <= n; j += ROWS) {
      enum rounding rounding = w->rounds && w->scale ? ROUND_HALF : ROUND_NONE;
      if (may_be_normal && (w->normal || rows_round_normally(w, first + j))) {
        rounding = w->offset ? ROUND_NORMAL_SHIFTED : ROUND_NORMAL;
      }
      rows[narrow][rounding](w, first + j, n, xi, ldx, bias ? bias + j : NULL, yi + j, ldy, step, k);
    }
    for (; j < n; j++) {
      one[w->rounds && w->scale](w, first + j, n, xi, ldx, bias ? bias + j : NULL, yi + j, ldy, step, k);
    }
    i += step;
  }
}
