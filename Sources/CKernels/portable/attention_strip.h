// The GEMMs of attention: a register tile of queries by one or two blocks of keys, or of value columns.
#pragma once
#include "block_strip.h"

/// The type that keys and values are packed as, and of their multiplicands.
#if defined(CK_TARGET_AVX512BF16)
#define CK_ATTEND_KIND WEIGHTS_BF16
#else
#define CK_ATTEND_KIND WEIGHTS_F32
#endif

/// Accumulators of P queries by B blocks of keys or value columns, in registers. Like strip_sums, without the epilogue
/// of a convolution. The accumulators start from `out` if `adds`, else from zero.
CK_INLINE void attend_sums(
    int P, int B, const float *in, ptrdiff_t group, size_t depth, const float *weights, float *out, ptrdiff_t block, bool adds) {
  vf sum[CK_STRIP], more[CK_STRIP];
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) {
    sum[p] = adds ? vf_load(out + p * CK_W) : (vf)0.0f;
    more[p] = adds && B == 2 ? vf_load(out + block + p * CK_W) : (vf)0.0f;
  }
  struct fetching nothing = {0};
  rows_products(P, B, CK_ATTEND_KIND, CK_W, in, group, depth, weights, 0, &nothing, sum, more);
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) {
    vf_store(out + p * CK_W, sum[p]);
    if (B == 2) vf_store(out + block + p * CK_W, more[p]);
  }
}

typedef void (*attend_function)(
    const float *in, ptrdiff_t group, size_t depth, const float *weights, float *out, ptrdiff_t block, bool adds);
#define CK_ATTEND_ENTRY(P, B)                                                                                          \
  static void attend_##B##_##P(                                                                                        \
      const float *in, ptrdiff_t group, size_t depth, const float *weights, float *out, ptrdiff_t block, bool adds) {  \
    attend_sums(P, B, in, group, depth, weights, out, block, adds);                                                    \
  }
#define CK_ATTEND_NAME(P, B) attend_##B##_##P,
CK_STRIP_WIDTHS(CK_ATTEND_ENTRY, 1)
CK_STRIP_WIDTHS(CK_ATTEND_ENTRY, 2)
static const attend_function attend_functions[2][CK_STRIP + 1] = {
    {NULL, CK_STRIP_WIDTHS(CK_ATTEND_NAME, 1)}, {NULL, CK_STRIP_WIDTHS(CK_ATTEND_NAME, 2)}};

/// out [blocks, queries, CK_W] = (out +) in [groups, queries, CK_W] times packed weights. Pairs of weight blocks are
/// `pair` floats apart. Groups and output blocks are `room` queries apart.
static void attend(
    const float *in, size_t room, size_t depth, const float *weights, size_t pair, size_t blocks, float *out, size_t count,
    bool adds) {
  ptrdiff_t group = (ptrdiff_t)(room * CK_W);
  for (size_t b = 0; b < blocks; b += 2, weights += pair) {
    const attend_function *functions = attend_functions[b + 1 < blocks];
    for (size_t q = 0; q < count;) {
      size_t n = strip_of(count - q, CK_STRIP);
      functions[n](in + q * CK_W, group, depth, weights, out + (b * room + q) * CK_W, group, adds);
      q += n;
    }
  }
}
