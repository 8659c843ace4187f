// NCHWc convolutions, and operations on whole channels of NCHWc tensors. The tolerance is 2e-7 per product, plus four
// more for the epilogue. Padding lanes are zeros. Outputs outside of the requested range must not change.
#include "plain.h"

/// The arguments of a convolution call, and the expected result.
struct block_case {
  ck_window w;
  bool planes;
  float *weights, *in, *add, *out, *scratch;
  ck_epilogue e;
  size_t units, unit_begin, unit_end, row_begin, row_end;
  double *expected;
};

/// Channels and groups of each kind that the kernels distinguish: one group, whole blocks, groups narrower than a
/// block, any others, one channel per group.
static void random_groups(size_t *inputs, size_t *outputs, size_t *groups) {
  size_t size = ck_block_size();
  *groups = 1, *inputs = random_size(1, 3 * size), *outputs = random_size(1, 5 * size);
  switch (random_size(0, 7)) {
    case 0:
      *groups = random_size(2, 3), *inputs = *groups * size * random_size(1, 2),
      *outputs = *groups * size * random_size(1, 3);
      break;
    case 1: *groups = random_size(2, 9), *inputs = *outputs = *groups * ((size_t)1 << random_size(0, 3)); break;
    case 2:
    case 3:
      *groups = random_size(2, 5), *inputs = *groups * random_size(1, 5), *outputs = *groups * random_size(1, 11);
      break;
    case 4:
      // Several K chunks; rare, because the plain loop takes long.
      if (random_size(0, 5) == 0) *inputs = random_size(400, 700), *outputs = random_size(1, 5);
      break;
    default: break;
  }
}

static void expect_named(struct block_case *s) {
  size_t size = ck_block_size(), outputs = (size_t)s->w.out_channels, area = out_area(&s->w);
  double *sums = plain_conv(&s->w, s->in, s->weights);
  s->expected = zeros(blocked_size(outputs, area));
  size_t first = ck_block_conv_unit_channel(&s->w, s->unit_begin),
         last = ck_block_conv_unit_channel(&s->w, s->unit_end);
  for (size_t i = 0; i < blocked_size(outputs, area); i++) {
    size_t channel = i / size / area * size + i % size, p = i / size % area, row = p / (size_t)s->w.out_w;
    // A unit is whole blocks, so the padding lanes after the last channel belong to it.
    bool named = channel >= first && (channel < last || last == outputs) && row >= s->row_begin && row < s->row_end;
    if (s->unit_begin == s->unit_end) named = false;
    double add = s->add ? (double)s->add[i] : 0;
    s->expected[i] = !named              ? UNTOUCHED
                     : channel < outputs ? plain_epilogue(&s->e, channel, sums[channel * area + p] + add)
                                         : 0;
  }
}

static struct block_case random_case(bool one_by_one) {
  struct block_case s = {0};
  size_t inputs, outputs, groups;
  random_groups(&inputs, &outputs, &groups);
  s.planes = random_size(0, 3) == 0;
  if (s.planes) groups = 1, inputs = random_size(1, 5);
  struct window_kind kinds[] = {{false, true, 4, 3, 9, 40}, {false, false, 7, 2, 12, 30}, {false, true, 3, 1, 30, 30}};
  s.w = random_window(kinds[random_size(0, 2)], inputs, outputs, groups);
  // Lines of narrow groups are processed in several bands.
  if (groups > 1 && random_size(0, 7) == 0) s.w = random_window((struct window_kind){false, true, 3, 2, 120, 24}, inputs, outputs, groups);
  if (one_by_one)
    s.w = random_window((struct window_kind){false, false, 1, random_size(1, 2), 9, 30}, inputs, outputs, groups),
    s.w.pad_h = s.w.pad_w = 0;
  if (one_by_one) s.w.out_h = (s.w.in_h - 1) / s.w.stride_h + 1, s.w.out_w = (s.w.in_w - 1) / s.w.stride_w + 1;
  s.weights = floats(outputs * filter_size(&s.w), -1, 1);
  for (size_t i = 0; i < outputs * filter_size(&s.w); i++)
    s.weights[i] = (float)plain_half(plain_half_of((double)s.weights[i]));
  s.in = floats(inputs * in_area(&s.w), -1, 1);
  s.e = random_epilogue(outputs);
  s.units = ck_block_conv_units(&s.w);
  s.unit_begin = random_bool() ? 0 : random_size(0, s.units),
  s.unit_end = random_bool() ? s.units : random_size(s.unit_begin, s.units);
  s.row_begin = random_bool() ? 0 : random_size(0, (size_t)s.w.out_h);
  s.row_end = random_bool() ? (size_t)s.w.out_h : random_size(s.row_begin, (size_t)s.w.out_h);
  if (random_bool()) s.add = blocked(floats(outputs * out_area(&s.w), -1, 1), outputs, out_area(&s.w));
  s.out = blank(blocked_size(outputs, out_area(&s.w)));
  return s;
}

static const char *case_text(const struct block_case *s) {
  static char text[256];
  snprintf(
      text, sizeof text, "%s%s, units %zu to %zu of %zu, rows %zu to %zu, activation %d%s", window_text(&s->w),
      s->planes ? ", of planes" : "", s->unit_begin, s->unit_end, s->units, s->row_begin, s->row_end, s->e.activation,
      s->add ? ", with an addend" : "");
  return text;
}

/// Packs the weights unit after unit, as threads do.
static float *packed_weights(const struct block_case *s, size_t parts) {
  float *packed = blank(ck_block_conv_packed_size(&s->w));
  ptrdiff_t row = (ptrdiff_t)filter_size(&s->w);
  for (size_t unit = 0; unit < s->units; unit += parts) {
    size_t end = unit + parts < s->units ? unit + parts : s->units;
    const float *from = s->weights + (ptrdiff_t)ck_block_conv_unit_channel(&s->w, unit) * row;
    ck_block_conv_pack_f32(&s->w, s->planes, from, row, unit, end, packed);
  }
  return packed;
}

/// fp16 weights give the same bits as the same weights in fp32.
static void check_f16(const struct block_case *s, const float *in) {
  size_t n = blocked_size((size_t)s->w.out_channels, out_area(&s->w));
  uint16_t *packed = take(ck_block_conv_packed_size(&s->w) * 2);
  ptrdiff_t row = (ptrdiff_t)filter_size(&s->w);
  float *out = blank(n);
  at("ck_block_conv_f16w_f32", "%s", case_text(s));
  for (size_t u = 0; u < s->units; u++) {
    const float *from = s->weights + (ptrdiff_t)ck_block_conv_unit_channel(&s->w, u) * row;
    ck_block_conv_pack_f16(&s->w, from, row, u, u + 1, packed);
  }
  float *widened = random_bool() ? NULL : blank(ck_block_conv_widened_size(&s->w));
  ck_block_conv_f16w_f32(
      &s->w, in, packed, widened, &s->e, s->add, out, s->scratch, s->unit_begin, s->unit_end, s->row_begin, s->row_end);
  expect_bytes(s->out, out, n * sizeof *out);
}

/// Values of eight bits, which are exact in bf16.
static float *short_numbers(size_t n) {
  float *p = floats(n, -1, 1);
  for (size_t i = 0; i < n; i++) p[i] = roundf(p[i] * 128) / 128;
  return p;
}

/// bf16 convolution, if the set supports it.
static void check_pairs(void) {
  if (!ck_low_precision_supported()) return;
  struct block_case s = random_case(random_bool());
  if (s.planes || s.w.groups != 1) return;
  size_t inputs = (size_t)s.w.in_channels, area = in_area(&s.w), size = ck_block_size();
  size_t pairs = (block_count(inputs) + 1) / 2, middle = random_size(0, pairs);
  s.in = short_numbers(inputs * area), s.weights = short_numbers((size_t)s.w.out_channels * filter_size(&s.w));
  float *paired = blank(pairs * area * size), *in = blocked(s.in, inputs, area);
  float *packed = blank(ck_block_conv_bf16_packed_size(&s.w)), *scratch = blank(ck_block_conv_bf16_scratch_size(&s.w));
  ptrdiff_t row = (ptrdiff_t)filter_size(&s.w);
  at("ck_block_conv_bf16_f32", "%s", case_text(&s));
  ck_block_interleave_bf16(in, inputs, area, paired, 0, middle);
  ck_block_interleave_bf16(in, inputs, area, paired, middle, pairs);
  for (size_t u = 0; u < s.units; u++) {
    const float *from = s.weights + (ptrdiff_t)ck_block_conv_unit_channel(&s.w, u) * row;
    ck_block_conv_pack_bf16(&s.w, from, row, u, u + 1, packed);
  }
  expect_named(&s);
  ck_block_conv_bf16_f32(
      &s.w, paired, packed, &s.e, s.add, s.out, scratch, s.unit_begin, s.unit_end, s.row_begin, s.row_end);
  size_t n = blocked_size((size_t)s.w.out_channels, out_area(&s.w));
  expect(s.expected, s.out, n, 2e-6, product_bound(filter_size(&s.w)));
}

/// int8 convolution, if the set supports it. Products of quantized values and integers are exact until they are scaled.
static void check_int8_dot(void) {
  if (!ck_int8_supported()) return;
  struct block_case s = random_case(random_bool());
  if (s.planes || s.w.groups != 1) return;
  size_t inputs = (size_t)s.w.in_channels, outputs = (size_t)s.w.out_channels, filter = filter_size(&s.w);
  struct step_kind kind = random_step_kind();
  s.in = random_multiples(inputs * in_area(&s.w), kind), s.weights = floats(outputs * filter, -1, 1);
  float *whole = floats(outputs * filter, -1, 1), *scales = blank(block_count(outputs) * ck_block_size());
  int32_t *starts = take(block_count(outputs) * ck_block_size() * sizeof *starts);
  for (size_t c = 0; c < block_count(outputs) * ck_block_size(); c++) {
    float scale = 1 / (float)(64 << c % 3);
    starts[c] = 0, scales[c] = kind.scale * scale;
    for (size_t i = c * filter; c < outputs && i < (c + 1) * filter; i++) {
      whole[i] = roundf(whole[i] * 127 - 0.5F), s.weights[i] = whole[i] * scale, starts[c] += kind.low * (int32_t)whole[i];
    }
  }
  float *in = blocked(s.in, inputs, in_area(&s.w)), *image = blank(ck_block_conv_i8_image_size(&s.w));
  float *packed = blank(ck_block_conv_i8_packed_size(&s.w));
  size_t rows = ck_block_conv_i8_rows(&s.w), middle = random_size(0, rows);
  at("ck_block_conv_i8_f32", "%s, steps of %g from %d", case_text(&s), (double)kind.scale, kind.low);
  ck_block_conv_i8_image(&s.w, in, 1 / kind.scale, kind.low, image, 0, middle);
  ck_block_conv_i8_image(&s.w, in, 1 / kind.scale, kind.low, image, middle, rows);
  for (size_t u = 0; u < s.units; u++) {
    const float *from = whole + ck_block_conv_unit_channel(&s.w, u) * filter;
    ck_block_conv_pack_i8(&s.w, false, from, (ptrdiff_t)filter, u, u + 1, packed);
  }
  expect_named(&s);
  ck_integer_sums sums = {starts, scales};
  ck_block_conv_i8_f32(
      &s.w, image, packed, &sums, &s.e, s.add, s.out, s.unit_begin, s.unit_end, s.row_begin, s.row_end);
  expect(s.expected, s.out, blocked_size(outputs, out_area(&s.w)), 2e-6, product_bound(filter));
}

static void check_conv(void) {
  struct block_case s = random_case(random_size(0, 2) == 0);
  at("ck_block_conv_f32", "%s", case_text(&s));
  expect_true(ck_block_conv_supports(&s.w, s.planes), "it is supported");
  float *packed = packed_weights(&s, random_size(1, 3));
  size_t room = ck_block_conv_scratch_size(&s.w, s.planes);
  s.scratch = blank(room);
  float *in = s.planes ? s.in : blocked(s.in, (size_t)s.w.in_channels, in_area(&s.w));
  expect_named(&s);
  ck_block_conv_f32(
      &s.w, s.planes, in, packed, &s.e, s.add, s.out, s.scratch, s.unit_begin, s.unit_end, s.row_begin, s.row_end);
  expect(
      s.expected, s.out, blocked_size((size_t)s.w.out_channels, out_area(&s.w)), 2e-6,
      product_bound(filter_size(&s.w)));
  if (ck_block_conv_takes_f16(&s.w, s.planes)) check_f16(&s, in);
}

static void check_depthwise(void) {
  size_t size = ck_block_size(), channels = random_size(1, 3 * size), blocks = block_count(channels);
  struct window_kind kinds[] = {{false, true, 4, 3, 9, 30}, {false, false, 7, 2, 12, 30}};
  ck_window w = random_window(kinds[random_size(0, 1)], channels, channels, channels);
  if (random_bool()) {  // kernel sizes with specialized code
    ptrdiff_t side = (ptrdiff_t[]){3, 5, 7}[random_size(0, 2)];
    w.kernel_h = w.kernel_w = side, w.dilation_h = w.dilation_w = 1, w.pad_h = w.pad_w = side / 2;
    w.out_h = (w.in_h + 2 * w.pad_h - side) / w.stride_h + 1, w.out_w = (w.in_w + 2 * w.pad_w - side) / w.stride_w + 1;
  }
  size_t area = out_area(&w), taps = kernel_area(&w), begin = random_size(0, blocks), end = random_size(begin, blocks);
  size_t row_begin = random_size(0, (size_t)w.out_h), row_end = random_size(row_begin, (size_t)w.out_h);
  float *in = floats(channels * in_area(&w), -1, 1), *weights = floats(channels * taps, -1, 1),
        *packed = blank(blocks * size * taps);
  float *add = random_bool() ? NULL : blocked(floats(channels * area, -1, 1), channels, area),
        *out = blank(blocked_size(channels, area));
  ck_epilogue e = random_epilogue(channels);
  double *sums = plain_conv(&w, in, weights), *expected = zeros(blocked_size(channels, area));
  for (size_t i = 0; i < blocked_size(channels, area); i++) {
    size_t c = i / size / area * size + i % size, p = i / size % area, row = p / (size_t)w.out_w;
    bool named = i / size / area >= begin && i / size / area < end && row >= row_begin && row < row_end;
    expected[i] = !named         ? UNTOUCHED
                  : c < channels ? plain_epilogue(&e, c, sums[c * area + p] + (add ? (double)add[i] : 0))
                                 : 0;
  }
  at("ck_block_depthwise_f32", "%s, blocks %zu to %zu, rows %zu to %zu, activation %d", window_text(&w), begin, end,
     row_begin, row_end, e.activation);
  for (size_t b = 0; b < blocks; b++)
    ck_block_depthwise_pack_f32(&w, weights + b * size * taps, (ptrdiff_t)taps, b, b + 1, packed);
  ck_block_depthwise_f32(&w, blocked(in, channels, in_area(&w)), packed, &e, add, out, begin, end, row_begin, row_end);
  expect(expected, out, blocked_size(channels, area), 2e-6, product_bound(taps));
}

static void check_few(void) {
  size_t size = ck_block_size(), channels = random_size(1, 3 * size), outputs = random_size(1, ck_block_small_output_most());
  struct window_kind kind = {false, false, 5, 3, 14, 60};
  ck_window w = random_window(kind, channels, outputs, 1);
  size_t area = out_area(&w), taps = kernel_area(&w), filter = channels * taps;
  size_t row_begin = random_size(0, (size_t)w.out_h), row_end = random_size(row_begin, (size_t)w.out_h);
  float *in = floats(channels * in_area(&w), -1, 1), *weights = floats(outputs * filter, -1, 1);
  float *packed = blank(blocked_size(channels, taps) * outputs), *out = blank(outputs * area);
  ck_epilogue e = random_epilogue(outputs);
  double *expected = plain_conv(&w, in, weights);
  for (size_t i = 0; i < outputs * area; i++) {
    size_t row = i % area / (size_t)w.out_w;
    expected[i] = row >= row_begin && row < row_end ? plain_epilogue(&e, i / area, expected[i]) : UNTOUCHED;
  }
  at("ck_block_small_output_f32", "%s, rows %zu to %zu, activation %d", window_text(&w), row_begin, row_end, e.activation);
  for (size_t o = 0; o < outputs; o++) ck_block_small_output_pack_f32(&w, weights + o * filter, o, packed);
  ck_block_small_output_f32(&w, blocked(in, channels, in_area(&w)), packed, &e, out, row_begin, row_end);
  expect(expected, out, outputs * area, 2e-6, product_bound(filter));
}

static void check_channels(void) {
  size_t size = ck_block_size(), channels = random_size(1, 3 * size), blocks = block_count(channels),
         area = random_size(1, 40);
  size_t begin = random_size(0, blocks), end = random_size(begin, blocks), n = blocked_size(channels, area);
  ck_binary_op op = (ck_binary_op)random_size(CK_BINARY_ADD, CK_BINARY_MIN);
  bool first = random_bool();
  float *in = blocked(floats(channels * area, 1, 2), channels, area), *vector = floats(channels, 1, 2), *out = blank(n);
  float *scale = floats(channels, -1, 1), *shift = floats(channels, -1, 1), *affine = blank(n),
        *dense = blank(channels);
  double *expected = zeros(n), *shifted = zeros(n), *means = zeros(channels), *greatest = zeros(channels);
  for (size_t c = 0; c < channels; c++) greatest[c] = -INFINITY;
  for (size_t i = 0; i < n; i++) {
    size_t c = i / size / area * size + i % size;
    bool named = i / size / area >= begin && i / size / area < end;
    if (c < channels) means[c] += (double)in[i] / (double)area, greatest[c] = fmax(greatest[c], (double)in[i]);
    double x = (double)in[i], v = c < channels ? (double)vector[c] : 0, a = first ? v : x, b = first ? x : v;
    double y = op == CK_BINARY_ADD   ? a + b
               : op == CK_BINARY_SUB ? a - b
               : op == CK_BINARY_MUL ? a * b
               : op == CK_BINARY_DIV ? a / b
               : op == CK_BINARY_MAX ? fmax(a, b)
                                     : fmin(a, b);
    expected[i] = !named ? UNTOUCHED : c < channels ? y : 0;
    shifted[i] = !named ? UNTOUCHED : c < channels ? (x - v) * (double)scale[c] + (double)shift[c] : 0;
  }
  for (size_t c = 0; c < channels; c++) {
    if (c / size < begin || c / size >= end) means[c] = greatest[c] = UNTOUCHED;
  }
#define AT(kernel)                                                                                                 \
  at(kernel, "op %d%s, %zu channels, area %zu, blocks %zu to %zu", op, first ? " the vector first" : "", channels, \
     area, begin, end)
  AT("ck_block_channels_binary_f32");
  ck_block_channels_binary_f32(op, first, in, vector, out, channels, area, begin, end);
  expect(expected, out, n, 6e-8, 0);
  AT("ck_block_affine_f32");
  ck_block_affine_f32(in, vector, scale, shift, affine, channels, area, begin, end);
  expect(shifted, affine, n, 2e-7, 2e-7);
  AT("ck_block_reduce_f32, means");
  ck_block_reduce_f32(false, in, dense, channels, area, begin, end);
  expect(means, dense, channels, 1e-6, 0);
  AT("ck_block_reduce_f32, greatest");
  dense = blank(channels);
  ck_block_reduce_f32(true, in, dense, channels, area, begin, end);
  expect(greatest, dense, channels, 0, 0);
  AT("ck_block_clear_f32");
  float *tensor = floats(n, 1, 2);
  for (size_t i = 0; i < n; i++) expected[i] = i / size / area * size + i % size < channels ? (double)tensor[i] : 0;
  ck_block_clear_f32(tensor, channels, area);
  expect(expected, tensor, n, 0, 0);
}

static void check_move(void) {
  size_t size = ck_block_size(), count = random_size(0, 6), area = random_size(0, 40);
  ck_block_part *parts = take(count * sizeof *parts);
  int32_t owner[16], lane[16];
  for (size_t i = 0; i < 16; i++)
    owner[i] = (int32_t)random_size(0, count) - 1, lane[i] = (int32_t)random_size(0, size - 1);
  for (size_t p = 0; p < count; p++) {
    parts[p].in = floats(area * size, -1, 1);
    for (size_t i = 0; i < 16; i++)
      parts[p].lanes[i] = owner[i] == (int32_t)p ? lane[i] : -1 - (int32_t)random_size(0, 20);
  }
  float *out = blank(area * size);
  double *expected = zeros(area * size);
  for (size_t i = 0; i < area * size; i++) {
    int32_t from = owner[i % size];
    if (from >= 0) expected[i] = (double)parts[from].in[i / size * size + (size_t)lane[i % size]];
  }
  at("ck_block_move_f32", "%zu parts, area %zu", count, area);
  ck_block_move_f32(parts, count, out, area);
  expect(expected, out, area * size, 0, 0);
}

void check_blocked(void) {
  for (size_t turn = 0; turn < 150; turn++) {
    check_conv(), release();
    check_pairs(), release();
    check_int8_dot(), release();
    check_depthwise(), release();
    check_few(), release();
    check_channels(), release();
    check_move(), release();
  }
}
