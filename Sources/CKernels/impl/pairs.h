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

/// CK_W pairs of 2 * CK_W numbers in a row.
CK_INLINE vf pairs_of(vf low, vf high) { return (vf)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low); }
