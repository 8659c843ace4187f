// Pooling and its gradients. Maxima are exact; the tolerance of sums is 2e-7 per element.
#include "plain.h"

enum pool { MAX, AVERAGE, AVERAGE_INSIDE, ROOT };

static double plain_pool(enum pool kind, const ck_window *w, const float *channel, size_t position) {
  ptrdiff_t p = (ptrdiff_t)position, inside = 0;
  double sum = kind == MAX ? -INFINITY : 0;
  bool missing = false;
  for (ptrdiff_t t = 0; t < (ptrdiff_t)kernel_area(w); t++) {
    size_t place;
    if (!plain_tap(
            w, p / w->out_w / w->out_h, p / w->out_w % w->out_h, p % w->out_w, t / w->kernel_w / w->kernel_h,
            t / w->kernel_w % w->kernel_h, t % w->kernel_w, &place))
      continue;
    double x = (double)channel[place];
    inside++, missing |= x != x;
    sum = kind == MAX ? fmax(sum, x) : kind == ROOT ? sum + x * x : sum + x;
  }
  if (kind == MAX) return missing ? NAN : sum;
  if (kind == ROOT) return sqrt(sum);
  double size = kind == AVERAGE ? (double)kernel_area(w) : (double)inside;
  return size == 0 ? 0 : sum / size;
}

static double *pooled(enum pool kind, const ck_window *w, const float *in) {
  size_t n = (size_t)w->in_channels * out_area(w);
  double *out = zeros(n);
  for (size_t i = 0; i < n; i++) out[i] = plain_pool(kind, w, in + i / out_area(w) * in_area(w), i % out_area(w));
  return out;
}

static void check_pool(enum pool kind) {
  struct window_kind kinds[] = {{false, true, 4, 3, 9, 40}, {true, true, 3, 2, 5, 30}, {false, false, 3, 2, 12, 90}};
  size_t channels = random_size(1, 4), begin = random_size(0, channels), end = random_size(begin, channels);
  ck_window w = random_window(kinds[random_size(0, 2)], channels, channels, 1);
  if (random_size(0, 20) == 0) {  // a window wider than the kernels' temporary row
    w.kernel_w = (ptrdiff_t)random_size(1025, 1200), w.dilation_w = 1, w.in_w = 1300, w.stride_w = 50, w.pad_w = 30;
    w.out_w = (w.in_w + w.pad_w - w.kernel_w) / w.stride_w + 1;
  }
  float *in = floats(channels * in_area(&w), -1, 1), *out = blank(channels * out_area(&w));
  for (size_t i = 7; kind == MAX && i < channels * in_area(&w); i += 101) in[i] = NAN;
  double *expected = pooled(kind, &w, in);
  for (size_t i = 0; i < channels * out_area(&w); i++) {
    if (i / out_area(&w) < begin || i / out_area(&w) >= end) expected[i] = UNTOUCHED;
  }
  static const char *const names[] = {
      "ck_max_pool_f32", "ck_average_pool_f32", "ck_average_pool_f32", "ck_l2_pool_f32"};
  at(names[kind], "%s, channels %zu to %zu%s", window_text(&w), begin, end,
     kind == AVERAGE_INSIDE ? ", padding left out" : "");
  if (kind == MAX) ck_max_pool_f32(&w, in, out, (ptrdiff_t)begin, (ptrdiff_t)end);
  if (kind == AVERAGE || kind == AVERAGE_INSIDE)
    ck_average_pool_f32(&w, kind == AVERAGE_INSIDE, in, out, (ptrdiff_t)begin, (ptrdiff_t)end);
  if (kind == ROOT) ck_l2_pool_f32(&w, in, out, (ptrdiff_t)begin, (ptrdiff_t)end);
  double size = kind == ROOT ? (double)kernel_area(&w) : 4;
  expect(expected, out, channels * out_area(&w), kind == MAX ? 0 : 2e-6, kind == MAX ? 0 : 2e-7 * size);
}

static void check_block_pool(enum pool kind) {
  struct window_kind kinds[] = {{false, true, 4, 3, 9, 30}, {false, false, 3, 2, 12, 30}};
  size_t channels = random_size(1, 2 * ck_block_size() + 1), blocks = block_count(channels);
  ck_window w = random_window(kinds[random_size(0, 1)], channels, channels, 1);
  size_t begin = random_size(0, blocks), end = random_size(begin, blocks), size = ck_block_size();
  size_t row_begin = random_size(0, (size_t)w.out_h), row_end = random_size(row_begin, (size_t)w.out_h),
         area = out_area(&w);
  float *in = floats(channels * in_area(&w), -1, 1), *block = blocked(in, channels, in_area(&w));
  float *out = blank(blocked_size(channels, area));
  double *expected = blocked_doubles(pooled(kind, &w, in), channels, area);
  for (size_t i = 0; i < blocked_size(channels, area); i++) {
    size_t row = i / size % area / (size_t)w.out_w, b = i / size / area;
    if (b < begin || b >= end || row < row_begin || row >= row_end) expected[i] = UNTOUCHED;
  }
  static const ck_block_pool kinds_of[] = {CK_BLOCK_POOL_MAX, CK_BLOCK_POOL_AVERAGE, CK_BLOCK_POOL_AVERAGE_INSIDE};
  at("ck_block_pool_f32", "op %d, %s, blocks %zu to %zu, rows %zu to %zu", kind, window_text(&w), begin, end, row_begin,
     row_end);
  ck_block_pool_f32(kinds_of[kind], &w, block, out, begin, end, row_begin, row_end);
  expect(expected, out, blocked_size(channels, area), kind == MAX ? 0 : 2e-6, kind == MAX ? 0 : 1e-6);
}

static void check_gradients(void) {
  struct window_kind kind = {random_bool(), false, 3, 3, 9, 12};
  size_t channels = random_size(1, 3), begin = random_size(0, channels), end = random_size(begin, channels);
  ck_window w = random_window(kind, channels, channels, 1);
  if (random_bool()) {  // adjacent 2 x 2 windows
    w = random_window((struct window_kind){false, false, 1, 1, 9, 20}, channels, channels, 1);
    w.pad_h = w.pad_w = 0, w.in_h++, w.in_w++, w.kernel_h = w.kernel_w = w.stride_h = w.stride_w = 2;
    w.out_h = w.in_h / 2, w.out_w = w.in_w / 2;
  }
  float *in = floats(channels * in_area(&w), -1, 1), *gradient = floats(channels * out_area(&w), -1, 1);
  for (size_t i = 0; i < channels * in_area(&w); i++) in[i] = roundf(in[i] * 4);
  float *most = blank(channels * in_area(&w)), *sums = blank(channels * in_area(&w));
  double *expected = zeros(channels * in_area(&w)), *spread = zeros(channels * in_area(&w));
  for (size_t i = 0; i < channels * in_area(&w); i++) {
    if (i / in_area(&w) < begin || i / in_area(&w) >= end) expected[i] = spread[i] = UNTOUCHED;
  }
  for (size_t i = begin * out_area(&w); i < end * out_area(&w); i++) {
    ptrdiff_t p = (ptrdiff_t)(i % out_area(&w)), best = -1;
    size_t channel = i / out_area(&w) * in_area(&w), place;
    for (ptrdiff_t t = 0; t < (ptrdiff_t)kernel_area(&w); t++) {
      if (!plain_tap(
              &w, p / w.out_w / w.out_h, p / w.out_w % w.out_h, p % w.out_w, t / w.kernel_w / w.kernel_h,
              t / w.kernel_w % w.kernel_h, t % w.kernel_w, &place))
        continue;
      spread[channel + place] += (double)gradient[i];
      if (best < 0 || in[channel + place] > in[channel + (size_t)best]) best = (ptrdiff_t)place;
    }
    if (best >= 0) expected[channel + (size_t)best] += (double)gradient[i];
  }
  at("ck_max_pool_gradient_f32", "%s, channels %zu to %zu", window_text(&w), begin, end);
  ck_max_pool_gradient_f32(&w, in, gradient, most, (ptrdiff_t)begin, (ptrdiff_t)end);
  expect(expected, most, channels * in_area(&w), 0, product_bound(kernel_area(&w)));
  at("ck_pool_sum_gradient_f32", "%s, channels %zu to %zu", window_text(&w), begin, end);
  ck_pool_sum_gradient_f32(&w, gradient, sums, (ptrdiff_t)begin, (ptrdiff_t)end);
  expect(spread, sums, channels * in_area(&w), 0, product_bound(kernel_area(&w)));
}

void check_pools(void) {
  for (size_t turn = 0; turn < 60; turn++) {
    for (int kind = MAX; kind <= ROOT; kind++) check_pool((enum pool)kind), release();
    for (int kind = MAX; kind <= AVERAGE_INSIDE; kind++) check_block_pool((enum pool)kind), release();
    check_gradients(), release();
  }
}
