// Per-channel operations on tensors [outer][channels][inner].

// y = x / (k + scale * sum of squares of the `size` neighboring channels)^power.
kernel void local_response_norm(global const ELEMENT(HALF_X) * x, ulong x0, global ELEMENT(HALF_Y) * y, ulong y0,
                                INDEX channels, INDEX inner, INDEX size, float scale, float power, float k,
                                INDEX count) {
  x += x0;
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX channel = i / inner % channels;
    INDEX first = max(channel - size / 2, (INDEX)0), last = min(channel + (size - 1) / 2, channels - 1);
    float sum = 0.0f;
    for (INDEX c = first; c <= last; c++) {
      float value = AT(HALF_X, x, i + (c - channel) * inner);
      sum = fma(value, value, sum);
    }
    PUT(HALF_Y, y, y0 + i, AT(HALF_X, x, i) / pow(fma(scale, sum, k), power));
  }
}

// y = FUNCTION(x, a[channel], b[channel]), a function of functions.cl. x and y may be the same memory.
#ifndef FUNCTION
#define FUNCTION op_softplus_parametric
#endif

kernel void per_channel(global const ELEMENT(HALF_X) * x, ulong x0, global const float *a, ulong a0,
                        global const float *b, ulong b0, global ELEMENT(HALF_Y) * y, ulong y0, INDEX channels,
                        INDEX inner, INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX channel = i / inner % channels;
    PUT(HALF_Y, y, y0 + i, FUNCTION(AT(HALF_X, x, x0 + i), a[a0 + channel], b[b0 + channel]));
  }
}
