// What a core does at best: kernels are measured by it.
#pragma once
#include <stddef.h>

/// Multiplies and adds in registers, as many at once as the instruction set can; the operations that these were.
/// out: 16 numbers; out[0] is read.
double ck_measure_fma_f32(size_t rounds, float *out);

/// Leaves nothing of the memory in any cache, where the processor lets a program say so.
void ck_forget(const void *memory, size_t bytes);

/// Reads n numbers, but for a remainder below 128. out: 16 numbers.
void ck_measure_read_f32(const float *in, size_t n, float *out);
