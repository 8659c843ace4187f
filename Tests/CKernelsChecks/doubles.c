// float64 rows: tolerance 1e-15 per element. The bits of a row do not depend on the other rows.
#include "plain.h"

static void check_doubles(bool distances) {
  size_t rows = random_size(0, 5), columns = random_size(0, 9), depth = random_size(0, 70);
  double *x = reals(rows * depth, -1, 1), *w = reals(columns * depth, -1, 1),
         *bias = random_bool() ? NULL : reals(columns, -1, 1);
  double *out = reals(rows * columns, 9, 9), *again = reals(columns, 9, 9), *expected = zeros(rows * columns);
  if (distances) bias = NULL;
  for (size_t i = 0; i < rows * columns; i++) {
    const double *a = x + i / columns * depth, *b = w + i % columns * depth;
    double sum = bias ? bias[i % columns] : 0;
    for (size_t l = 0; l < depth; l++) sum += distances ? (a[l] - b[l]) * (a[l] - b[l]) : a[l] * b[l];
    expected[i] = sum;
  }
  at(distances ? "ck_distances_f64" : "ck_linear_f64", "%zu rows, %zu columns, depth %zu%s", rows, columns, depth,
     bias ? " with a bias" : "");
  if (distances)
    ck_distances_f64(x, w, out, rows, columns, depth);
  else
    ck_linear_f64(x, w, bias, out, rows, columns, depth);
  expect_doubles(expected, out, rows * columns, 0, 1e-15 * (double)(4 * depth + 4));
  for (size_t r = 0; r < rows; r++) {
    if (distances)
      ck_distances_f64(x + r * depth, w, again, 1, columns, depth);
    else
      ck_linear_f64(x + r * depth, w, bias, again, 1, columns, depth);
    expect_bytes(out + r * columns, again, columns * sizeof *again);
  }
}

static void check_samples(void) {
  size_t count = random_size(0, 9), depth = random_size(0, 70);
  double *x = reals(depth, -1, 1), *out = reals(count, 9, 9), *expected = zeros(count);
  float *samples = floats(count * depth, -1, 1);
  for (size_t i = 0; i < count; i++) {
    for (size_t l = 0; l < depth; l++) {
      double difference = x[l] - (double)samples[i * depth + l];
      expected[i] += difference * difference;
    }
  }
  at("ck_sample_distances_f64", "%zu samples, depth %zu", count, depth);
  ck_sample_distances_f64(x, samples, out, count, depth);
  expect_doubles(expected, out, count, 0, 1e-15 * (double)(4 * depth + 4));
}

void check_rows_of_doubles(void) {
  for (size_t turn = 0; turn < 60; turn++) {
    check_doubles(false), release();
    check_doubles(true), release();
    check_samples(), release();
  }
}
