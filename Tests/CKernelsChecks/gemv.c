// GEMV: tolerance 2e-7 per product. Converted weights must give the same bits as the same values in fp32.
#include "plain.h"

struct lines {
  size_t m, n, k, ldw, ldx, ldy;
  const float *x, *bias;
};

static struct lines random_lines(size_t columns_of_w) {
  struct lines s = {
      .m = random_size(0, 9), .n = random_size(0, 40), .k = random_bool() ? random_size(0, 20) : random_size(0, 300)};
  s.ldx = s.k + random_size(0, 3), s.ldy = s.n + random_size(0, 3);
  s.ldw = (columns_of_w ? s.n : s.k) + random_size(0, 3);
  s.x = floats(s.m * s.ldx, -1, 1), s.bias = random_bool() ? NULL : floats(s.n, -1, 1);
  return s;
}

static double *plain_lines(const struct lines *s, const float *w, size_t row, size_t column) {
  double *y = zeros(s->m * s->ldy);
  for (size_t i = 0; i < s->m * s->ldy; i++) {
    size_t r = i / s->ldy, j = i % s->ldy;
    double sum = j < s->n && s->bias ? (double)s->bias[j] : 0;
    for (size_t l = 0; l < s->k && j < s->n; l++) sum += (double)s->x[r * s->ldx + l] * (double)w[j * row + l * column];
    y[i] = j < s->n ? sum : UNTOUCHED;
  }
  return y;
}

static void check_gemv(bool columns) {
  struct lines s = random_lines(columns);
  size_t all = (columns ? s.k : s.n) * s.ldw;
  float *w = floats(all, -1, 1), *y = blank(s.m * s.ldy), *again = blank(s.m * s.ldy);
  uint16_t *f16 = take(all * 2);
  for (size_t i = 0; i < all; i++) f16[i] = plain_half_of((double)w[i]), w[i] = (float)plain_half(f16[i]);
  double *expected = plain_lines(&s, w, columns ? 1 : s.ldw, columns ? s.ldw : 1);
#define AT(kernel)                                                                                     \
  at(kernel, "m %zu, n %zu, k %zu, rows %zu, %zu and %zu apart%s", s.m, s.n, s.k, s.ldw, s.ldx, s.ldy, \
     s.bias ? " with a bias" : "")
  AT(columns ? "ck_gemv_kn_f32" : "ck_gemv_f32");
  (columns ? ck_gemv_kn_f32 : ck_gemv_f32)(w, s.ldw, s.x, s.ldx, s.bias, y, s.ldy, s.m, s.n, s.k);
  expect(expected, y, s.m * s.ldy, 2e-7, product_bound(s.k));
  AT(columns ? "ck_gemv_kn_f16w_f32" : "ck_gemv_f16w_f32");
  (columns ? ck_gemv_kn_f16w_f32 : ck_gemv_f16w_f32)(f16, s.ldw, s.x, s.ldx, s.bias, again, s.ldy, s.m, s.n, s.k);
  expect(expected, again, s.m * s.ldy, 2e-7, product_bound(s.k));
  expect_bytes(y, again, s.m * s.ldy * sizeof *y);
}

/// Weights rounded to bf16, in a GEMV.
static void check_bf16(bool columns) {
  if (!ck_low_precision_supported()) return;
  struct lines s = random_lines(columns);
  size_t all = (columns ? s.k : s.n) * s.ldw;
  float *w = floats(all, -1, 1), *y = blank(s.m * s.ldy);
  uint16_t *brain = take(all * sizeof *brain), *nearest = take(all * sizeof *brain);
  for (size_t i = 0; i < all; i++) {
    uint32_t bits;
    memcpy(&bits, w + i, sizeof bits);
    nearest[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  at("ck_f32_to_bf16", "n %zu", all);
  ck_f32_to_bf16(w, brain, all);
  expect_bytes(nearest, brain, all * sizeof *brain);
  for (size_t i = 0; i < all; i++) {
    uint32_t bits = (uint32_t)brain[i] << 16;
    memcpy(w + i, &bits, sizeof bits);
  }
  double *expected = plain_lines(&s, w, columns ? 1 : s.ldw, columns ? s.ldw : 1);
  at(columns ? "ck_gemv_kn_bf16w_f32" : "ck_gemv_bf16w_f32", "m %zu, n %zu, k %zu, rows %zu, %zu and %zu apart%s", s.m,
     s.n, s.k, s.ldw, s.ldx, s.ldy, s.bias ? " with a bias" : "");
  (columns ? ck_gemv_kn_bf16w_f32 : ck_gemv_bf16w_f32)(brain, s.ldw, s.x, s.ldx, s.bias, y, s.ldy, s.m, s.n, s.k);
  expect(expected, y, s.m * s.ldy, 2e-7, product_bound(s.k));
}

static void check_coded(ck_codes kind, bool scaled, bool rounds) {
  struct lines s = random_lines(false);
  s.ldw = (s.ldw + 1) / 2 * 2;
  size_t first = random_size(0, 5), rows = first + s.n, row_block = random_size(1, 4),
         per = kind == CK_CODES_4BIT ? 2 : 1;
  size_t block = random_bool() ? 16 * random_size(1, 4) : s.k > 0 ? s.k : 1, entries = (s.k + block - 1) / block;
  size_t all = (rows + row_block - 1) / row_block * entries, bytes = rows * s.ldw / per;
  uint8_t *codes = take(bytes);
  for (size_t i = 0; i < bytes; i++) codes[i] = (uint8_t)random_bits();
  bool tables = random_bool();
  ck_quantized_matrix w = {
      .codes = codes,
      .kind = kind,
      .ldw = s.ldw,
      .row_block = row_block,
      .block = block,
      .entries = entries,
      .rounds = rounds};
  if (kind == CK_CODES_4BIT) w.has_tables = tables, w.table = floats(tables ? 16 * all : 16, -1, 1);
  if (scaled) {
    double most = kind == CK_CODES_4BIT ? 1 : 0.01;
    w.scale = floats(all, -most, most), w.offset = floats(all, -1, 1);
  }
  float *wide = floats(s.n * s.k, 0, 0), *y = blank(s.m * s.ldy);
  for (size_t i = 0; i < s.n * s.k; i++) {
    size_t row = first + i / s.k, l = i % s.k, entry = row / row_block * entries + l / block, place = row * s.ldw + l;
    float value = kind == CK_CODES_I8 ? (float)((const int8_t *)codes)[place] : (float)codes[place / per];
    if (kind == CK_CODES_4BIT) value = w.table[(tables ? 16 * entry : 0) + (codes[place / 2] >> place % 2 * 4 & 15)];
    if (scaled) value = (value - w.offset[entry]) * w.scale[entry];
    wide[i] = rounds ? (float)plain_half(plain_half_of((double)value)) : value;
  }
  double *expected = plain_lines(&s, wide, s.k, 1);
  at("ck_gemv_quantized_f32", "kind %d%s%s%s, first %zu, m %zu, n %zu, k %zu, rows %zu apart, blocks of %zu by %zu", kind,
     scaled ? " scaled" : "", rounds ? " rounded" : "", w.has_tables ? " with tables" : "", first, s.m, s.n, s.k, s.ldw,
     row_block, block);
  ck_gemv_quantized_f32(&w, first, s.x, s.ldx, s.bias, y, s.ldy, s.m, s.n, s.k);
  expect(expected, y, s.m * s.ldy, 2e-7, 2 * product_bound(s.k));
}

void check_few_rows(void) {
  for (size_t turn = 0; turn < 50; turn++) {
    check_gemv(false), release();
    check_gemv(true), release();
    check_bf16(false), release();
    check_bf16(true), release();
    for (int rounds = 0; rounds < 2; rounds++) {
      check_coded(CK_CODES_I8, true, rounds), release();
      check_coded(CK_CODES_U8, true, rounds), release();
      check_coded(CK_CODES_4BIT, true, rounds), release();
    }
    check_coded(CK_CODES_4BIT, false, false), release();
  }
}
