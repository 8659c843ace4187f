// Reductions, cumulative sums, arg max and arg min. The tolerance of sums is 2e-7 of the sum of magnitudes and 1e-6 of
// the result. Comparisons and integers are exact.
#include "plain.h"

static double plain_reduce(ck_reduce_op op, const float *in, size_t axis, size_t inner, double *magnitude) {
  double sum = 0, greatest = -INFINITY, least = INFINITY, product = 1, absolute = 0, square = 0, powers = 0;
  bool missing = false;
  for (size_t k = 0; k < axis; k++) {
    double x = (double)in[k * inner];
    missing |= x != x;
    sum += x, product *= x, absolute += fabs(x), square += x * x;
    greatest = fmax(greatest, x), least = fmin(least, x);
  }
  for (size_t k = 0; k < axis; k++) powers += exp((double)in[k * inner] - greatest);
  *magnitude = absolute;
  switch (op) {
    case CK_REDUCE_SUM: return sum;
    case CK_REDUCE_MEAN: return *magnitude /= (double)(axis > 0 ? axis : 1), sum / (double)axis;
    case CK_REDUCE_MAX: return *magnitude = 0, missing ? NAN : greatest;
    case CK_REDUCE_MIN: return *magnitude = 0, missing ? NAN : least;
    case CK_REDUCE_PROD: return *magnitude = 0, product;
    case CK_REDUCE_L1: return absolute;
    case CK_REDUCE_L2: return sqrt(square);
    case CK_REDUCE_SUM_SQUARE: return square;
    case CK_REDUCE_LOG_SUM: return *magnitude = 2, log(sum);
    default: return *magnitude = 2, axis == 0 ? -INFINITY : greatest == INFINITY ? INFINITY : greatest + log(powers);
  }
}

static int32_t plain_reduce_i32(ck_reduce_op op, const int32_t *in, size_t axis, size_t inner) {
  uint32_t sum = 0, product = 1, absolute = 0, square = 0;
  int64_t total = 0;
  int32_t greatest = INT32_MIN, least = INT32_MAX;
  for (size_t k = 0; k < axis; k++) {
    int32_t x = in[k * inner];
    uint32_t u = (uint32_t)x;
    total += x, sum += u, product *= u, square += u * u, absolute += x < 0 ? 0 - u : u;
    greatest = x > greatest ? x : greatest, least = x < least ? x : least;
  }
  switch (op) {
    case CK_REDUCE_SUM: return (int32_t)sum;
    case CK_REDUCE_MEAN: return axis == 0 ? 0 : (int32_t)(total / (int64_t)axis);
    case CK_REDUCE_MAX: return greatest;
    case CK_REDUCE_MIN: return least;
    case CK_REDUCE_PROD: return (int32_t)product;
    case CK_REDUCE_L1: return (int32_t)absolute;
    default: return (int32_t)square;
  }
}

struct axes {
  size_t outer, axis, inner;
};

static struct axes random_axes(size_t least) {
  struct axes a = {random_size(0, 4), random_size(least, random_bool() ? 12 : 700), 1};
  // Up to more than two column tiles of the widest set, 64.
  if (random_bool()) a.inner = random_size(0, random_bool() ? 40 : 150);
  return a;
}

static void check_reduce(ck_reduce_op op) {
  struct axes a = random_axes(0);
  size_t results = a.outer * a.inner, n = results * a.axis;
  bool narrow = op == CK_REDUCE_PROD || op == CK_REDUCE_LOG_SUM;
  float *in = floats(n, narrow ? 0.9 : -3, narrow ? 1.1 : 3), *out = blank(results);
  for (size_t i = 3; (op == CK_REDUCE_MAX || op == CK_REDUCE_MIN) && i < n; i += 211) in[i] = NAN;
  double *expected = zeros(results), most = 0, magnitude;
  for (size_t i = 0; i < results; i++) {
    expected[i] = plain_reduce(op, in + i / a.inner * a.axis * a.inner + i % a.inner, a.axis, a.inner, &magnitude);
    most = fmax(most, magnitude);
  }
  at("ck_reduce_f32", "op %d, [%zu, %zu, %zu]", op, a.outer, a.axis, a.inner);
  ck_reduce_f32(op, in, out, a.outer, a.axis, a.inner);
  expect(expected, out, results, op == CK_REDUCE_PROD ? 1e-4 : 1e-6, 2e-7 * most);

  int32_t *whole = integers(n, -70000, 70000), *found = integers(results, 7, 7), *wanted = integers(results, 7, 7);
  bool known = op == CK_REDUCE_SUM || op == CK_REDUCE_MEAN || op == CK_REDUCE_MAX || op == CK_REDUCE_MIN ||
               op == CK_REDUCE_PROD || op == CK_REDUCE_L1 || op == CK_REDUCE_SUM_SQUARE;
  for (size_t i = 0; known && i < results; i++)
    wanted[i] = plain_reduce_i32(op, whole + i / a.inner * a.axis * a.inner + i % a.inner, a.axis, a.inner);
  // The mean uses the sum before wrapping, so these inputs do not wrap.
  at("ck_reduce_i32", "op %d, [%zu, %zu, %zu]", op, a.outer, a.axis, a.inner);
  expect_true(ck_reduce_i32(op, whole, found, a.outer, a.axis, a.inner) == known, "it takes just what it names");
  expect_integers(wanted, found, results);
}

static void check_arg(ck_arg_op op) {
  struct axes a = random_axes(1);
  size_t results = a.outer * a.inner, n = results * a.axis;
  int32_t *whole = integers(n, -9, 9), *out = integers(results, -7, -7), *expected = integers(results, 0, 0);
  int32_t *expected_whole = integers(results, 0, 0);
  float *in = floats(n, 0, 0);
  for (size_t i = 0; i < n; i++) in[i] = random_size(0, 200) == 0 ? NAN : (float)whole[i] / 2;
  for (size_t i = 0; i < results; i++) {
    size_t begin = i / a.inner * a.axis * a.inner + i % a.inner;
    for (size_t k = 1; k < a.axis; k++) {
      float x = in[begin + k * a.inner], best = in[begin + (size_t)expected[i] * a.inner];
      if (best == best && (x != x || (op == CK_ARG_MAX ? x > best : x < best))) expected[i] = (int32_t)k;
      int32_t y = whole[begin + k * a.inner], most = whole[begin + (size_t)expected_whole[i] * a.inner];
      if (op == CK_ARG_MAX ? y > most : y < most) expected_whole[i] = (int32_t)k;
    }
  }
  at("ck_reduce_arg_f32", "op %d, [%zu, %zu, %zu]", op, a.outer, a.axis, a.inner);
  ck_reduce_arg_f32(op, in, out, a.outer, a.axis, a.inner);
  expect_integers(expected, out, results);
  at("ck_reduce_arg_i32", "op %d, [%zu, %zu, %zu]", op, a.outer, a.axis, a.inner);
  ck_reduce_arg_i32(op, whole, out, a.outer, a.axis, a.inner);
  expect_integers(expected_whole, out, results);
}

static void check_cumsum(bool exclusive, bool reverse) {
  struct axes a = random_axes(0);
  size_t n = a.outer * a.axis * a.inner;
  float *in = floats(n, -2, 2), *out = blank(n);
  // Few special values, so that a line has one, several or none.
  const float special[] = {INFINITY, -INFINITY, NAN};
  for (size_t k = random_size(0, 8); n > 0 && k > 0; k--) in[random_size(0, n - 1)] = special[random_size(0, 2)];
  int32_t *whole = integers(n, INT32_MIN, INT32_MAX), *found = integers(n, 7, 7), *wanted = integers(n, 7, 7);
  double *expected = zeros(n);
  for (size_t o = 0; o < a.outer; o++) {
    for (size_t i = 0; i < a.inner; i++) {
      double sum = 0;
      uint32_t total = 0;
      for (size_t k = 0; k < a.axis; k++) {
        size_t place = (o * a.axis + (reverse ? a.axis - 1 - k : k)) * a.inner + i;
        if (exclusive) expected[place] = sum, wanted[place] = (int32_t)total;
        sum += (double)in[place], total += (uint32_t)whole[place];
        if (!exclusive) expected[place] = sum, wanted[place] = (int32_t)total;
      }
    }
  }
  at("ck_cumsum_f32", "[%zu, %zu, %zu]%s%s", a.outer, a.axis, a.inner, exclusive ? " exclusive" : "",
     reverse ? " reverse" : "");
  ck_cumsum_f32(in, out, a.outer, a.axis, a.inner, exclusive, reverse);
  expect(expected, out, n, 1e-7, 1e-12);
  ck_cumsum_f32(in, in, a.outer, a.axis, a.inner, exclusive, reverse);
  expect(expected, in, n, 1e-7, 1e-12);
  at("ck_cumsum_i32", "[%zu, %zu, %zu]%s%s", a.outer, a.axis, a.inner, exclusive ? " exclusive" : "",
     reverse ? " reverse" : "");
  ck_cumsum_i32(whole, found, a.outer, a.axis, a.inner, exclusive, reverse);
  expect_integers(wanted, found, n);
}

void check_reductions(void) {
  for (size_t turn = 0; turn < 20; turn++) {
    for (int op = 0; op < CK_REDUCE_COUNT; op++) check_reduce((ck_reduce_op)op), release();
    check_arg(CK_ARG_MAX), release();
    check_arg(CK_ARG_MIN), release();
    for (int kind = 0; kind < 4; kind++) check_cumsum(kind & 1, kind & 2), release();
  }
}
