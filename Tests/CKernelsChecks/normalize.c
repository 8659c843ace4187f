// Softmax and normalization. The tolerance is 3e-6 of the result plus 3e-6, for accumulated sums, roots and
// exponentials.
#include "plain.h"

static void check_softmax(void) {
  size_t outer = random_size(0, 4), axis = random_size(0, random_bool() ? 9 : 300),
         inner = random_bool() ? 1 : random_size(0, 20);
  size_t n = outer * axis * inner;
  float *in = floats(n, -9, 9), *out = blank(n);
  double *expected = zeros(n);
  for (size_t i = 0; i < outer * inner; i++) {
    size_t begin = i / inner * axis * inner + i % inner;
    double most = -INFINITY, sum = 0;
    for (size_t k = 0; k < axis; k++) most = fmax(most, (double)in[begin + k * inner]);
    for (size_t k = 0; k < axis; k++) sum += exp((double)in[begin + k * inner] - most);
    for (size_t k = 0; k < axis; k++) expected[begin + k * inner] = exp((double)in[begin + k * inner] - most) / sum;
  }
  at("ck_softmax_f32", "[%zu, %zu, %zu]", outer, axis, inner);
  ck_softmax_f32(in, out, outer, axis, inner);
  expect(expected, out, n, 3e-6, 1e-9);
  ck_softmax_f32(in, in, outer, axis, inner);
  expect(expected, in, n, 3e-6, 1e-9);
}

static void check_softmax_scaled(void) {
  size_t rows = random_size(0, 5), columns = random_size(0, 150);
  float *in = floats(rows * columns, -9, 9), *mask = random_bool() ? NULL : floats(columns, -3, 0),
        *out = blank(rows * columns);
  float scale = (float)random_real(0.1, 1);
  if (mask && columns > 1) mask[random_size(0, columns - 1)] = -INFINITY;
  bool nothing = rows > 0 && columns > 0 && random_size(0, 5) == 0;
  for (size_t k = 0; nothing && k < columns; k++) in[k] = -INFINITY;
  double *expected = zeros(rows * columns);
  for (size_t r = 0; r < rows; r++) {
    double most = -INFINITY, sum = 0;
#define SCORE(k) ((double)in[r * columns + k] * (double)scale + (mask ? (double)mask[k] : 0))
    for (size_t k = 0; k < columns; k++) most = fmax(most, SCORE(k));
    for (size_t k = 0; k < columns; k++) sum += exp(SCORE(k) - most);
    for (size_t k = 0; k < columns; k++) expected[r * columns + k] = exp(SCORE(k) - most) / sum;
#undef SCORE
  }
  at("ck_softmax_scaled_f32", "[%zu, %zu], scale %g%s", rows, columns, (double)scale, mask ? " with a mask" : "");
  ck_softmax_scaled_f32(in, scale, mask, out, rows, columns);
  expect(expected, out, rows * columns, 3e-6, 1e-9);
}

/// The mean and the mean square of a row.
static void moments(const float *x, size_t n, double *mean, double *square) {
  *mean = *square = 0;
  for (size_t i = 0; i < n; i++) *mean += (double)x[i] / (double)n;
  for (size_t i = 0; i < n; i++) *square += (double)x[i] * (double)x[i];
}

static double variance_of(const float *x, size_t n, double mean) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += ((double)x[i] - mean) * ((double)x[i] - mean);
  return sum / (double)n;
}

static void check_rows(void) {
  size_t rows = random_size(0, 7), columns = random_size(1, random_bool() ? 20 : 1500), n = rows * columns;
  double shift = random_bool() ? 0 : 5;
  float *in = floats(n, shift - 2, shift + 2), *out = blank(n), epsilon = 1e-3f;
  float *gamma = random_bool() ? NULL : floats(columns, -1, 1), *beta = random_bool() ? NULL : floats(columns, -1, 1);
  double *layer = zeros(n), *rms = zeros(n), *l2 = zeros(n);
  for (size_t r = 0; r < rows; r++) {
    const float *x = in + r * columns;
    double mean, square;
    moments(x, columns, &mean, &square);
    double deviation = sqrt(variance_of(x, columns, mean) + (double)epsilon);
    for (size_t i = 0; i < columns; i++) {
      double g = gamma ? (double)gamma[i] : 1, b = beta ? (double)beta[i] : 0, v = (double)x[i];
      layer[r * columns + i] = (v - mean) / deviation * g + b;
      rms[r * columns + i] = v / sqrt(square / (double)columns + (double)epsilon) * g;
      l2[r * columns + i] = v / sqrt(square + (double)epsilon);
    }
  }
  const char *with = gamma ? beta ? " with gamma and beta" : " with gamma" : beta ? " with beta" : "";
  at("ck_layer_norm_f32", "[%zu, %zu]%s", rows, columns, with);
  ck_layer_norm_f32(in, gamma, beta, epsilon, out, rows, columns);
  expect(layer, out, n, 3e-6, 3e-6);
  at("ck_rms_norm_f32", "[%zu, %zu]%s", rows, columns, with);
  ck_rms_norm_f32(in, gamma, epsilon, out, rows, columns);
  expect(rms, out, n, 3e-6, 1e-7);
  at("ck_l2_norm_f32", "[%zu, %zu]", rows, columns);
  ck_l2_norm_f32(in, epsilon, out, rows, columns);
  expect(l2, out, n, 3e-6, 1e-7);
  at("ck_layer_norm_f32", "[%zu, %zu]%s, in place", rows, columns, with);
  ck_layer_norm_f32(in, gamma, beta, epsilon, in, rows, columns);
  expect(layer, in, n, 3e-6, 3e-6);
}

static void check_channels(void) {
  size_t batch = random_size(0, 3), groups = random_size(1, 4), each = random_size(1, 4), channels = groups * each;
  if (random_size(0, 3) == 0) each *= 13;
  channels = groups * each;
  size_t spatial = random_bool() ? 1 : random_size(1, random_bool() ? 9 : 200), n = batch * channels * spatial, part = each * spatial;
  float *in = floats(n, -2, 3), *out = blank(n), epsilon = 1e-3f;
  float *gamma = random_bool() ? NULL : floats(channels, -1, 1), *beta = random_bool() ? NULL : floats(channels, -1, 1);
  float *mean = floats(channels, -1, 1), *variance = floats(channels, 0.1, 2);
  double *group = zeros(n), *each_channel = zeros(n);
  for (size_t i = 0; i < n; i++) {
    size_t c = i / spatial % channels;
    const float *x = in + i / part * part;
    double own, square, g = gamma ? (double)gamma[c] : 1, b = beta ? (double)beta[c] : 0;
    moments(x, part, &own, &square);
    group[i] = ((double)in[i] - own) / sqrt(variance_of(x, part, own) + (double)epsilon) * g + b;
    each_channel[i] = ((double)in[i] - (double)mean[c]) / sqrt((double)variance[c] + (double)epsilon) * g + b;
  }
  at("ck_group_norm_f32", "[%zu, %zu, %zu] in %zu groups", batch, channels, spatial, groups);
  ck_group_norm_f32(in, gamma, beta, epsilon, out, batch, channels, groups, spatial);
  expect(group, out, n, 3e-6, 3e-6);
  at("ck_batch_norm_f32", "[%zu, %zu, %zu]", batch, channels, spatial);
  ck_batch_norm_f32(in, mean, variance, gamma, beta, epsilon, out, batch, channels, spatial);
  expect(each_channel, out, n, 3e-6, 3e-6);
  for (size_t i = 0; i < n; i++) {
    size_t c = i / spatial % channels;
    each_channel[i] = ((double)in[i] - (double)mean[c]) * (gamma ? (double)gamma[c] : 1) + (beta ? (double)beta[c] : 0);
  }
  ck_batch_norm_f32(in, mean, NULL, gamma, beta, epsilon, out, batch, channels, spatial);
  expect(each_channel, out, n, 3e-6, 3e-6);
}

static void check_local_response(void) {
  size_t batch = random_size(0, 2), channels = random_size(1, 9), spatial = random_size(0, 40),
         size = random_size(1, 6);
  size_t n = batch * channels * spatial;
  float *in = floats(n, -2, 2), *out = blank(n), alpha = 0.3f, beta = random_bool() ? 0.75f : 0.6f, k = 1.5f;
  double *expected = zeros(n);
  for (size_t i = 0; i < n; i++) {
    ptrdiff_t c = (ptrdiff_t)(i / spatial % channels);
    double sum = 0;
    for (ptrdiff_t d = c - (ptrdiff_t)(size / 2); d <= c + (ptrdiff_t)((size - 1) / 2); d++) {
      if (d < 0 || d >= (ptrdiff_t)channels) continue;
      double x = (double)in[(ptrdiff_t)i + (d - c) * (ptrdiff_t)spatial];
      sum += x * x;
    }
    expected[i] = (double)in[i] / pow((double)k + (double)alpha / (double)size * sum, (double)beta);
  }
  at("ck_local_response_norm_f32", "[%zu, %zu, %zu], size %zu", batch, channels, spatial, size);
  ck_local_response_norm_f32(in, size, alpha, beta, k, out, batch, channels, spatial);
  expect(expected, out, n, 3e-6, 1e-7);
}

void check_normalisations(void) {
  for (size_t turn = 0; turn < 40; turn++) {
    check_softmax(), release();
    check_softmax_scaled(), release();
    check_rows(), release();
    check_channels(), release();
    check_local_response(), release();
  }
}
