// Brain floating point in pairs: two numbers that lie one after the other along a sum, in the room of a float. An instruction adds both of
// their products. For where low precision is allowed.
#pragma once
#include "../vector.h"

/// A pair of numbers, rounded to nearest.
CK_INLINE float pair_of(float low, float high) {
  __m128bh pair = _mm_cvtneps_pbh(_mm_setr_ps(low, high, 0, 0));
  float bits;
  memcpy(&bits, &pair, sizeof bits);
  return bits;
}

/// Numbers along a sum that take a float's place.
enum { CK_ALONG = 2 };

/// Those of up to so many numbers `step` apart, and zeros.
CK_INLINE float numbers_along(const float *from, ptrdiff_t step, size_t count) {
  return pair_of(from[0], count > 1 ? from[step] : 0);
}

/// CK_W pairs of 2 * CK_W numbers in a row.
CK_INLINE vf pairs_of(vf low, vf high) { return (vf)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low); }

/// CK_W pairs, each of a lane of `low` and the same of `high`.
CK_INLINE vf pairs_by_lane(vf low, vf high) {
  __m512i step = _mm512_set_epi16(
      31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return (vf)_mm512_permutexvar_epi16(step, (__m512i)pairs_of(low, high));
}
