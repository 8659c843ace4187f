// y[i] = FUNCTION(x[i]), one of functions.cl. x and y may be the same memory.
#ifndef FUNCTION
#define FUNCTION op_identity
#endif

kernel void unary(global const float *x, ulong x0, global float *y, ulong y0, INDEX count, float a, float b) {
  x += x0;
  y += y0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) y[i] = FUNCTION(x[i], a, b);
}
