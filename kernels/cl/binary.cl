// z[i] = THEN(FUNCTION(x, y)) with x and y broadcast by strides; stride 0 repeats a dimension. T is the type of x and
// y, R that of z. Functions are named <type>_<operation> after MIL's operations. The types are f for float, i for int,
// b for one-byte booleans.
#ifndef T
#define T float
#define R float
#define FUNCTION f_add
#endif
#ifndef RANK
#define RANK 1
#endif
// Whether y is fp16. T and R are float where x or z is fp16.
#ifndef HALF_SECOND
#define HALF_SECOND 0
#endif

static float f_add(float x, float y) { return x + y; }
static float f_sub(float x, float y) { return x - y; }
static float f_mul(float x, float y) { return x * y; }
static float f_real_div(float x, float y) { return x / y; }
// The remainder has the sign of y.
static float f_mod(float x, float y) {
  float remainder = fmod(x, y);
  return remainder != 0.0f && (remainder < 0.0f) != (y < 0.0f) ? remainder + y : remainder;
}
// A rounded quotient may be on the wrong side of an integer. A quotient too large for that has no fraction. Infinities
// follow NumPy.
static float f_floor_div(float x, float y) {
  float quotient = x / y;
  if (y == 0.0f) return quotient;
  if (isinf(x)) return NAN;
  if (isinf(y)) return isnan(x) ? x : x != 0.0f && (x < 0.0f) != (y < 0.0f) ? -1.0f : 0.0f;
  return fabs(quotient) < 8388608.0f ? rint((x - f_mod(x, y)) / y) : quotient;
}
static float f_pow(float x, float y) { return pow(x, y); }
static float f_maximum(float x, float y) { return x != x || x > y ? x : y; }
static float f_minimum(float x, float y) { return x != x || x < y ? x : y; }
// y is alpha.
static float f_prelu(float x, float y) { return x < 0.0f ? y * x : x; }
static uchar f_equal(float x, float y) { return x == y; }
static uchar f_not_equal(float x, float y) { return x != y; }
static uchar f_greater(float x, float y) { return x > y; }
static uchar f_greater_equal(float x, float y) { return x >= y; }
static uchar f_less(float x, float y) { return x < y; }
static uchar f_less_equal(float x, float y) { return x <= y; }

// Integers wrap. A quotient by zero is 0, because the hardware may trap.
static int i_add(int x, int y) { return (int)((uint)x + (uint)y); }
static int i_sub(int x, int y) { return (int)((uint)x - (uint)y); }
static int i_mul(int x, int y) { return (int)((uint)x * (uint)y); }
static int i_real_div(int x, int y) { return y == 0 ? 0 : y == -1 ? i_sub(0, x) : x / y; }
static int i_floor_div(int x, int y) {
  int quotient = i_real_div(x, y);
  return y != 0 && (x < 0) != (y < 0) && i_mul(quotient, y) != x ? quotient - 1 : quotient;
}
static int i_mod(int x, int y) { return y == 0 ? 0 : i_sub(x, i_mul(i_floor_div(x, y), y)); }
static int i_pow(int x, int y) {
  if (y < 0) return x == 1 ? 1 : x == -1 ? ((y & 1) ? -1 : 1) : 0;
  int result = 1;
  for (; y > 0; y >>= 1) {
    if (y & 1) result = i_mul(result, x);
    x = i_mul(x, x);
  }
  return result;
}
static int i_maximum(int x, int y) { return max(x, y); }
static int i_minimum(int x, int y) { return min(x, y); }
static uchar i_equal(int x, int y) { return x == y; }
static uchar i_not_equal(int x, int y) { return x != y; }
static uchar i_greater(int x, int y) { return x > y; }
static uchar i_greater_equal(int x, int y) { return x >= y; }
static uchar i_less(int x, int y) { return x < y; }
static uchar i_less_equal(int x, int y) { return x <= y; }

static uchar b_equal(uchar x, uchar y) { return (x != 0) == (y != 0); }
static uchar b_not_equal(uchar x, uchar y) { return (x != 0) != (y != 0); }
static uchar b_logical_and(uchar x, uchar y) { return x && y; }
static uchar b_logical_or(uchar x, uchar y) { return x || y; }
static uchar b_logical_xor(uchar x, uchar y) { return (x != 0) != (y != 0); }

#ifndef FUNCTIONS_ALONE
#ifdef THEN
#define RESULT(value) THEN(value, a, b)
#else
#define RESULT(value) value
#endif

typedef struct {
  INDEX size[RANK];
  INDEX x[RANK];
  INDEX y[RANK];
} Shape;

kernel void binary(global const OR_HALF(HALF_X, T) * x, ulong x0, global const OR_HALF(HALF_SECOND, T) * y, ulong y0,
                   global OR_HALF(HALF_Y, R) * z, ulong z0, Shape shape, INDEX count, float a, float b) {
  x += x0;
  y += y0;
  z += z0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX rest = i, xi = 0, yi = 0;
    for (int d = RANK - 1; d > 0; d--) {
      INDEX place = rest % shape.size[d];
      rest /= shape.size[d];
      xi += place * shape.x[d];
      yi += place * shape.y[d];
    }
    PUT(HALF_Y, z, i,
        RESULT(FUNCTION(AT(HALF_X, x, xi + rest * shape.x[0]), AT(HALF_SECOND, y, yi + rest * shape.y[0]))));
  }
}
#endif
