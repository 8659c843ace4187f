// Copies, padding, NCHWc conversion, resampling. Data movement is exact. The tolerance of interpolation is 2e-7 of the
// maximum.
#include "plain.h"

static unsigned char *random_bytes(size_t n) {
  unsigned char *p = take(n);
  for (size_t i = 0; i < n; i++) p[i] = (unsigned char)random_bits();
  return p;
}

static void check_copy(void) {
  size_t rank, size = (size_t)1 << random_size(0, 3);
  ptrdiff_t shape[CK_MAX_RANK];
  size_t n = random_shape(&rank, shape);
  if (rank == 2 && random_bool()) shape[0] = (ptrdiff_t)random_size(5, 40), n = (size_t)(shape[0] * shape[1]);
  struct view from = random_view(rank, shape, VIEW_REPEATS), to = random_view(rank, shape, VIEW_DISTINCT);
  if (rank > 1 && random_bool()) {  // a transposition
    from = random_view(rank, shape, VIEW_WHOLE), to = random_view(rank, shape, VIEW_WHOLE);
    ptrdiff_t step = 1;
    for (size_t d = 0; d < rank; d++) to.strides[d] = step, step *= shape[d];
  }
  unsigned char *in = random_bytes(from.span * size), *out = random_bytes(to.span * size),
                *expected = take(to.span * size);
  memcpy(expected, out, to.span * size);
  for (size_t i = 0; i < n; i++)
    memcpy(expected + place_in(&to, rank, shape, i) * size, in + place_in(&from, rank, shape, i) * size, size);
  at("ck_copy_strided", "%zu bytes, %s", size, shape_in_words(rank, shape));
  expect_true(
      ck_copy_strided(size, rank, shape, in + from.base * size, from.strides, out + to.base * size, to.strides),
      "it is taken");
  expect_bytes(expected, out, to.span * size);
  expect_true(!ck_copy_strided(5, rank, shape, in, from.strides, out, to.strides), "5 bytes are refused");
}

static void check_pad(ck_pad_mode mode) {
  size_t rank, size = (size_t)1 << random_size(0, 3), out_count = 1;
  ptrdiff_t shape[CK_MAX_RANK], before[CK_MAX_RANK], after[CK_MAX_RANK], whole[CK_MAX_RANK];
  size_t n = random_shape(&rank, shape);
  bool refused = false;
  for (size_t d = 0; d < rank; d++) {
    before[d] = random_bool() ? 0 : (ptrdiff_t)random_size(0, 3),
    after[d] = random_bool() ? 0 : (ptrdiff_t)random_size(0, 3);
    if (mode == CK_PAD_REFLECT && (before[d] > 0 || after[d] > 0) && (before[d] >= shape[d] || after[d] >= shape[d]))
      refused = true;
    if (mode == CK_PAD_REPLICATE && shape[d] == 0 && before[d] + after[d] > 0) refused = true;
    whole[d] = shape[d] + before[d] + after[d], out_count *= (size_t)whole[d];
  }
  unsigned char *in = random_bytes(n * size), *value = random_bytes(size), *out = random_bytes(out_count * size);
  unsigned char *expected = take(out_count * size);
  memcpy(expected, out, out_count * size);
  for (size_t i = 0; !refused && i < out_count; i++) {
    size_t rest = i, place = 0, step = 1;
    bool inside = true;
    for (size_t d = rank; d-- > 0; rest /= (size_t)whole[d]) {
      ptrdiff_t k = (ptrdiff_t)(rest % (size_t)whole[d]) - before[d], last = shape[d] - 1;
      if (k < 0 || k > last) {
        inside = mode != CK_PAD_CONSTANT && inside;
        if (mode == CK_PAD_REFLECT) k = k < 0 ? -k : 2 * last - k;
        if (mode == CK_PAD_REPLICATE) k = k < 0 ? 0 : last;
      }
      if (inside) place += (size_t)k * step, step *= (size_t)shape[d];
    }
    memcpy(expected + i * size, inside ? in + place * size : value, size);
  }
  at("ck_pad", "mode %d, %zu bytes, %s", mode, size, shape_in_words(rank, shape));
  bool taken = ck_pad(mode, size, rank, shape, before, after, value, in, out);
  expect_true(taken == !refused, "just what cannot be reflected or repeated is refused");
  expect_bytes(expected, out, out_count * size);
}

static void check_blocks(void) {
  size_t block = ck_block_size(), channels = random_size(1, block), area = random_size(0, 70);
  float *in = floats(channels * area, -1, 1), *out = blank(block * area), *back = blank(channels * area);
  double *expected = zeros(block * area), *dense = zeros(channels * area);
  for (size_t c = 0; c < channels; c++) {
    for (size_t i = 0; i < area; i++) dense[c * area + i] = expected[i * block + c] = (double)in[c * area + i];
  }
  at("ck_block_channels_f32", "%zu of %zu channels, area %zu", channels, block, area);
  ck_block_channels_f32(in, channels, area, block, out);
  expect(expected, out, block * area, 0, 0);
  at("ck_unblock_channels_f32", "%zu of %zu channels, area %zu", channels, block, area);
  ck_unblock_channels_f32(out, channels, area, block, back);
  expect(dense, back, channels * area, 0, 0);
}

static void check_rows_of_blocks(void) {
  size_t size = (size_t[]){4, 8, 16, 3}[random_size(0, 3)], channels = random_size(1, 40), area = random_size(1, 50);
  size_t blocks = (channels + size - 1) / size, begin = random_size(0, area), end = random_size(begin, area);
  float *rows = floats(area * channels, -1, 1), *out = blank(area * channels), *to = blank(blocks * size * area);
  float *in = floats(blocks * size * area, -1, 1);
  double *expected = zeros(area * channels), *wanted = zeros(blocks * size * area);
  for (size_t c = 0; c < blocks * size; c++) {
    for (size_t p = 0; p < area; p++) {
      size_t place = (c / size * area + p) * size + c % size;
      bool named = p >= begin && p < end;
      if (c < channels) expected[p * channels + c] = named ? (double)in[place] : UNTOUCHED;
      wanted[place] = !named ? UNTOUCHED : c < channels ? (double)rows[p * channels + c] : 0;
    }
  }
  at("ck_blocks_to_rows_f32", "%zu channels in %zu, %zu to %zu of area %zu", channels, size, begin, end, area);
  ck_blocks_to_rows_f32(in, channels, area, size, out, begin, end);
  expect(expected, out, area * channels, 0, 0);
  at("ck_rows_to_blocks_f32", "%zu channels in %zu, %zu to %zu of area %zu", channels, size, begin, end, area);
  ck_rows_to_blocks_f32(rows, channels, area, size, to, begin, end);
  expect(wanted, to, blocks * size * area, 0, 0);
}

static ck_tap *random_taps(size_t count, size_t length) {
  ck_tap *taps = take(count * sizeof *taps);
  bool copies = random_bool();
  for (size_t i = 0; i < count; i++) {
    size_t low = random_size(0, length - 1);
    taps[i] = (ck_tap){
        (int32_t)low, (int32_t)random_size(low, low + 1 < length ? low + 1 : low),
        copies ? 0 : (float)random_real(0, 1)};
    if (random_size(0, 4) == 0 && i > 0) taps[i].low = taps[i - 1].low, taps[i].high = taps[i - 1].high;
  }
  return taps;
}

static void check_resize(void) {
  size_t planes = random_size(0, 3), in_h = random_size(1, 9), in_w = random_size(1, 40), out_h = random_size(0, 9);
  size_t out_w = random_size(0, 50), n = planes * out_h * out_w;
  float *in = floats(planes * in_h * in_w, -1, 1), *out = blank(n);
  int32_t *rows = integers(out_h, 0, (int32_t)in_h - 1), *columns = integers(out_w, 0, (int32_t)in_w - 1);
  double *expected = zeros(n);
  for (size_t i = 0; i < n; i++)
    expected[i] =
        (double)in[(i / out_w / out_h * in_h + (size_t)rows[i / out_w % out_h]) * in_w + (size_t)columns[i % out_w]];
  at("ck_resize_nearest_f32", "%zu planes, %zux%zu to %zux%zu", planes, in_h, in_w, out_h, out_w);
  ck_resize_nearest_f32(in, planes, in_h, in_w, rows, columns, out, out_h, out_w);
  expect(expected, out, n, 0, 0);

  ck_tap *ytaps = random_taps(out_h, in_h), *xtaps = random_taps(out_w, in_w);
  float *scratch = blank(in_w + 2 * out_w);
#define MIXED(p, y, x)                         \
  ((double)(p)[(y) * in_w + (size_t)(x).low] + \
   (double)(x).weight * ((double)(p)[(y) * in_w + (size_t)(x).high] - (double)(p)[(y) * in_w + (size_t)(x).low]))
  for (size_t i = 0; i < n; i++) {
    const float *plane = in + i / out_w / out_h * in_h * in_w;
    ck_tap y = ytaps[i / out_w % out_h], x = xtaps[i % out_w];
    double low = MIXED(plane, (size_t)y.low, x), high = MIXED(plane, (size_t)y.high, x);
    expected[i] = low + (double)y.weight * (high - low);
  }
  at("ck_resize_bilinear_f32", "%zu planes, %zux%zu to %zux%zu", planes, in_h, in_w, out_h, out_w);
  ck_resize_bilinear_f32(in, planes, in_h, in_w, ytaps, xtaps, scratch, out, out_h, out_w);
  expect(expected, out, n, 0, 4e-7);

  size_t channels = random_size(1, 2 * ck_block_size() + 1), in_area = in_h * in_w, area = out_h * out_w;
  size_t blocks = block_count(channels), begin = random_size(0, blocks), end = random_size(begin, blocks),
         size = ck_block_size();
  float *dense = floats(channels * in_area, -1, 1), *block = blocked(dense, channels, in_area);
  float *to = blank(blocked_size(channels, area));
  double *wanted = zeros(channels * area);
  for (size_t i = 0; i < channels * area; i++) {
    const float *plane = dense + i / area * in_area;
    ck_tap y = ytaps[i / out_w % out_h], x = xtaps[i % out_w];
    double low = MIXED(plane, (size_t)y.low, x), high = MIXED(plane, (size_t)y.high, x);
    wanted[i] = low + (double)y.weight * (high - low);
  }
#undef MIXED
  double *in_blocks = blocked_doubles(wanted, channels, area);
  for (size_t i = 0; i < blocks * area * size; i++) {
    if (i < begin * area * size || i >= end * area * size) in_blocks[i] = UNTOUCHED;
  }
  at("ck_block_resize_f32", "%zu channels, blocks %zu to %zu, %zux%zu to %zux%zu", channels, begin, end, in_h, in_w,
     out_h, out_w);
  ck_block_resize_f32(block, in_h, in_w, ytaps, xtaps, to, out_h, out_w, begin, end);
  expect(in_blocks, to, blocked_size(channels, area), 0, 4e-7);
}

void check_moves(void) {
  for (size_t turn = 0; turn < 60; turn++) {
    check_copy(), release();
    for (int mode = 0; mode < 3; mode++) check_pad((ck_pad_mode)mode), release();
    check_blocks(), release();
    check_rows_of_blocks(), release();
    check_resize(), release();
  }
}
