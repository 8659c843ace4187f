// Packed GEMM, and convolution by it. The tolerance is 2e-7 per product, plus four more for bias and activation.
#include "plain.h"

static void check_gemm(void) {
  size_t m = random_size(0, 40), n = random_size(0, 70), k = random_bool() ? random_size(0, 9) : random_size(0, 600);
  size_t tile = ck_gemm_tile_rows(), panel = ck_gemm_panel_columns(), ldc = n + random_size(0, 5);
  size_t tiles = (m + tile - 1) / tile, panels = (n + panel - 1) / panel, block = ck_gemm_k_block();
  bool a_turned = random_bool(), b_turned = random_bool();
  ptrdiff_t a_row = a_turned ? 1 : (ptrdiff_t)k, a_column = a_turned ? (ptrdiff_t)m : 1;
  ptrdiff_t b_row = b_turned ? 1 : (ptrdiff_t)n, b_column = b_turned ? (ptrdiff_t)k : 1;
  float *a = floats(m * k, -1, 1), *b = floats(k * n, -1, 1), *c = blank(m * ldc);
  ck_bias_axis axis = random_bool() ? CK_BIAS_ROWS : CK_BIAS_COLUMNS;
  ck_epilogue e = random_epilogue(axis == CK_BIAS_ROWS ? m : n);
  float *packed_a = blank(ck_gemm_packed_a_size(m, k)), *packed_b = blank(ck_gemm_packed_b_size(n, k));
  at("ck_gemm_pack_a_f32", "m %zu, n %zu, k %zu%s%s", m, n, k, a_turned ? ", a turned" : "",
     b_turned ? ", b turned" : "");
  expect_true(
      ck_gemm_packed_a_size(m, k) == tiles * tile * k && ck_gemm_packed_b_size(n, k) == panels * panel * k,
      "sizes are of whole tiles");
  // Packs everything in one call, or part by part.
  if (random_bool()) {
    ck_gemm_pack_a_f32(m, k, a, a_row, a_column, packed_a);
    ck_gemm_pack_b_f32(k, n, b, b_row, b_column, 0, panels, packed_b);
  } else {
    for (size_t t = 0; t < tiles; t++)
      ck_gemm_pack_a_part_f32(m, k, a + (ptrdiff_t)(t * tile) * a_row, a_row, a_column, t, t + 1, packed_a);
    for (size_t l = 0; l < k; l += block) {
      for (size_t p = 0; p < panels; p++) {
        const float *from = b + (ptrdiff_t)l * b_row + (ptrdiff_t)(p * panel) * b_column;
        ck_gemm_pack_b_part_f32(k, n, from, b_row, b_column, l, l + block < k ? l + block : k, p, p + 1, packed_b);
      }
    }
  }
  size_t t0 = random_size(0, tiles), t1 = random_size(t0, tiles), p0 = random_size(0, panels),
         p1 = random_size(p0, panels);
  double *expected = zeros(m * ldc);
  for (size_t i = 0; i < m * ldc; i++) {
    size_t r = i / ldc, j = i % ldc;
    double sum = 0;
    for (size_t l = 0; l < k && j < n; l++)
      sum += (double)a[(ptrdiff_t)r * a_row + (ptrdiff_t)l * a_column] *
             (double)b[(ptrdiff_t)l * b_row + (ptrdiff_t)j * b_column];
    bool named = j < n && r / tile >= t0 && r / tile < t1 && j / panel >= p0 && j / panel < p1;
    expected[i] = named ? plain_epilogue(&e, axis == CK_BIAS_ROWS ? r : j, sum) : UNTOUCHED;
  }
  at("ck_gemm_packed_f32", "m %zu, n %zu, k %zu, ldc %zu, tiles %zu to %zu, panels %zu to %zu, activation %d, bias %d",
     m, n, k, ldc, t0, t1, p0, p1, e.activation, e.bias ? axis : -1);
  ck_gemm_packed_f32(m, n, k, packed_a, packed_b, axis, &e, c, ldc, t0, t1, p0, p1);
  expect(expected, c, m * ldc, 2e-6, product_bound(k));
}

static void check_conv_gemm(void) {
  struct window_kind kinds[] = {{false, true, 4, 3, 9, 40}, {true, true, 3, 2, 5, 20}, {false, true, 12, 1, 20, 20}};
  size_t groups = random_size(1, 2), own_in = random_size(1, 5), own_out = random_size(1, 30);
  ck_window w = random_window(kinds[random_size(0, 2)], groups * own_in, groups * own_out, groups);
  size_t area = out_area(&w), outputs = (size_t)w.out_channels, k = filter_size(&w), panel = ck_gemm_panel_columns();
  size_t panels = (area + panel - 1) / panel, begin = random_size(0, panels), end = random_size(begin, panels);
  size_t group = random_size(0, groups - 1);
  float *in = floats((size_t)w.in_channels * in_area(&w), -1, 1), *weights = floats(outputs * k, -1, 1),
        *out = blank(outputs * area);
  ck_epilogue e = random_epilogue(outputs);
  float *packed = blank(ck_gemm_packed_a_size(own_out, k)), *scratch = blank(ck_conv_gemm_scratch_size());
  ck_gemm_pack_a_f32(own_out, k, weights + group * own_out * k, (ptrdiff_t)k, 1, packed);
  double *expected = plain_conv(&w, in, weights);
  for (size_t i = 0; i < outputs * area; i++) {
    bool named = i / area / own_out == group && i % area / panel >= begin && i % area / panel < end;
    expected[i] = named ? plain_epilogue(&e, i / area, expected[i]) : UNTOUCHED;
  }
  at("ck_conv_gemm_f32", "%s, group %zu, panels %zu to %zu, activation %d", window_text(&w), group, begin, end,
     e.activation);
  ck_conv_gemm_f32(&w, (ptrdiff_t)group, in, packed, &e, out, scratch, begin, end);
  expect(expected, out, outputs * area, 2e-6, product_bound(k));
}

void check_products(void) {
  for (size_t turn = 0; turn < 120; turn++) {
    check_gemm(), release();
    if (turn % 2 == 0) check_conv_gemm(), release();
  }
}
