// Sums of products of up to four tensors. A work-item computes one element of the result by iterating over the labels
// that the result lacks.
#ifndef OPERANDS
#define OPERANDS 2
#endif
// Labels: the KEPT labels of the result, then those that are summed over.
#ifndef RANK
#define RANK 2
#endif
#ifndef KEPT
#define KEPT 1
#endif

// Label sizes, and each tensor's stride per label; 0 if the tensor lacks the label.
typedef struct {
  INDEX size[RANK];
  INDEX stride[OPERANDS][RANK];
} Labels;

#if OPERANDS > 1
#define SECOND , global const float *b, ulong b0
#define PRODUCT2 *b[b0 + at[1] + k * s.stride[1][RANK - 1]]
#else
#define SECOND
#define PRODUCT2
#endif
#if OPERANDS > 2
#define THIRD , global const float *c, ulong c0
#define PRODUCT3 *c[c0 + at[2] + k * s.stride[2][RANK - 1]]
#else
#define THIRD
#define PRODUCT3
#endif
#if OPERANDS > 3
#define FOURTH , global const float *d, ulong d0
#define PRODUCT4 *d[d0 + at[3] + k * s.stride[3][RANK - 1]]
#else
#define FOURTH
#define PRODUCT4
#endif

// The last label is always summed over. `terms` is the number of products without it.
kernel void einsum(global const float *a, ulong a0 SECOND THIRD FOURTH, global float *y, ulong y0, Labels s, INDEX terms,
                   INDEX count) {
  INDEX step = (INDEX)get_global_size(0);
  for (INDEX i = (INDEX)get_global_id(0); i < count; i += step) {
    INDEX base[OPERANDS] = {0};
    INDEX rest = i;
    for (int label = KEPT - 1; label >= 0; label--) {
      INDEX place = rest % s.size[label];
      rest /= s.size[label];
      for (int o = 0; o < OPERANDS; o++) base[o] += place * s.stride[o][label];
    }
    float sum = 0.0f;
    for (INDEX term = 0; term < terms; term++) {
      INDEX at[OPERANDS];
      for (int o = 0; o < OPERANDS; o++) at[o] = base[o];
      rest = term;
      for (int label = RANK - 2; label >= KEPT; label--) {
        INDEX place = rest % s.size[label];
        rest /= s.size[label];
        for (int o = 0; o < OPERANDS; o++) at[o] += place * s.stride[o][label];
      }
      for (INDEX k = 0; k < s.size[RANK - 1]; k++) {
        sum += a[a0 + at[0] + k * s.stride[0][RANK - 1]] PRODUCT2 PRODUCT3 PRODUCT4;
      }
    }
    y[y0 + i] = sum;
  }
}
