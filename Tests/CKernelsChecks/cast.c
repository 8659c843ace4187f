// Conversions. All are bit-exact, except dequantization and shift-scale. Their tolerance is 1.2e-7 of their operands,
// for a rounded difference and a rounded product.
#include "plain.h"

static void check_f16(void) {
  size_t n = 65536;
  uint16_t *f16 = take(n * 2), *again = take(n * 2);
  float *wide = blank(n);
  double *expected = zeros(n);
  for (size_t i = 0; i < n; i++) f16[i] = (uint16_t)i, expected[i] = plain_half((uint16_t)i);
  at("ck_f16_to_f32", "all halves");
  ck_f16_to_f32(f16, wide, n);
  expect(expected, wide, n, 0, 0);
  at("ck_f32_to_f16", "all halves");
  ck_f32_to_f16(wide, again, n);
  for (size_t i = 0; i < n; i++) {
    if ((i & 0x7c00) == 0x7c00 && i & 0x3ff) again[i] = plain_half(again[i]) != plain_half(again[i]) ? f16[i] : 0;
  }
  expect_bytes(f16, again, n * 2);

  // Values between two fp16 values: the middle, close to the middle, and beyond the maximum.
  for (size_t turn = 0; turn < 40; turn++) {
    n = turn < 3 ? turn : random_size(1, 300);
    float *x = floats(n, -70000, 70000);
    uint16_t *out = take(n * 2), *wanted = take(n * 2);
    double *rounded = zeros(n);
    for (size_t i = 0; i < n; i++) {
      uint16_t half = (uint16_t)random_size(0, 0x7bff);
      double middle = (plain_half(half) + plain_half((uint16_t)(half + 1))) / 2;
      if (i % 3 == 0 && half < 0x7bff) x[i] = (float)middle;
      if (i % 3 == 1 && half < 0x7bff) x[i] = nextafterf((float)middle, random_bool() ? 1e9f : 0);
      if (i % 9 == 8) x[i] = (float)ldexp(random_real(-1, 1), -(int)random_size(0, 30));
      wanted[i] = plain_half_of((double)x[i]), rounded[i] = plain_half(wanted[i]);
    }
    at("ck_f32_to_f16", "n %zu", n);
    ck_f32_to_f16(x, out, n);
    expect_bytes(wanted, out, n * 2);
    at("ck_round_f16_f32", "n %zu", n);
    ck_round_f16_f32(x, n);
    expect(rounded, x, n, 0, 0);
    release();
  }
}

/// An element of a type, as a floating value or an integer.
static void number_of(ck_type type, const void *p, size_t i, double *real, uint64_t *bits, bool *floating) {
  *floating = type <= CK_TYPE_F64, *bits = 0, *real = 0;
  switch (type) {
    case CK_TYPE_F16: *real = plain_half(((const uint16_t *)p)[i]); return;
    case CK_TYPE_F32: *real = (double)((const float *)p)[i]; return;
    case CK_TYPE_F64: *real = ((const double *)p)[i]; return;
    case CK_TYPE_I8: *bits = (uint64_t)((const int8_t *)p)[i]; break;
    case CK_TYPE_U8: *bits = ((const uint8_t *)p)[i]; break;
    case CK_TYPE_I16: *bits = (uint64_t)((const int16_t *)p)[i]; break;
    case CK_TYPE_U16: *bits = ((const uint16_t *)p)[i]; break;
    case CK_TYPE_I32: *bits = (uint64_t)((const int32_t *)p)[i]; break;
    case CK_TYPE_U32: *bits = ((const uint32_t *)p)[i]; break;
    case CK_TYPE_I64: *bits = (uint64_t)((const int64_t *)p)[i]; break;
    case CK_TYPE_U64: *bits = ((const uint64_t *)p)[i]; break;
    default: *bits = ((const uint8_t *)p)[i] != 0;
  }
  *real = type == CK_TYPE_U64 ? (double)*bits : (double)(int64_t)*bits;
}

/// Floating to integer: truncates toward zero and saturates.
static uint64_t whole_of(double x, double least, double limit, uint64_t greatest) {
  if (x != x) return 0;
  if (x >= limit) return greatest;
  if (x < least) return (uint64_t)(int64_t)least;
  return x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
}

static void plain_cast(ck_type from, ck_type to, const void *in, void *out, size_t i) {
  double real;
  uint64_t bits;
  bool floating;
  number_of(from, in, i, &real, &bits, &floating);
  static const struct {
    double least, limit;
    uint64_t greatest;
  } ends[CK_TYPE_COUNT] = {[CK_TYPE_I8] = {-0x1p7, 0x1p7, INT8_MAX},     [CK_TYPE_U8] = {0, 0x1p8, UINT8_MAX},
                           [CK_TYPE_I16] = {-0x1p15, 0x1p15, INT16_MAX}, [CK_TYPE_U16] = {0, 0x1p16, UINT16_MAX},
                           [CK_TYPE_I32] = {-0x1p31, 0x1p31, INT32_MAX}, [CK_TYPE_U32] = {0, 0x1p32, UINT32_MAX},
                           [CK_TYPE_I64] = {-0x1p63, 0x1p63, INT64_MAX}, [CK_TYPE_U64] = {0, 0x1p64, UINT64_MAX}};
  if (to > CK_TYPE_F64 && to < CK_TYPE_BOOL && floating)
    bits = whole_of(real, ends[to].least, ends[to].limit, ends[to].greatest);
  // A 64-bit integer is rounded once.
  float single = floating ? (float)real : from == CK_TYPE_U64 ? (float)bits : (float)(int64_t)bits;
  switch (to) {
    case CK_TYPE_F16: ((uint16_t *)out)[i] = plain_half_of(real); break;
    case CK_TYPE_F32: ((float *)out)[i] = single; break;
    case CK_TYPE_F64: ((double *)out)[i] = real; break;
    case CK_TYPE_BOOL: ((uint8_t *)out)[i] = floating ? real != 0 : bits != 0; break;
    default: memcpy((char *)out + i * ck_type_size(to), &bits, ck_type_size(to));
  }
}

static void check_cast(ck_type from, ck_type to) {
  size_t n = random_size(0, 40), size = ck_type_size(from);
  unsigned char *in = take(n * size);
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = random_bits();
    double real = ldexp(random_real(-1, 1), (int)random_size(0, 66));
    if (i % 8 == 7) real = (double[]){NAN, INFINITY, -INFINITY, -0.0}[random_size(0, 3)];
    float single = (float)real;
    uint16_t half = plain_half_of(ldexp(random_real(-1, 1), (int)random_size(0, 17)));
    const void *source = from == CK_TYPE_F16   ? (void *)&half
                         : from == CK_TYPE_F32 ? (void *)&single
                         : from == CK_TYPE_F64 ? (void *)&real
                                               : (void *)&bits;
    memcpy(in + i * size, source, size);
  }
  size_t bytes = n * ck_type_size(to);
  unsigned char *out = take(bytes), *expected = take(bytes);
  for (size_t i = 0; i < n; i++) plain_cast(from, to, in, expected, i);
  at("ck_cast", "from %d to %d, n %zu", from, to, n);
  expect_true(ck_cast(from, to, in, out, n), "it is taken");
  // NaN has many bit patterns.
  for (size_t i = 0; i < n && to <= CK_TYPE_F64; i++) {
    double a, b;
    uint64_t bits;
    bool floating;
    number_of(to, out, i, &a, &bits, &floating), number_of(to, expected, i, &b, &bits, &floating);
    if (a != a && b != b) memcpy(out + i * ck_type_size(to), expected + i * ck_type_size(to), ck_type_size(to));
  }
  expect_bytes(expected, out, bytes);
}

static void check_quantized(void) {
  size_t outer = random_size(0, 3), channels = random_size(0, 4), inner = random_size(0, 70),
         n = outer * channels * inner;
  bool shifts = random_bool();
  float *scale = floats(channels, 0.05, 2), *x = floats(n, -300, 300), *out = blank(n);
  int8_t *z = take(channels), *codes = take(n);
  uint8_t *unsigned_z = take(channels), *unsigned_codes = take(n);
  for (size_t c = 0; c < channels; c++) z[c] = (int8_t)random_bits(), unsigned_z[c] = (uint8_t)random_bits();
  for (size_t i = 0; i < n; i++) codes[i] = (int8_t)random_bits(), unsigned_codes[i] = (uint8_t)random_bits();
  // Ties, as close as fp32 allows.
  for (size_t i = 0; i < n; i += 3) x[i] = ((float)(int)(x[i] / 2) + 0.5f) * scale[i / inner % channels];
  for (size_t i = 0; i < n; i += 17) x[i] = (float[]){NAN, INFINITY, -INFINITY, 0}[random_size(0, 3)];
  double *wide = zeros(n), *unsigned_wide = zeros(n);
  int8_t *small = take(n), *result = take(n);
  uint8_t *unsigned_small = take(n), *unsigned_result = take(n);
  for (size_t i = 0; i < n; i++) {
    size_t c = i / inner % channels;
    wide[i] = (codes[i] - (shifts ? z[c] : 0)) * (double)scale[c];
    unsigned_wide[i] = (unsigned_codes[i] - (shifts ? unsigned_z[c] : 0)) * (double)scale[c];
    double steps = x[i] != x[i] ? 0 : rint((double)x[i] / (double)scale[c]);
    small[i] = (int8_t)fmin(fmax(steps + (shifts ? z[c] : 0), -128), 127);
    unsigned_small[i] = (uint8_t)fmin(fmax(steps + (shifts ? unsigned_z[c] : 0), 0), 255);
  }
  const char *shape = shifts ? "[%zu, %zu, %zu] with zero points" : "[%zu, %zu, %zu]";
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#define AT(kernel) at(kernel, shape, outer, channels, inner)
  AT("ck_dequantize_i8_f32");
  ck_dequantize_i8_f32(codes, scale, shifts ? z : NULL, out, outer, channels, inner);
  expect(wide, out, n, 1.2e-7, 0);
  AT("ck_dequantize_u8_f32");
  ck_dequantize_u8_f32(unsigned_codes, scale, shifts ? unsigned_z : NULL, out, outer, channels, inner);
  expect(unsigned_wide, out, n, 1.2e-7, 0);
  AT("ck_quantize_f32_i8");
  ck_quantize_f32_i8(x, scale, shifts ? z : NULL, result, outer, channels, inner);
  expect_bytes(small, result, n);
  AT("ck_quantize_f32_u8");
  ck_quantize_f32_u8(x, scale, shifts ? unsigned_z : NULL, unsigned_result, outer, channels, inner);
  expect_bytes(unsigned_small, unsigned_result, n);
#undef AT
#pragma clang diagnostic pop
}

static void check_lookup(size_t bits) {
  size_t n = random_size(0, 200), bytes = (n * bits + 7) / 8;
  uint8_t *indices = take(bytes);
  memset(indices, 0, bytes);
  float *table = floats((size_t)1 << bits, -1, 1), *out = blank(n);
  double *expected = zeros(n);
  for (size_t i = 0; i < n; i++) {
    size_t index = random_size(0, ((size_t)1 << bits) - 1);
    expected[i] = (double)table[index];
    for (size_t b = 0; b < bits; b++) indices[(i * bits + b) / 8] |= (uint8_t)((index >> b & 1) << (i * bits + b) % 8);
  }
  at("ck_lookup_f32", "%zu bits, n %zu", bits, n);
  expect_true(ck_lookup_f32(bits, indices, table, out, n), "it is taken");
  expect(expected, out, n, 0, 0);
  expect_true(
      !ck_lookup_f32(5, indices, table, out, n) && !ck_lookup_f32(0, indices, table, out, n), "5 bits are refused");
}

static void check_shift_scale(void) {
  size_t run = random_bool() ? 1 : random_size(2, 40), first = random_size(0, run - 1), n = random_size(0, 150);
  size_t entries = n == 0 ? 0 : (first + n - 1) / run + 1;
  float *scale = floats(entries, -2, 2), *offset = random_bool() ? floats(entries, -2, 2) : NULL;
  float *x = floats(n, -2, 2), *exactly = take(n * sizeof *x);
  memcpy(exactly, x, n * sizeof *x);
  double *expected = zeros(n);
  for (size_t i = 0; i < n; i++) {
    size_t e = (first + i) / run;
    expected[i] = ((double)x[i] - (offset ? (double)offset[e] : 0)) * (double)scale[e];
  }
  at("ck_shift_scale_f32", "run %zu, first %zu, n %zu%s", run, first, n, offset ? " with offsets" : "");
  ck_shift_scale_f32(x, scale, offset, run, first, n);
  expect(expected, x, n, 1.2e-7, 2.4e-7);
  at("ck_shift_scale_exact_f32", "run %zu, first %zu, n %zu%s", run, first, n, offset ? " with offsets" : "");
  ck_shift_scale_exact_f32(exactly, scale, offset, run, first, n);
  expect(expected, exactly, n, 6e-8, 0);
}

static void check_spread(void) {
  size_t first = random_size(0, 20), n = random_size(0, 120), bytes = (first + n + 7) / 8, used = 0;
  uint8_t *mask = take(bytes);
  for (size_t i = 0; i < bytes; i++) mask[i] = (uint8_t)random_bits();
  for (size_t i = first; i < first + n; i++) used += mask[i / 8] >> i % 8 & 1;
  float *values = floats(used, 1, 2), *out = blank(n);
  double *expected = zeros(n);
  for (size_t i = 0, next = 0; i < n; i++) {
    if (mask[(first + i) / 8] >> (first + i) % 8 & 1) expected[i] = (double)values[next++];
  }
  at("ck_spread_f32", "first %zu, n %zu", first, n);
  expect_true(ck_spread_f32(mask, first, values, out, n) == used, "it tells how many it took");
  expect(expected, out, n, 0, 0);
}

void check_casts(void) {
  check_f16(), release();
  for (int from = 0; from < CK_TYPE_COUNT; from++) {
    for (int to = 0; to < CK_TYPE_COUNT; to++) {
      for (size_t turn = 0; turn < 3; turn++) check_cast((ck_type)from, (ck_type)to), release();
    }
  }
  at("ck_cast", "no type");
  expect_true(
      !ck_cast(CK_TYPE_COUNT, CK_TYPE_F32, "", "", 0) && !ck_cast(CK_TYPE_F32, CK_TYPE_COUNT, "", (char[1]){0}, 0) &&
          ck_type_size(CK_TYPE_COUNT) == 0,
      "it is refused");
  for (size_t turn = 0; turn < 30; turn++) {
    check_quantized(), release();
    for (size_t i = 0; i < 6; i++) check_lookup((size_t[]){1, 2, 3, 4, 6, 8}[i]), release();
    check_shift_scale(), release();
    check_spread(), release();
  }
}
