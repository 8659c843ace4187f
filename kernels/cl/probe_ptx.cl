// Probes whether NVIDIA's inline assembly compiles and runs: reads the lane index from its special register.
kernel void probe_ptx(global float *y, ulong y0) {
  uint lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  y[y0 + get_global_id(0)] = (float)(lane + 1);
}
