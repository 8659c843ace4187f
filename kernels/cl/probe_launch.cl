// Probes whether launches through CUDA's driver work. OpenCL's compiler reads the global offset and the number of groups
// from registers that only OpenCL's driver sets, so PTX post-processing replaces them.
kernel void probe_launch(global float *y, ulong y0) {
  size_t i = get_global_id(0);
  y[y0 + i] = (float)(i + get_num_groups(0));
}
