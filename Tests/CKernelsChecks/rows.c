// GEMM with prepacked weights. The tolerance is 2e-7 per product, plus four more for bias, addend and activation. fp16
// weights give the same bits as fp32 weights.
#include "plain.h"

static void check_rows(size_t rows, size_t n, size_t k) {
  size_t size = ck_block_size(), units = ck_gemm_prepacked_units(n), ldx = k + random_size(0, 3), ldo = n + random_size(0, 3),
         ldadd = n + random_size(0, 3);
  bool turned = random_bool();
  ptrdiff_t row_stride = turned ? 1 : (ptrdiff_t)n, column_stride = turned ? (ptrdiff_t)k : 1;
  float *x = floats(rows * ldx, -1, 1), *w = floats(k * n, -1, 1),
        *add = random_bool() ? NULL : floats(rows * ldadd, -1, 1);
  for (size_t i = 0; i < k * n; i++) w[i] = (float)plain_half(plain_half_of((double)w[i]));
  float scale = random_bool() ? 1 : 0.25f, *out = blank(rows * ldo), *again = blank(rows * ldo);
  ck_epilogue e = random_epilogue(n);
  float *packed_x = blank(ck_gemm_prepacked_packed_size(rows, k)), *packed_w = blank(ck_gemm_prepacked_packed_weights_size(k, n));
  uint16_t *f16 = take(ck_gemm_prepacked_packed_weights_size(k, n) * 2);
  size_t middle = random_size(0, rows), depth = random_size(0, k), r0 = random_bool() ? 0 : random_size(0, rows);
  size_t r1 = random_bool() ? rows : random_size(r0, rows), u0 = random_bool() ? 0 : random_size(0, units),
         u1 = random_bool() ? units : random_size(u0, units);
  at("ck_gemm_prepacked_product_f32",
     "rows %zu, n %zu, k %zu%s, %zu and %zu apart, rows %zu to %zu, units %zu to %zu, activation %d%s", rows, n, k,
     turned ? " turned" : "", ldx, ldo, r0, r1, u0, u1, e.activation, add ? ", with an addend" : "");
  ck_gemm_prepacked_pack_f32(x, (ptrdiff_t)ldx, rows, k, scale, 0, middle, packed_x);
  ck_gemm_prepacked_pack_f32(x, (ptrdiff_t)ldx, rows, k, scale, middle, rows, packed_x);
  for (size_t u = 0; u < units; u++) {
    const float *from = w + (ptrdiff_t)(u * 2 * size) * column_stride, *rest = from + (ptrdiff_t)depth * row_stride;
    ck_gemm_prepacked_pack_weights_f32(k, n, from, row_stride, column_stride, 0, depth, u, u + 1, packed_w);
    ck_gemm_prepacked_pack_weights_f32(k, n, rest, row_stride, column_stride, depth, k, u, u + 1, packed_w);
    ck_gemm_prepacked_pack_weights_f16(k, n, from, row_stride, column_stride, 0, depth, u, u + 1, f16);
    ck_gemm_prepacked_pack_weights_f16(k, n, rest, row_stride, column_stride, depth, k, u, u + 1, f16);
  }
  double *expected = zeros(rows * ldo);
  for (size_t i = 0; i < rows * ldo; i++) {
    size_t r = i / ldo, j = i % ldo;
    bool named = j < n && r >= r0 && r < r1 && j / (2 * size) >= u0 && j / (2 * size) < u1;
    double sum = named && add ? (double)add[r * ldadd + j] : 0;
    for (size_t l = 0; l < k && named; l++)
      sum += (double)(x[r * ldx + l] * scale) * (double)w[(ptrdiff_t)l * row_stride + (ptrdiff_t)j * column_stride];
    expected[i] = named ? plain_epilogue(&e, j, sum) : UNTOUCHED;
  }
  size_t pass = random_bool() ? ck_gemm_prepacked_pass(k) : k, begin = 0;
  float *widened = random_bool() ? NULL : blank(pass * 2 * size + ck_gemm_prepacked_widened_size(k));
  do {
    size_t end = k - begin <= pass ? k : begin + pass;
    // Plain rows, or packed rows, which are also scaled.
    bool lies = scale == 1 && random_bool();
    const float *numbers = lies ? x + begin : packed_x + begin * rows;
    ptrdiff_t apart = lies ? (ptrdiff_t)ldx : 0;
    ck_gemm_prepacked_product_f32(
        rows, n, k, begin, end, numbers, apart, packed_w, &e, add, (ptrdiff_t)ldadd, out, (ptrdiff_t)ldo, r0, r1, u0, u1);
    ck_gemm_prepacked_product_f16w_f32(
        rows, n, k, begin, end, numbers, apart, f16, widened, &e, add, (ptrdiff_t)ldadd, again, (ptrdiff_t)ldo, r0, r1, u0, u1);
    begin = end;
  } while (begin < k);
  expect(expected, out, rows * ldo, 2e-6, product_bound(k));
  expect_bytes(out, again, rows * ldo * sizeof *out);
}

/// bf16 products, if the set supports them, with values of eight bits, which are exact in bf16.
static void check_pairs(size_t rows, size_t n, size_t k) {
  if (!ck_low_precision_supported()) return;
  size_t pairs = (k + 1) / 2, units = ck_gemm_prepacked_units(n);
  size_t middle = random_size(0, rows), depth = random_size(0, k / 2) * 2;
  float *x = floats(rows * k, -1, 1), *w = floats(k * n, -1, 1), *out = blank(rows * n);
  for (size_t i = 0; i < rows * k; i++) x[i] = roundf(x[i] * 128) / 128;
  for (size_t i = 0; i < k * n; i++) w[i] = roundf(w[i] * 128) / 128;
  ck_epilogue e = random_epilogue(n);
  float *packed_x = blank(ck_gemm_prepacked_packed_size(rows, pairs)), *packed_w = blank(ck_gemm_prepacked_packed_weights_size(pairs, n));
  at("ck_gemm_prepacked_product_bf16_f32", "rows %zu, n %zu, k %zu, activation %d", rows, n, k, e.activation);
  ck_gemm_prepacked_pack_bf16(x, (ptrdiff_t)k, rows, k, 0, middle, packed_x);
  ck_gemm_prepacked_pack_bf16(x, (ptrdiff_t)k, rows, k, middle, rows, packed_x);
  for (size_t u = 0; u < units; u++) {
    const float *from = w + u * 2 * ck_block_size();
    ck_gemm_prepacked_pack_weights_bf16(k, n, from, (ptrdiff_t)n, 1, 0, depth, u, u + 1, packed_w);
    ck_gemm_prepacked_pack_weights_bf16(k, n, from + depth * n, (ptrdiff_t)n, 1, depth, k, u, u + 1, packed_w);
  }
  double *expected = zeros(rows * n);
  for (size_t i = 0; i < rows * n; i++) {
    for (size_t l = 0; l < k; l++) expected[i] += (double)x[i / n * k + l] * (double)w[l * n + i % n];
    expected[i] = plain_epilogue(&e, i % n, expected[i]);
  }
  size_t pass = 2 * ck_gemm_prepacked_pass(pairs), begin = 0;
  do {
    size_t end = k - begin <= pass ? k : begin + pass;
    ck_gemm_prepacked_product_bf16_f32(
        rows, n, k, begin, end, packed_x + begin / 2 * rows, packed_w, &e, NULL, 0, out, (ptrdiff_t)n, 0, rows, 0, units);
    begin = end;
  } while (begin < k);
  expect(expected, out, rows * n, 2e-6, product_bound(k));
}

/// int8 products, if the set supports them. Products of quantized values and integers are exact until they are scaled.
static void check_int8_dot(size_t rows, size_t n, size_t k) {
  if (!ck_int8_supported()) return;
  size_t quads = (k + 3) / 4, units = ck_gemm_prepacked_units(n), padded = (n + 2 * ck_block_size());
  size_t middle = random_size(0, rows), depth = random_size(0, k / 4) * 4;
  struct step_kind kind = random_step_kind();
  float *x = random_multiples(rows * k, kind), *w = floats(k * n, -1, 1), *out = blank(rows * n);
  float *scales = blank(padded), *add = random_bool() ? NULL : floats(rows * n, -1, 1);
  int32_t *starts = take(padded * sizeof *starts);
  for (size_t i = 0; i < k * n; i++) w[i] = roundf(w[i] * 127 - 0.5F);
  for (size_t j = 0; j < padded; j++) {
    starts[j] = 0, scales[j] = kind.scale / (float)(64 << j % 3);
    for (size_t l = 0; l < k && j < n; l++) starts[j] += kind.low * (int32_t)w[l * n + j];
  }
  ck_epilogue e = random_epilogue(n);
  float *packed_x = blank(ck_gemm_prepacked_packed_size(rows, quads)), *packed_w = blank(ck_gemm_prepacked_packed_weights_size(quads, n));
  at("ck_gemm_prepacked_product_i8_f32", "rows %zu, n %zu, k %zu, steps of %g from %d, activation %d", rows, n, k,
     (double)kind.scale, kind.low, e.activation);
  ck_gemm_prepacked_pack_i8(x, (ptrdiff_t)k, rows, k, 1 / kind.scale, kind.low, 0, middle, packed_x);
  ck_gemm_prepacked_pack_i8(x, (ptrdiff_t)k, rows, k, 1 / kind.scale, kind.low, middle, rows, packed_x);
  for (size_t u = 0; u < units; u++) {
    const float *from = w + u * 2 * ck_block_size();
    ck_gemm_prepacked_pack_weights_i8(k, n, from, (ptrdiff_t)n, 1, 0, depth, u, u + 1, packed_w);
    ck_gemm_prepacked_pack_weights_i8(k, n, from + depth * n, (ptrdiff_t)n, 1, depth, k, u, u + 1, packed_w);
  }
  double *expected = zeros(rows * n);
  for (size_t i = 0; i < rows * n; i++) {
    double weight = 1.0 / (64 << i % n % 3);
    for (size_t l = 0; l < k; l++) expected[i] += (double)x[i / n * k + l] * (double)w[l * n + i % n] * weight;
    expected[i] = plain_epilogue(&e, i % n, expected[i] + (add ? (double)add[i] : 0));
  }
  ck_integer_sums sums = {starts, scales};
  ck_gemm_prepacked_product_i8_f32(
      rows, n, k, packed_x, packed_w, &sums, &e, add, (ptrdiff_t)n, out, (ptrdiff_t)n, 0, rows, 0, units);
  expect(expected, out, rows * n, 2e-6, product_bound(k));
}

void check_row_products(void) {
  check_int8_dot(100, 6 * ck_block_size(), 0), release();
  check_int8_dot(17, 5 * ck_block_size(), 9001), release();
  check_pairs(100, 6 * ck_block_size(), 0), release();
  // K = 0, many rows, and several units.
  check_rows(100, 6 * ck_block_size(), 0), release();
  // A longer K than one chunk of any set.
  check_rows(17, 5 * ck_block_size(), 4500), release();
  check_pairs(17, 5 * ck_block_size(), 9001), release();
  check_rows(0, 5, 5), release();
  check_rows(5, 0, 5), release();
  for (size_t turn = 0; turn < 150; turn++) {
    check_pairs(random_size(0, 40), random_size(0, 7 * ck_block_size()), random_size(0, 300)), release();
    check_int8_dot(random_size(0, 40), random_size(0, 7 * ck_block_size()), random_size(0, 300)), release();
    check_rows(
        random_size(0, 40), random_size(0, 7 * ck_block_size()),
        random_bool() ? random_size(0, 20) : random_size(0, 700));
    release();
  }
}
