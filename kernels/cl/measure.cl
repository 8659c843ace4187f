// Measures peak arithmetic: eight independent accumulators per work-item, two operations per term.
kernel void measure_arithmetic(global float *y, ulong y0, int rounds) {
  float s[8];
  float x = 1e-9f * (float)get_global_id(0);
  for (int j = 0; j < 8; j++) s[j] = (float)j;
  for (int i = 0; i < rounds; i++)
    for (int j = 0; j < 8; j++) s[j] = fma(s[j], 0.999f, x);
  y[y0 + get_global_id(0)] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

// Measures bandwidth: reads and writes every element once.
kernel void measure_bandwidth(global const float4 *x, ulong x0, global float4 *y, ulong y0, int count) {
  int i = get_global_id(0);
  if (i < count) y[y0 + i] = x[x0 + i] + 1.0f;
}

// Measures the cost of a launch: no work.
kernel void measure_launch(global float *y, ulong y0) {
  if (get_global_id(0) == 0) y[y0] = 1.0f;
}
