// y[i] = x[i] as another type. FROM and TO are float, half, int or a smaller integer; booleans are uchar, 0 or 1.
// Floating to integer truncates toward zero and saturates; NaN becomes 0. Integers saturate. fp16 rounds to nearest,
// ties to even.
#ifndef CAST
#define FROM float
#define TO int
#define CAST real_to_int
#endif
#ifndef FROM_HALF
#define FROM_HALF 0
#define TO_HALF 0
#endif

// OpenCL C includes loads and stores of fp16, but not fp16 arithmetic.
#if FROM_HALF
#define READ(i) vload_half(x0 + (i), x)
#else
#define READ(i) x[x0 + (i)]
#endif
#if TO_HALF
#define WRITE(i, value) vstore_half_rte(value, y0 + (i), y)
#else
#define WRITE(i, value) y[y0 + (i)] = (TO)(value)
#endif

static int real_to_int(float x) {
  if (x != x) return 0;
  return x >= 2147483648.0f ? INT_MAX : x <= -2147483648.0f ? INT_MIN : (int)x;
}
static int plain_to_int(int x) { return x; }
static char plain_to_int8(int x) { return convert_char_sat(x); }
static char real_to_int8(float x) { return convert_char_sat(real_to_int(x)); }
static uchar plain_to_uint8(int x) { return convert_uchar_sat(x); }
static uchar real_to_uint8(float x) { return convert_uchar_sat(real_to_int(x)); }
static short plain_to_int16(int x) { return convert_short_sat(x); }
static short real_to_int16(float x) { return convert_short_sat(real_to_int(x)); }
static ushort plain_to_uint16(int x) { return convert_ushort_sat(x); }
static ushort real_to_uint16(float x) { return convert_ushort_sat(real_to_int(x)); }
static float plain_to_float(float x) { return x; }
static uchar real_to_bool(float x) { return x != 0.0f; }
static uchar plain_to_bool(int x) { return x != 0; }
static uchar plain_to_not(int x) { return x == 0; }

kernel void cast(global const FROM *x, ulong x0, global TO *y, ulong y0, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) WRITE(i, CAST(READ(i)));
}
