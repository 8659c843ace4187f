// Unary, binary, comparisons, logic and select. The tolerance of unary functions is 1e-6 of the result and 4e-7 of
// max(|x|, 1). That of sums, products and quotients is one rounding, 6e-8, and that of powers and remainders 1e-6.
// Everything else is exact.
#include "plain.h"

/// Arguments inside a function's domain, and some edge cases.
static float argument_of(ck_unary_op op, size_t i) {
  static const float edges[] = {0, -0.0f, NAN, 3e38f, -3e38f, 1e-40f};
  if (i % 7 == 6) return edges[random_size(0, sizeof edges / sizeof *edges - 1)];
  switch (op) {
    case CK_UNARY_ASIN:
    case CK_UNARY_ACOS:
    case CK_UNARY_ATANH: return (float)random_real(-1, 1);
    case CK_UNARY_ACOSH: return (float)random_real(1, 20);
    case CK_UNARY_SQRT:
    case CK_UNARY_RSQRT:
    case CK_UNARY_LOG:
    case CK_UNARY_LOG1P:
    case CK_UNARY_POW: return (float)random_real(0.01, 20);
    default: return (float)random_real(-12, 12);
  }
}

static double plain_unary_f32(ck_unary_op op, float a, float b, float x) {
  // Sums and products that are rounded before the function is applied.
  switch (op) {
    case CK_UNARY_RECIPROCAL:
    case CK_UNARY_RSQRT:
    case CK_UNARY_LOG: return plain_unary(op, 0, 0, (double)(x + a));
    case CK_UNARY_SCALED_TANH:
    case CK_UNARY_PARAMETRIC_SOFTPLUS: return plain_unary(op, (double)a, 1, (double)(x * b));
    default: return plain_unary(op, (double)a, (double)b, (double)x);
  }
}

static void check_unary(ck_unary_op op, size_t n) {
  float a = (float)random_real(0.1, 2), b = (float)random_real(2, 4);
  if (op == CK_UNARY_POW && random_bool()) a = (float[]){-1, 0, 1, 2}[random_size(0, 3)];
  float *in = floats(n, 0, 0), *out = blank(n);
  double *expected = zeros(n);
  double greatest = 1;
  for (size_t i = 0; i < n; i++) {
    in[i] = argument_of(op, i);
    if (fabsf(in[i]) < 100) greatest = fmax(greatest, fabs((double)in[i]));
    expected[i] = plain_unary_f32(op, a, b, in[i]);
  }
  at("ck_unary_f32", "op %d, alpha %g, beta %g, n %zu", op, (double)a, (double)b, n);
  ck_unary_f32(op, a, b, in, out, n);
  expect(expected, out, n, 1e-6, 4e-7 * greatest);
  ck_unary_f32(op, a, b, in, in, n);
  expect(expected, in, n, 1e-6, 4e-7 * greatest);
}

static void check_unary_per_channel(void) {
  size_t outer = random_size(0, 3), channels = random_size(0, 5), inner = random_size(0, 20),
         n = outer * channels * inner;
  ck_unary_op op = random_bool() ? CK_UNARY_LEAKY_RELU : CK_UNARY_LINEAR;
  float *alpha = floats(channels, -1, 1), *beta = random_bool() ? NULL : floats(channels, -1, 1);
  float *in = floats(n, -2, 2), *out = blank(n);
  double *expected = zeros(n);
  for (size_t i = 0; i < n; i++) {
    size_t c = i / inner % channels;
    expected[i] = plain_unary(op, (double)alpha[c], beta ? (double)beta[c] : 0, (double)in[i]);
  }
  at("ck_unary_per_channel_f32", "op %d, [%zu, %zu, %zu]%s", op, outer, channels, inner, beta ? " with beta" : "");
  ck_unary_per_channel_f32(op, alpha, beta, in, out, outer, channels, inner);
  expect(expected, out, n, 1e-6, 4e-7);
}

static void check_unary_i32(ck_unary_op op, size_t n) {
  int32_t a = (int32_t)random_bits() >> 20, b = a + (int32_t)random_size(0, 5000);
  int32_t *in = integers(n, INT32_MIN, INT32_MAX), *out = integers(n, 7, 7), *expected = integers(n, 7, 7);
  bool known = true;
  for (size_t i = 0; i < n; i++) {
    if (i % 3 == 0) in[i] = (int32_t)random_size(0, 9000) - 4500;
    if (i % 11 == 10) in[i] = INT32_MIN;
    int64_t x = in[i], y = 0;
    switch (op) {
      case CK_UNARY_IDENTITY: y = x; break;
      case CK_UNARY_ABS: y = x < 0 ? -x : x; break;
      case CK_UNARY_NEG: y = -x; break;
      case CK_UNARY_SIGN: y = (x > 0) - (x < 0); break;
      case CK_UNARY_SQUARE: y = (int64_t)((uint64_t)x * (uint64_t)x); break;
      case CK_UNARY_CLIP: y = x < a ? a : x > b ? b : x; break;
      case CK_UNARY_THRESHOLD: y = x < a ? a : x; break;
      case CK_UNARY_RELU: y = x < 0 ? 0 : x; break;
      case CK_UNARY_LINEAR: y = a * x + b; break;
      default: known = false, y = 7;
    }
    expected[i] = (int32_t)(uint32_t)y;
  }
  at("ck_unary_i32", "op %d, alpha %d, beta %d, n %zu", op, a, b, n);
  bool taken = ck_unary_i32(op, a, b, in, out, n);
  if (n > 0) expect_true(taken == known, "it takes just the operations that it names");
  expect_integers(expected, out, n);
}

static double plain_binary(ck_binary_op op, double a, double b) {
  switch (op) {
    case CK_BINARY_ADD: return a + b;
    case CK_BINARY_SUB: return a - b;
    case CK_BINARY_MUL: return a * b;
    case CK_BINARY_DIV: return a / b;
    case CK_BINARY_MAX: return a != a || b != b ? NAN : a > b ? a : b;
    case CK_BINARY_MIN: return a != a || b != b ? NAN : a < b ? a : b;
    case CK_BINARY_POW: return pow(a, b);
    case CK_BINARY_FLOOR_DIV: return b == 0 ? a / b : floor(a / b);
    default: return b == 0 ? NAN : a - b * floor(a / b);
  }
}

static int32_t plain_binary_i32(ck_binary_op op, int64_t a, int64_t b) {
  int64_t quotient = b == 0 ? 0 : a / b, power = 1;
  int64_t floored = b != 0 && a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  switch (op) {
    case CK_BINARY_ADD: return (int32_t)(uint32_t)(a + b);
    case CK_BINARY_SUB: return (int32_t)(uint32_t)(a - b);
    case CK_BINARY_MUL: return (int32_t)(uint32_t)((uint64_t)a * (uint64_t)b);
    case CK_BINARY_DIV: return (int32_t)(uint32_t)quotient;
    case CK_BINARY_MAX: return (int32_t)(a > b ? a : b);
    case CK_BINARY_MIN: return (int32_t)(a < b ? a : b);
    case CK_BINARY_POW:
      if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
      for (int64_t i = 0; i < b; i++) power = (int64_t)(uint32_t)((uint64_t)power * (uint64_t)a);
      return (int32_t)(uint32_t)power;
    case CK_BINARY_FLOOR_DIV: return (int32_t)(uint32_t)floored;
    default: return b == 0 ? 0 : (int32_t)(a - b * floored);
  }
}

static void check_binary(ck_binary_op op) {
  size_t rank;
  ptrdiff_t shape[CK_MAX_RANK];
  size_t n = random_shape(&rank, shape);
  struct view a = random_view(rank, shape, VIEW_REPEATS), b = random_view(rank, shape, VIEW_REPEATS);
  float *x = floats(a.span, op == CK_BINARY_POW ? 0.1 : -9, 9), *y = floats(b.span, -4, 4), *out = blank(n);
  double *expected = zeros(n);
  for (size_t i = 5; i < a.span && op != CK_BINARY_POW; i += 11)
    x[i] = (float[]){NAN, 0, INFINITY, 4}[random_size(0, 3)];
  for (size_t i = 3; i < b.span && op < CK_BINARY_POW; i += 13) y[i] = (float[]){NAN, 0, -2, 2}[random_size(0, 3)];
  for (size_t i = 0; i < n; i++) {
    float v = x[place_in(&a, rank, shape, i)], w = y[place_in(&b, rank, shape, i)];
    expected[i] = isinf(v) && op >= CK_BINARY_FLOOR_DIV ? NAN : plain_binary(op, (double)v, (double)w);
  }
  at("ck_binary_f32", "op %d, %s", op, shape_in_words(rank, shape));
  expect_true(ck_binary_f32(op, x + a.base, y + b.base, out, rank, shape, a.strides, b.strides), "it is taken");
  expect(expected, out, n, op >= CK_BINARY_POW ? 1e-6 : 6e-8, op == CK_BINARY_MOD ? 1e-6 : 0);

  int32_t *p = integers(a.span, -50, 50), *q = integers(b.span, -6, 6), *result = integers(n, 7, 7),
          *wanted = integers(n, 7, 7);
  for (size_t i = 2; i < a.span; i += 5) p[i] = (int32_t[]){INT32_MIN, INT32_MAX, -7, 65536}[random_size(0, 3)];
  for (size_t i = 0; i < n; i++)
    wanted[i] = plain_binary_i32(op, p[place_in(&a, rank, shape, i)], q[place_in(&b, rank, shape, i)]);
  at("ck_binary_i32", "op %d, %s", op, shape_in_words(rank, shape));
  expect_true(ck_binary_i32(op, p + a.base, q + b.base, result, rank, shape, a.strides, b.strides), "it is taken");
  expect_integers(wanted, result, n);
}

static void check_compare(ck_compare_op op) {
  size_t rank;
  ptrdiff_t shape[CK_MAX_RANK];
  size_t n = random_shape(&rank, shape);
  struct view a = random_view(rank, shape, VIEW_REPEATS), b = random_view(rank, shape, VIEW_REPEATS);
  int32_t *p = integers(a.span, -2, 2), *q = integers(b.span, -2, 2);
  float *x = floats(a.span, 0, 0), *y = floats(b.span, 0, 0);
  for (size_t i = 0; i < a.span; i++) x[i] = p[i] == -2 ? NAN : (float)p[i];
  for (size_t i = 0; i < b.span; i++) y[i] = (float)q[i];
  uint8_t *out = take(n), *expected = take(n), *expected_i32 = take(n);
#define COMPARED(v, w)            \
  (op == CK_COMPARE_EQ   ? v == w \
   : op == CK_COMPARE_NE ? v != w \
   : op == CK_COMPARE_LT ? v < w  \
   : op == CK_COMPARE_LE ? v <= w \
   : op == CK_COMPARE_GT ? v > w  \
                         : v >= w)
  for (size_t i = 0; i < n; i++) {
    size_t j = place_in(&a, rank, shape, i), k = place_in(&b, rank, shape, i);
    expected[i] = COMPARED(x[j], y[k]), expected_i32[i] = COMPARED(p[j], q[k]);
  }
#undef COMPARED
  at("ck_compare_f32", "op %d, %s", op, shape_in_words(rank, shape));
  expect_true(ck_compare_f32(op, x + a.base, y + b.base, out, rank, shape, a.strides, b.strides), "it is taken");
  expect_bytes(expected, out, n);
  at("ck_compare_i32", "op %d, %s", op, shape_in_words(rank, shape));
  expect_true(ck_compare_i32(op, p + a.base, q + b.base, out, rank, shape, a.strides, b.strides), "it is taken");
  expect_bytes(expected_i32, out, n);
}

static uint8_t *bytes_of(size_t n, uint8_t most) {
  uint8_t *p = take(n);
  for (size_t i = 0; i < n; i++) p[i] = (uint8_t)random_size(0, most);
  return p;
}

static void check_logic(void) {
  size_t rank;
  ptrdiff_t shape[CK_MAX_RANK];
  size_t n = random_shape(&rank, shape), size = (size_t)1 << random_size(0, 3);
  struct view a = random_view(rank, shape, VIEW_REPEATS), b = random_view(rank, shape, VIEW_REPEATS);
  struct view c = random_view(rank, shape, VIEW_REPEATS);
  uint8_t *x = bytes_of(a.span, 2), *y = bytes_of(b.span, 2), *out = take(n), *expected = take(n);
  for (int op = 0; op < CK_LOGICAL_COUNT; op++) {
    for (size_t i = 0; i < n; i++) {
      bool v = x[place_in(&a, rank, shape, i)] != 0, w = y[place_in(&b, rank, shape, i)] != 0;
      expected[i] = op == CK_LOGICAL_AND ? v && w : op == CK_LOGICAL_OR ? v || w : v != w;
    }
    at("ck_logical_u8", "op %d, %s", op, shape_in_words(rank, shape));
    expect_true(
        ck_logical_u8((ck_logical_op)op, x + a.base, y + b.base, out, rank, shape, a.strides, b.strides),
        "it is taken");
    expect_bytes(expected, out, n);
  }
  at("ck_logical_not_u8", "n %zu", n);
  for (size_t i = 0; i < n; i++) expected[i] = !out[i];
  ck_logical_not_u8(out, out, n);
  expect_bytes(expected, out, n);

  uint8_t *condition = bytes_of(c.span, 2), *p = bytes_of(a.span * size, 255), *q = bytes_of(b.span * size, 255);
  uint8_t *wide = take(n * size), *wanted = take(n * size);
  for (size_t i = 0; i < n; i++) {
    bool first = condition[place_in(&c, rank, shape, i)];
    const uint8_t *from = first ? p + place_in(&a, rank, shape, i) * size : q + place_in(&b, rank, shape, i) * size;
    memcpy(wanted + i * size, from, size);
  }
  at("ck_select", "%zu bytes, %s", size, shape_in_words(rank, shape));
  bool taken = ck_select(
      size, condition + c.base, p + a.base * size, q + b.base * size, wide, rank, shape, c.strides, a.strides,
      b.strides);
  expect_true(taken, "it is taken");
  expect_bytes(wanted, wide, n * size);
  expect_true(
      !ck_select(3, condition, p, q, wide, rank, shape, c.strides, a.strides, b.strides), "3 bytes are refused");
}

void check_elementwise(void) {
  for (int op = 0; op < CK_UNARY_COUNT; op++) {
    for (size_t turn = 0; turn < 8; turn++) {
      check_unary((ck_unary_op)op, turn < 2 ? turn : random_size(2, 90));
      check_unary_i32((ck_unary_op)op, turn < 2 ? turn : random_size(2, 50));
      release();
    }
  }
  for (size_t turn = 0; turn < 20; turn++) check_unary_per_channel(), release();
  for (size_t turn = 0; turn < 25; turn++) {
    for (int op = 0; op < CK_BINARY_COUNT; op++) check_binary((ck_binary_op)op), release();
    for (int op = 0; op < CK_COMPARE_COUNT; op++) check_compare((ck_compare_op)op), release();
    check_logic(), release();
  }
}
