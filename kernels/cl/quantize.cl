// Quantization to 8-bit integers, Q, and back. There is one scale and zero point for the tensor, or one for each entry
// of the middle dimension of [outer][entries][inner].
#ifndef Q
#define Q char
#endif
// Whether there is a zero point, and its type. An absent one is passed as any pointer.
#ifndef ZERO
#define ZERO 0
#endif
#ifndef ZERO_TYPE
#define ZERO_TYPE Q
#endif
#define LOWEST ((Q)-1 < 0 ? -128.0f : 0.0f)
#define HIGHEST ((Q)-1 < 0 ? 127.0f : 255.0f)

// Strides of scales and zero points from entry to entry: 0 or 1.
typedef struct {
  INDEX entries, inner, scale, zero;
} Entries;

// x / scale rounded to the nearest integer, ties to even, whatever the rounding of the device's division. The exact
// remainder decides.
static float quotient(float x, float scale) {
  float nearest = rint(x / scale);
  if (!(fabs(nearest) < 65536.0f)) return nearest;
  float rest = fma(-nearest, scale, x), half_step = 0.5f * fabs(scale);
  if (scale < 0.0f) rest = -rest;
  bool is_odd = ((int)nearest & 1) != 0;
  if (rest > half_step || (rest == half_step && is_odd)) return nearest + 1.0f;
  if (rest < -half_step || (rest == -half_step && is_odd)) return nearest - 1.0f;
  return nearest;
}

kernel void quantize(global const float *x, ulong x0, global const float *scales, ulong scales0,
                     global const ZERO_TYPE *zeros, ulong zeros0, global Q *y, ulong y0, Entries s, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX entry = i / s.inner % s.entries;
    float value = quotient(x[x0 + i], scales[scales0 + entry * s.scale]);
    if (value != value) value = 0;
    if (ZERO) value += (float)zeros[zeros0 + entry * s.zero];
    y[y0 + i] = (Q)clamp(value, LOWEST, HIGHEST);
  }
}

kernel void dequantize(global const Q *x, ulong x0, global const float *scales, ulong scales0,
                       global const ZERO_TYPE *zeros, ulong zeros0, global float *y, ulong y0, Entries s, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX entry = i / s.inner % s.entries;
    float value = x[x0 + i];
    if (ZERO) value -= (float)zeros[zeros0 + entry * s.zero];
    y[y0 + i] = scales[scales0 + entry * s.scale] * value;
  }
}
