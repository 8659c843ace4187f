// Dense convolutions. The tolerance is 2e-7 per product, plus four more for bias and activation. Data movement is
// exact.
#include "plain.h"

static const struct window_kind flat = {false, true, 4, 3, 9, 40}, deep = {true, true, 3, 2, 5, 20};

static double *finished(const ck_window *w, const ck_epilogue *e, double *sums, size_t begin, size_t end) {
  size_t area = out_area(w);
  for (size_t i = 0; i < (size_t)w->out_channels * area; i++)
    sums[i] = i / area < begin || i / area >= end ? UNTOUCHED : plain_epilogue(e, i / area, sums[i]);
  return sums;
}

static void check_direct(bool depthwise) {
  size_t groups = random_size(1, 4), multiple = random_size(1, 3);
  size_t inputs = depthwise ? groups : groups * random_size(1, 4),
         outputs = groups * (depthwise ? multiple : random_size(1, 11));
  ck_window w = random_window(depthwise || random_bool() ? flat : deep, inputs, outputs, groups);
  float *in = floats(inputs * in_area(&w), -1, 1), *weights = floats(outputs * filter_size(&w), -1, 1);
  float *out = blank(outputs * out_area(&w));
  ck_epilogue e = random_epilogue(outputs);
  size_t begin = random_size(0, outputs), end = random_size(begin, outputs);
  double *expected = finished(&w, &e, plain_conv(&w, in, weights), begin, end);
  at(depthwise ? "ck_depthwise_conv2d_f32" : "ck_conv_direct_f32", "%s, channels %zu to %zu", window_text(&w), begin,
     end);
  (depthwise ? ck_depthwise_conv2d_f32 : ck_conv_direct_f32)(
      &w, in, weights, &e, out, (ptrdiff_t)begin, (ptrdiff_t)end);
  expect(expected, out, outputs * out_area(&w), 2e-6, product_bound(filter_size(&w)));
}

/// The window of a transposed convolution: it slides over the output.
static ck_window turned(ck_window w) {
  ck_window t = w;
  t.in_channels = w.out_channels, t.out_channels = w.in_channels;
  t.in_d = w.out_d, t.in_h = w.out_h, t.in_w = w.out_w, t.out_d = w.in_d, t.out_h = w.in_h, t.out_w = w.in_w;
  return t;
}

static void check_transpose(void) {
  size_t groups = random_size(1, 3), inputs = groups * random_size(1, 4), outputs = groups * random_size(1, 4);
  ck_window slid = random_window(random_bool() ? flat : deep, outputs, inputs, groups), w = turned(slid);
  size_t kernel = kernel_area(&w), own_in = inputs / groups, own_out = outputs / groups;
  float *in = floats(inputs * in_area(&w), -1, 1), *weights = floats(inputs * own_out * kernel, -1, 1);
  float *out = blank(outputs * out_area(&w));
  ck_epilogue e = random_epilogue(outputs);
  double *sums = zeros(outputs * out_area(&w));
  for (size_t i = 0; i < inputs; i++) {
    for (size_t o = 0; o < own_out; o++) {
      double *to = sums + (i / own_in * own_out + o) * out_area(&w);
      for (size_t p = 0; p < in_area(&w); p++) {
        for (size_t t = 0; t < kernel; t++) {
          ptrdiff_t x = (ptrdiff_t)p % w.in_w, y = (ptrdiff_t)p / w.in_w % w.in_h, z = (ptrdiff_t)p / w.in_w / w.in_h;
          ptrdiff_t c = (ptrdiff_t)t % w.kernel_w, b = (ptrdiff_t)t / w.kernel_w % w.kernel_h,
                    a = (ptrdiff_t)t / w.kernel_w / w.kernel_h;
          size_t place;
          if (plain_tap(&slid, z, y, x, a, b, c, &place))
            to[place] += (double)in[i * in_area(&w) + p] * (double)weights[(i * own_out + o) * kernel + t];
        }
      }
    }
  }
  size_t begin = random_size(0, outputs), end = random_size(begin, outputs);
  finished(&w, &e, sums, begin, end);
  at("ck_conv_transpose_f32", "%s, channels %zu to %zu", window_text(&w), begin, end);
  ck_conv_transpose_f32(&w, in, weights, &e, out, (ptrdiff_t)begin, (ptrdiff_t)end);
  expect(sums, out, outputs * out_area(&w), 2e-6, product_bound(own_in * kernel));
}

static void check_columns(void) {
  size_t channels = random_size(1, 3);
  ck_window w = random_window(random_bool() ? flat : deep, channels, channels, 1);
  size_t kernel = kernel_area(&w), all = (size_t)(w.out_d * w.out_h), width = (size_t)w.out_w;
  size_t begin = random_size(0, channels), end = random_size(begin, channels);
  size_t row_begin = random_size(0, all), row_end = random_size(row_begin, all), rows = row_end - row_begin;
  size_t n = (end - begin) * kernel * rows * width;
  float *in = floats(channels * in_area(&w), -1, 1), *columns = blank(n);
  double *expected = zeros(n);
  for (size_t i = 0; i < n; i++) {
    ptrdiff_t x = (ptrdiff_t)(i % width), row = (ptrdiff_t)(row_begin + i / width % rows),
              t = (ptrdiff_t)(i / width / rows % kernel);
    size_t place, channel = begin + i / width / rows / kernel;
    if (plain_tap(
            &w, row / w.out_h, row % w.out_h, x, t / w.kernel_w / w.kernel_h, t / w.kernel_w % w.kernel_h,
            t % w.kernel_w, &place))
      expected[i] = (double)in[channel * in_area(&w) + place];
  }
  at("ck_im2col_f32", "%s, channels %zu to %zu, rows %zu to %zu", window_text(&w), begin, end, row_begin, row_end);
  ck_im2col_f32(&w, in, (ptrdiff_t)begin, (ptrdiff_t)end, (ptrdiff_t)row_begin, (ptrdiff_t)row_end, columns);
  expect(expected, columns, n, 0, 0);

  ck_window t = turned(w);
  size_t positions = in_area(&t);
  float *parts = floats((end - begin) * kernel * positions, -1, 1), *out = blank(channels * out_area(&t));
  double *sums = zeros(channels * out_area(&t));
  for (size_t i = 0; i < channels * out_area(&t); i++)
    sums[i] = i / out_area(&t) < begin || i / out_area(&t) >= end ? UNTOUCHED : 0;
  for (size_t i = 0; i < (end - begin) * kernel * positions; i++) {
    ptrdiff_t p = (ptrdiff_t)(i % positions), k = (ptrdiff_t)(i / positions % kernel);
    size_t place, channel = begin + i / positions / kernel;
    if (plain_tap(
            &w, p / w.out_w / w.out_h, p / w.out_w % w.out_h, p % w.out_w, k / w.kernel_w / w.kernel_h,
            k / w.kernel_w % w.kernel_h, k % w.kernel_w, &place))
      sums[channel * out_area(&t) + place] += (double)parts[i];
  }
  at("ck_col2im_f32", "%s, channels %zu to %zu", window_text(&t), begin, end);
  ck_col2im_f32(&t, parts, out, (ptrdiff_t)begin, (ptrdiff_t)end);
  expect(sums, out, channels * out_area(&t), 0, product_bound(kernel));
}

static void check_epilogue(void) {
  size_t channels = random_size(0, 5), begin = random_size(0, 3), spatial = random_size(0, 40),
         stride = spatial + random_size(0, 5);
  size_t n = channels == 0 ? 0 : (channels - 1) * stride + spatial;
  float *tile = floats(n, -4, 8);
  ck_epilogue e = random_epilogue(begin + channels);
  double *expected = zeros(n);
  for (size_t i = 0; i < n; i++)
    expected[i] = i % stride < spatial ? plain_epilogue(&e, begin + i / stride, (double)tile[i]) : (double)tile[i];
  at("ck_epilogue_f32", "channel %zu, %zu rows of %zu, %zu apart, activation %d", begin, channels, spatial, stride,
     e.activation);
  ck_epilogue_f32(&e, (ptrdiff_t)begin, tile, channels, spatial, stride);
  expect(expected, tile, n, 2e-6, 1e-6);
}

void check_convolutions(void) {
  for (size_t turn = 0; turn < 70; turn++) {
    check_direct(false), release();
    check_direct(true), release();
    check_transpose(), release();
    check_columns(), release();
    check_epilogue(), release();
  }
}
