// Probes whether fp16 arithmetic compiles and computes.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void probe_half(global float *y, ulong y0) {
  int i = get_global_id(0);
  half x = (half)i;
  half z = x * (half)0.5f + (half)1.0f;
  y[y0 + i] = (float)(z + z - (half)1.0f);
}
