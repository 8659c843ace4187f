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

struct coded {
  ck_quantized_matrix w;
  size_t rows;
  float *wide;  // the weights [rows, k]
};

/// A random fp16 number of magnitude 2^-15 to 2^6, or one beyond the range of ck_rounds_normally.
static float random_scale(void) {
  float values[] = {0, 0x1p-14f, 0x1p5f, -0x1p5f, 0x1.8p-15f, 0x1p-24f, 0x1.004p5f};
  if (random_size(0, 40) == 0) return values[random_size(0, 6)];
  uint16_t half = (uint16_t)(random_size(0, 1) << 15 | random_size(1, 19) << 10 | random_size(0, 1023));
  return (float)plain_half(half);
}

/// A matrix of `rows` by `k`. Short: integers, offsets and scales that may round normally.
static struct coded random_coded(ck_codes kind, bool scaled, bool rounds, bool is_short, size_t rows, size_t k, size_t ldw) {
  size_t row_block = random_bool() ? 1 : random_size(1, 4), per = kind == CK_CODES_4BIT ? 2 : 1;
  size_t blocks[] = {32, 16 * random_size(1, 4), k > 0 ? k : 1}, block = blocks[random_size(0, 2)];
  size_t entries = (k + block - 1) / block, all = (rows + row_block - 1) / row_block * entries, bytes = rows * ldw / per;
  uint8_t *codes = take(bytes);
  for (size_t i = 0; i < bytes; i++) codes[i] = (uint8_t)random_bits();
  bool tables = random_bool();
  ck_quantized_matrix w = {
      .codes = codes, .kind = kind, .ldw = ldw, .row_block = row_block, .block = block, .entries = entries, .rounds = rounds};
  if (kind == CK_CODES_4BIT) {
    float *table = floats(tables ? 16 * all : 16, -1, 1);
    for (size_t i = 0; i < (tables ? 16 * all : 16) && is_short; i++) table[i] = (float)random_size(0, 512) - 256;
    w.has_tables = tables, w.table = table;
  }
  if (scaled) {
    float most = kind == CK_CODES_4BIT ? 1 : 0.01f, *scale = floats(all, -most, most), *offset = floats(all, -1, 1);
    for (size_t i = 0; i < all && is_short; i++) scale[i] = random_scale(), offset[i] = (float)random_size(0, 512) - 256;
    w.scale = scale;
    if (random_bool()) w.offset = offset;
    w.normal = random_bool() && ck_rounds_normally(w.scale, w.offset, all);
  }
  float *wide = floats(rows * k, 0, 0);
  for (size_t i = 0; i < rows * k; i++) {
    size_t row = i / k, l = i % k, entry = row / row_block * entries + l / block, place = row * ldw + l;
    float value = kind == CK_CODES_I8 ? (float)((const int8_t *)codes)[place] : (float)codes[place / per];
    if (kind == CK_CODES_4BIT) value = w.table[(tables ? 16 * entry : 0) + (codes[place / 2] >> place % 2 * 4 & 15)];
    if (scaled) value = (value - (w.offset ? w.offset[entry] : 0)) * w.scale[entry];
    wide[i] = rounds ? (float)plain_half(plain_half_of((double)value)) : value;
  }
  return (struct coded){w, rows, wide};
}

static void check_coded(ck_codes kind, bool scaled, bool rounds, bool is_short) {
  struct lines s = random_lines(false);
  s.ldw = (s.ldw + 1) / 2 * 2;
  size_t first = random_size(0, 5);
  struct coded c = random_coded(kind, scaled, rounds, is_short, first + s.n, s.k, s.ldw);
  float *y = blank(s.m * s.ldy), *same = blank(s.m * s.ldy);
  at("ck_gemv_quantized_f32", "kind %d%s%s%s%s, first %zu, m %zu, n %zu, k %zu, rows %zu apart, blocks of %zu by %zu", kind,
     scaled ? " scaled" : "", rounds ? " rounded" : "", c.w.has_tables ? " with tables" : "", c.w.offset ? " shifted" : "",
     first, s.m, s.n, s.k, s.ldw, c.w.row_block, c.w.block);
  ck_gemv_quantized_f32(&c.w, first, s.x, s.ldx, s.bias, y, s.ldy, s.m, s.n, s.k);
  ck_gemv_f32(c.wide + first * s.k, s.k, s.x, s.ldx, s.bias, same, s.ldy, s.m, s.n, s.k);
  expect_bytes(same, y, s.m * s.ldy * sizeof *y);
}

/// Products of many rows: as those of the same weights packed as fp32, bit by bit.
static void check_decoded(ck_codes kind, bool scaled, bool rounds, bool is_short) {
  size_t per = kind == CK_CODES_4BIT ? 8 : 4, m = random_size(1, 30), n = random_size(1, 70), k = per * random_size(1, 40);
  struct coded c = random_coded(kind, scaled, rounds, is_short, n, k, k + per * random_size(0, 1));
  if (c.w.has_tables) {
    // One table for all rows.
    c.w.has_tables = false;
    for (size_t i = 0; i < n * k; i++) {
      size_t entry = i / k / c.w.row_block * c.w.entries + i % k / c.w.block, place = i / k * c.w.ldw + i % k;
      float value = c.w.table[((const uint8_t *)c.w.codes)[place / 2] >> place % 2 * 4 & 15];
      if (scaled) value = (value - (c.w.offset ? c.w.offset[entry] : 0)) * c.w.scale[entry];
      c.wide[i] = rounds ? (float)plain_half(plain_half_of((double)value)) : value;
    }
  }
  float *x = floats(m * k, -1, 1), *y = blank(m * n), *same = blank(m * n), *bias = floats(n, -1, 1);
  float *packed = floats(ck_gemm_prepacked_packed_weights_size(k, n), 0, 0);
  float *decoded = floats(ck_gemm_prepacked_decoded_size(k), 0, 0);
  ck_epilogue epilogue = {.bias = bias, .activation = CK_UNARY_RELU};
  size_t units = ck_gemm_prepacked_units(n), pass = ck_block_size() * random_size(1, 8);
  if (pass > ck_gemm_prepacked_pass(k)) pass = ck_gemm_prepacked_pass(k);
  ck_gemm_prepacked_pack_weights_f32(k, n, c.wide, 1, (ptrdiff_t)k, 0, k, 0, units, packed);
  at("ck_gemm_prepacked_product_quantized_f32", "kind %d%s%s, m %zu, n %zu, k %zu, blocks of %zu by %zu, passes of %zu", kind,
     scaled ? " scaled" : "", rounds ? " rounded" : "", m, n, k, c.w.row_block, c.w.block, pass);
  for (size_t first = 0; first < k; first += pass) {
    size_t end = k - first < pass ? k : first + pass;
    ck_gemm_prepacked_product_f32(
        m, n, k, first, end, x + first, (ptrdiff_t)k, packed, &epilogue, NULL, 0, same, (ptrdiff_t)n, 0, m, 0, units);
    ck_gemm_prepacked_product_quantized_f32(
        m, n, k, first, end, x + first, (ptrdiff_t)k, &c.w, decoded, &epilogue, NULL, 0, y, (ptrdiff_t)n, 0, m, 0, units);
  }
  expect_bytes(same, y, m * n * sizeof *y);
}

void check_few_rows(void) {
  for (size_t turn = 0; turn < 50; turn++) {
    check_gemv(false), release();
    check_gemv(true), release();
    check_bf16(false), release();
    check_bf16(true), release();
    const ck_codes kinds[] = {CK_CODES_I8, CK_CODES_U8, CK_CODES_4BIT};
    for (int i = 0; i < 12; i++) {
      check_coded(kinds[i / 4], true, i % 2, i / 2 % 2), release();
      check_decoded(kinds[i / 4], true, i % 2, i / 2 % 2), release();
    }
    check_coded(CK_CODES_4BIT, false, false, false), release();
    check_decoded(CK_CODES_4BIT, false, false, false), release();
  }
}
