// Whole numbers of eight bits in fours, which lie one after the other along a sum and take a float's place: an instruction adds all of their
// products. Of a product the one side has no sign.
#pragma once
#include "../vector.h"

/// What steps of `1 / inverse` are counted from: the byte of a number is its step less `low`.
struct steps {
  float inverse;
  int32_t low;
};

CK_INLINE uint8_t byte_of_nothing(struct steps s) { return (uint8_t)-s.low; }

/// The bytes of CK_W numbers that are steps, or as near to them as rounding leaves them.
CK_INLINE void store_bytes(uint8_t *to, vf numbers, struct steps s) {
  __m512i steps = _mm512_cvtps_epi32((__m512)(numbers * s.inverse));
  _mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8(_mm512_sub_epi32(steps, _mm512_set1_epi32(s.low))));
}

/// Numbers along a sum that take a float's place.
enum { CK_ALONG = 4 };

/// Those of up to so many whole numbers `step` apart, and zeros.
CK_INLINE float numbers_along(const float *from, ptrdiff_t step, size_t count) {
  int8_t bytes[CK_ALONG] = {0};
  for (size_t i = 0; i < CK_ALONG && i < count; i++) {
    float number = from[(ptrdiff_t)i * step];
    bytes[i] = (int8_t)(number > 127 ? 127 : number >= -128 ? number : -128);
  }
  float bits;
  memcpy(&bits, bytes, sizeof bits);
  return bits;
}
