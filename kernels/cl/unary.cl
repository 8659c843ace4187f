// y[i] = FUNCTION(x[i]), a function of functions.cl. x and y may be the same memory.
#ifndef FUNCTION
#define FUNCTION op_identity
#endif

kernel void unary(global const ELEMENT(HALF_X) * x, ulong x0, global ELEMENT(HALF_Y) * y, ulong y0, INDEX count,
                  float a, float b) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    PUT(HALF_Y, y, i, FUNCTION(AT(HALF_X, x, i), a, b));
  }
}
