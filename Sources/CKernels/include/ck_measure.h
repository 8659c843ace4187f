// Microbenchmarks of a core's peak arithmetic and read rates, the baseline for kernel speeds.
#pragma once
#include <stddef.h>
#include "ck_kernel.h"

/// Runs fused multiply-adds in registers at the full rate of the instruction set. Returns the number of operations.
/// out: 16 elements; out[0] is read.
CK_KERNEL(base) double ck_measure_fma_f32(size_t rounds, float *out);

/// Evicts a memory range from all caches, on processors with an instruction for that.
void ck_forget(const void *memory, size_t bytes);

/// Reads n floats, except a remainder of fewer than 128. out: 16 elements.
CK_KERNEL(base) void ck_measure_read_f32(const float *in, size_t n, float *out);
