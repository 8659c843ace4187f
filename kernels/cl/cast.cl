// y[i] = x[i] as another type: FROM and TO are float, int or uchar (booleans, 0 or 1). Real numbers are cut off toward
// zero and saturate; NaN becomes 0.
#ifndef CAST
#define FROM float
#define TO int
#define CAST real_to_int
#endif

static int real_to_int(float x) {
  if (x != x) return 0;
  return x >= 2147483648.0f ? INT_MAX : x <= -2147483648.0f ? INT_MIN : (int)x;
}
static int plain_to_int(int x) { return x; }
static float plain_to_float(float x) { return x; }
static uchar real_to_bool(float x) { return x != 0.0f; }
static uchar plain_to_bool(int x) { return x != 0; }

kernel void cast(global const FROM *x, ulong x0, global TO *y, ulong y0, INDEX count) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) y[i] = (TO)CAST(x[i]);
}
