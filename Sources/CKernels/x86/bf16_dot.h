// bf16 dot product. Two consecutive elements along K share one 32-bit lane; one instruction adds both products to an
// fp32 accumulator. Used where low precision is allowed.
#pragma once
#include "../vector.h"

/// Packs two elements as bf16, rounded to nearest. `low` is the first along K.
CK_INLINE float pair_of(float low, float high) {
  __m128bh pair = _mm_cvtneps_pbh(_mm_setr_ps(low, high, 0, 0));
  float bits;
  memcpy(&bits, &pair, sizeof bits);
  return bits;
}

/// The number of bf16 elements along K that share one 32-bit lane.
enum { CK_ALONG = 2 };

/// Packs up to CK_ALONG of `count` elements, `step` floats apart, into one 32-bit lane. A missing second element is 0.
CK_INLINE float numbers_along(const float *from, ptrdiff_t step, size_t count) {
  return pair_of(from[0], count > 1 ? from[step] : 0);
}

/// Converts 2 * CK_W consecutive elements to CK_W pairs of neighbors: `low` holds the first CK_W elements.
CK_INLINE vf pairs_of(vf low, vf high) { return (vf)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low); }

/// Converts to CK_W pairs. Pair i consists of lane i of `low` and lane i of `high`.
CK_INLINE vf pairs_by_lane(vf low, vf high) {
  __m512i step = _mm512_set_epi16(
      31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return (vf)_mm512_permutexvar_epi16(step, (__m512i)pairs_of(low, high));
}
