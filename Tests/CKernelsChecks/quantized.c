// uint8 NCHWc images. Accumulators are integers and exact. The requantization rounds once in single precision, so a
// result next to a tie may be either neighbor. Outputs outside of the requested range must not change.
#include "plain.h"

enum { FILL = 0xA5 };

static uint8_t *bytes(size_t n) {
  uint8_t *p = take(n);
  for (size_t i = 0; i < n; i++) p[i] = (uint8_t)random_bits();
  return p;
}

static uint8_t *blank_bytes(size_t n) {
  uint8_t *p = take(n);
  memset(p, FILL, n);
  return p;
}

static size_t int8_blocks(size_t channels) { return (channels + ck_int8_block_size() - 1) / ck_int8_block_size(); }

/// The index of a channel's position in uint8 blocks.
static size_t place_of(size_t channel, size_t position, size_t area) {
  size_t size = ck_int8_block_size();
  return (channel / size * area + position) * size + channel % size;
}

/// Converts dense [channels, area] to blocks.
static uint8_t *in_blocks(const uint8_t *dense, size_t channels, size_t area) {
  size_t size = ck_int8_block_size();
  uint8_t *p = take(int8_blocks(channels) * size * area);
  for (size_t block = 0; block < int8_blocks(channels); block++) {
    size_t first = block * size, here = channels - first < size ? channels - first : size;
    ck_int8_block(dense + first * area, here, area, 0, p + first * area);
  }
  return p;
}

static ck_int8_quantization random_steps(void) {
  ck_int8_quantization s = {.low = -(int32_t)random_size(0, 255)};
  s.least = s.low + (int32_t)random_size(0, 60), s.greatest = s.low + (int32_t)random_size(200, 255);
  if (random_bool()) s.table = bytes(256);
  return s;
}

/// Whether `found` is a valid result for `value`, in multiples of the scale.
static bool may_be(double value, ck_int8_quantization s, uint8_t found) {
  for (int side = -1; side <= 1; side += 2) {
    double step = nearbyint(value + side * 1e-3);
    step = step < s.least ? s.least : step > s.greatest ? s.greatest : step;
    uint8_t byte = (uint8_t)((int32_t)step - s.low);
    if (found == (s.table ? s.table[byte] : byte)) return true;
  }
  return false;
}

/// Accumulator parameters with which most results are inside the quantized range.
struct sums {
  int32_t *starts;
  float *scales, *shifts;
};

static struct sums random_sums(size_t outputs, size_t filter, int32_t low, const float *whole) {
  size_t padded = int8_blocks(outputs) * ck_int8_block_size();
  struct sums s = {take(padded * sizeof(int32_t)), floats(padded, 0.2, 1), floats(padded, -9, 9)};
  for (size_t c = 0; c < padded; c++) {
    s.starts[c] = 0;
    s.scales[c] /= 100 * sqrtf((float)filter) + 1;
    for (size_t i = c * filter; c < outputs && i < (c + 1) * filter; i++) s.starts[c] += low * (int32_t)whole[i];
  }
  return s;
}

static float *whole_numbers(size_t n) {
  float *p = floats(n, -128, 127);
  for (size_t i = 0; i < n; i++) p[i] = roundf(p[i]);
  return p;
}

/// The result of a convolution in multiples of the scale. `nothing` is the byte of zero.
static double *expected_steps(const ck_window *w, const uint8_t *x, uint8_t nothing, const float *whole, struct sums s) {
  size_t n = (size_t)w->in_channels * in_area(w), area = out_area(w);
  float *numbers = blank(n);
  for (size_t i = 0; i < n; i++) numbers[i] = (float)x[i] - (float)nothing;
  double *steps = plain_conv(w, numbers, whole);
  for (size_t i = 0; i < (size_t)w->out_channels * area; i++) {
    steps[i] = steps[i] * (double)s.scales[i / area] + (double)s.shifts[i / area];
  }
  return steps;
}

static void expect_steps(
    const double *steps, ck_int8_quantization s, const uint8_t *found, size_t channels, size_t first, size_t last, const ck_window *w,
    size_t row_begin, size_t row_end) {
  size_t area = out_area(w);
  bool holds = true;
  for (size_t c = 0; c < channels; c++) {
    for (size_t p = 0; p < area; p++) {
      size_t row = p / (size_t)w->out_w;
      bool named = c >= first && c < last && row >= row_begin && row < row_end;
      uint8_t byte = found[place_of(c, p, area)];
      holds &= named ? may_be(steps[c * area + p], s, byte) : byte == FILL;
    }
  }
  expect_true(holds, "every byte matches its accumulator");
}

static void check_conv(void) {
  bool planes = random_size(0, 3) == 0;
  size_t inputs = random_size(1, planes ? 9 : 150), outputs = random_size(1, 150);
  struct window_kind kinds[] = {{false, true, 4, 3, 9, 40}, {false, false, 5, 2, 12, 30}, {false, false, 1, 1, 9, 30}};
  ck_window w = random_window(kinds[random_size(0, 2)], inputs, outputs, 1);
  size_t filter = filter_size(&w), units = ck_block_conv_units(&w), area = out_area(&w);
  uint8_t *x = bytes(inputs * in_area(&w)), nothing = (uint8_t)random_bits();
  float *whole = whole_numbers(outputs * filter), *packed = blank(ck_block_conv_i8_packed_size(&w));
  struct sums s = random_sums(outputs, filter, -(int32_t)nothing, whole);
  ck_int8_quantization steps = random_steps();
  size_t unit_begin = random_bool() ? 0 : random_size(0, units), unit_end = random_bool() ? units : random_size(unit_begin, units);
  size_t row_begin = random_size(0, (size_t)w.out_h), row_end = random_size(row_begin, (size_t)w.out_h);
  at("ck_int8_conv", "%s, nothing is %d, steps %d to %d from %d%s%s", window_text(&w), nothing, steps.least, steps.greatest, steps.low,
     planes ? ", of planes" : "", steps.table ? ", a table" : "");
  for (size_t u = 0; u < units; u++) {
    ck_block_conv_pack_i8(&w, planes, whole + ck_block_conv_unit_channel(&w, u) * filter, (ptrdiff_t)filter, u, u + 1, packed);
  }
  uint8_t *in = in_blocks(x, inputs, in_area(&w));
  const float *image = (const float *)(const void *)in;
  if (planes) {
    size_t rows = ck_int8_planes_size(&w) / (ck_block_conv_i8_image_size(&w) / ck_block_conv_i8_rows(&w) / ck_block_size());
    size_t middle = random_size(0, rows);
    uint8_t flip = (uint8_t)random_bits(), *flipped = take(inputs * in_area(&w));
    for (size_t i = 0; i < inputs * in_area(&w); i++) flipped[i] = x[i] ^ flip;
    float *made = blank(ck_int8_planes_size(&w));
    ck_int8_planes(&w, flipped, flip, nothing, made, 0, middle);
    ck_int8_planes(&w, flipped, flip, nothing, made, middle, rows);
    image = made;
  } else if (!ck_int8_conv_is_plain(&w) || random_bool()) {
    size_t rows = ck_block_conv_i8_rows(&w), middle = random_size(0, rows);
    float *made = blank(ck_block_conv_i8_image_size(&w));
    ck_int8_conv_image(&w, in, nothing, made, 0, middle);
    ck_int8_conv_image(&w, in, nothing, made, middle, rows);
    image = made;
  }
  uint8_t *out = blank_bytes(int8_blocks(outputs) * ck_int8_block_size() * area);
  ck_int8_accumulators sums = {s.starts, s.scales, s.shifts};
  ck_int8_conv(&w, planes, image, packed, &sums, steps, out, unit_begin, unit_end, row_begin, row_end);
  size_t first = ck_block_conv_unit_channel(&w, unit_begin), last = ck_block_conv_unit_channel(&w, unit_end);
  if (unit_begin == unit_end) first = last;
  expect_steps(expected_steps(&w, x, nothing, whole, s), steps, out, outputs, first, last, &w, row_begin, row_end);
}

static void check_depthwise(void) {
  size_t channels = random_size(1, 150), size = ck_int8_block_size(), blocks = int8_blocks(channels);
  struct window_kind kinds[] = {{false, true, 4, 3, 9, 30}, {false, false, 7, 2, 12, 30}};
  ck_window w = random_window(kinds[random_size(0, 1)], channels, channels, channels);
  size_t taps = kernel_area(&w), area = out_area(&w), begin = random_size(0, blocks), end = random_size(begin, blocks);
  size_t row_begin = random_size(0, (size_t)w.out_h), row_end = random_size(row_begin, (size_t)w.out_h);
  uint8_t *x = bytes(channels * in_area(&w)), nothing = (uint8_t)random_bits();
  float *whole = whole_numbers(channels * taps);
  struct sums s = random_sums(channels, taps, -(int32_t)nothing, whole);
  ck_int8_quantization steps = random_steps();
  int8_t *packed = take(ck_int8_depthwise_packed_size(&w));
  at("ck_int8_depthwise", "%s, nothing is %d, steps %d to %d from %d", window_text(&w), nothing, steps.least, steps.greatest,
     steps.low);
  ck_int8_depthwise_pack(&w, whole, (ptrdiff_t)taps, packed);
  uint8_t *in = in_blocks(x, channels, in_area(&w)), *out = blank_bytes(blocks * size * area);
  uint8_t *scratch = blank_bytes(ck_int8_depthwise_scratch_size(&w));
  ck_int8_accumulators sums = {s.starts, s.scales, s.shifts};
  ck_int8_depthwise(&w, in, nothing, packed, &sums, steps, out, scratch, begin, end, row_begin, row_end);
  size_t last = end * size < channels ? end * size : channels;
  expect_steps(
      expected_steps(&w, x, nothing, whole, s), steps, out, channels, begin * size, last, &w, row_begin, row_end);
}

static void check_add(void) {
  size_t n = random_size(0, 300);
  uint8_t *x = bytes(n), *y = bytes(n), *out = random_bool() ? x : blank_bytes(n), flip = random_bool() ? 0x80 : 0;
  ck_int8_sum sum = {(float)random_real(0.1, 1), (float)random_real(0.1, 1), (float)random_real(-200, 100)};
  ck_int8_quantization steps = random_steps();
  at("ck_int8_add", "%zu bytes, by %g and %g and %g", n, (double)sum.scale_x, (double)sum.scale_y, (double)sum.shift);
  double *expected = zeros(n);
  for (size_t i = 0; i < n; i++) {
    expected[i] = (x[i] ^ flip) * (double)sum.scale_x + (y[i] ^ flip) * (double)sum.scale_y + (double)sum.shift;
  }
  ck_int8_add(x, y, flip, sum, steps, out, n);
  bool holds = true;
  for (size_t i = 0; i < n; i++) holds &= may_be(expected[i], steps, out[i] ^ flip);
  expect_true(holds, "every byte matches its accumulator");
}

static void check_lookup(void) {
  size_t n = random_size(0, 300);
  uint8_t *x = bytes(n), *table = bytes(256), *out = blank_bytes(n), *expected = take(n);
  uint8_t before = (uint8_t)random_bits(), after = (uint8_t)random_bits();
  at("ck_int8_lookup", "%zu bytes", n);
  for (size_t i = 0; i < n; i++) expected[i] = table[x[i] ^ before] ^ after;
  ck_int8_lookup(x, before, table, after, out, n);
  expect_bytes(expected, out, n);
}

static void check_pool(void) {
  size_t channels = random_size(1, 150), size = ck_int8_block_size(), blocks = int8_blocks(channels);
  ck_window w = random_window((struct window_kind){false, true, 4, 3, 9, 30}, channels, channels, channels);
  size_t area = out_area(&w), begin = random_size(0, blocks), end = random_size(begin, blocks);
  size_t row_begin = random_size(0, (size_t)w.out_h), row_end = random_size(row_begin, (size_t)w.out_h);
  uint8_t *x = bytes(channels * in_area(&w)), *out = blank_bytes(blocks * size * area);
  at("ck_int8_max_pool", "%s", window_text(&w));
  ck_int8_max_pool(&w, in_blocks(x, channels, in_area(&w)), out, begin, end, row_begin, row_end);
  bool holds = true;
  for (size_t c = 0; c < channels; c++) {
    for (size_t p = 0; p < area; p++) {
      ptrdiff_t row = (ptrdiff_t)p / w.out_w, column = (ptrdiff_t)p % w.out_w;
      uint8_t greatest = 0;
      for (ptrdiff_t i = 0; i < w.kernel_h; i++) {
        for (ptrdiff_t j = 0; j < w.kernel_w; j++) {
          size_t place;
          if (!plain_tap(&w, 0, row, column, 0, i, j, &place)) continue;
          uint8_t byte = x[c * in_area(&w) + place];
          if (byte > greatest) greatest = byte;
        }
      }
      bool named = c / size >= begin && c / size < end && row >= (ptrdiff_t)row_begin && row < (ptrdiff_t)row_end;
      holds &= out[place_of(c, p, area)] == (named ? greatest : FILL);
    }
  }
  expect_true(holds, "every byte is the greatest of its window");
}

static void check_conversions(void) {
  size_t channels = random_size(1, 150), area = random_size(1, 40), size = ck_int8_block_size(), blocks = int8_blocks(channels);
  size_t begin = random_size(0, blocks), end = random_size(begin, blocks);
  float scale = (float)random_real(0.01, 2), *x = floats(channels * area, -200, 200);
  if (random_bool()) {
    scale = (float)random_size(1, 9) / 10;
    for (size_t i = 0; i < channels * area; i++) x[i] = ((float)random_size(0, 600) - 300) / 2 * scale;
  }
  for (size_t i = 0; i < 3 && random_bool(); i++) {
    x[random_size(0, channels * area - 1)] = (float[]){NAN, INFINITY, -INFINITY, 3e10F}[random_size(0, 3)];
  }
  ck_int8_quantization steps = random_steps();
  steps.table = NULL;
  at("ck_int8_quantize", "%zu channels of %zu, scale %g", channels, area, (double)scale);
  uint8_t *out = blank_bytes(blocks * size * area);
  ck_int8_quantize(blocked(x, channels, area), channels, area, scale, steps, out, begin, end);
  bool holds = true;
  for (size_t c = 0; c < channels; c++) {
    for (size_t p = 0; p < area; p++) {
      float number = x[c * area + p] / scale;
      uint8_t byte = out[place_of(c, p, area)];
      bool named = c / size >= begin && c / size < end;
      // Ties go to even, so this division must be exact.
      float step = fminf(fmaxf(nearbyintf(isnan(number) ? 0 : number), (float)steps.least), (float)steps.greatest);
      holds &= byte == (named ? (uint8_t)((int32_t)step - steps.low) : FILL);
    }
  }
  expect_true(holds, "every byte matches its value");

  at("ck_int8_dequantize", "%zu channels of %zu", channels, area);
  uint8_t *dense = bytes(channels * area), *in = in_blocks(dense, channels, area);
  float *wide = blank(blocked_size(channels, area));
  double *expected = zeros(blocked_size(channels, area));
  size_t lanes = ck_block_size();
  for (size_t i = 0; i < blocked_size(channels, area); i++) {
    size_t channel = i / lanes / area * lanes + i % lanes, p = i / lanes % area;
    bool named = channel / size >= begin && channel / size < end;
    expected[i] = !named               ? UNTOUCHED
                  : channel < channels ? (dense[channel * area + p] + steps.low) * (double)scale
                                       : 0;
  }
  ck_int8_dequantize(in, channels, area, scale, steps.low, wide, begin, end);
  expect(expected, wide, blocked_size(channels, area), 1e-6, 0);

  at("ck_int8_unblock", "%zu channels of %zu", channels, area);
  size_t here = random_size(1, size < channels ? size : channels);
  uint8_t *one = blank_bytes(size * area), *back = blank_bytes(here * area), flip = (uint8_t)random_bits();
  ck_int8_block(dense, here, area, flip, one);
  for (size_t p = 0; p < area; p++) holds &= one[p * size] == (dense[p] ^ flip);
  expect_true(holds, "the first channel is flipped");
  ck_int8_unblock(one, here, area, flip, back);
  expect_bytes(dense, back, here * area);
}

void check_quantized(void) {
  if (!ck_int8_supported()) return;
  for (int i = 0; i < 60; i++) {
    check_conv();
    check_depthwise();
    check_add();
    check_lookup();
    check_pool();
    check_conversions();
    release();
  }
}
