// int8 dot products with AVX-512 VNNI. Four consecutive int8 values along K share one 32-bit lane. `vpdpbusd`
// multiplies four unsigned by four signed bytes and adds the products to an int32 accumulator. So activations are
// stored as uint8 (multiple of the scale minus `low`) and weights as int8.
#pragma once
#include "../vector.h"

/// Quantization with scale `1 / inverse`. The byte of a value is its multiple minus `low`.
struct steps {
  float inverse;
  int32_t low;
};

CK_INLINE uint8_t byte_of_nothing(struct steps s) { return (uint8_t)-s.low; }

/// Stores the bytes of CK_W values that are multiples of the scale within rounding.
CK_INLINE void store_bytes(uint8_t *to, vf numbers, struct steps s) {
  __m512i steps = _mm512_cvtps_epi32((__m512)(numbers * s.inverse));
  _mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8(_mm512_sub_epi32(steps, _mm512_set1_epi32(s.low))));
}

/// Rounds to the nearest multiples and clamps them. The clamp comes first, because the conversion of values beyond
/// int32 is undefined.
CK_INLINE __m512i nearest_steps(vf numbers, ck_int8_quantization s) {
  return _mm512_cvtps_epi32((__m512)vf_clamp_nan(numbers, (float)s.least, (float)s.greatest));
}

/// Converts multiples to bytes relative to `low`.
CK_INLINE __m128i bytes_from(int32_t low, __m512i steps) {
  return _mm512_cvtepi32_epi8(_mm512_sub_epi32(steps, _mm512_set1_epi32(low)));
}

/// Quantizes CK_W values to bytes.
CK_INLINE __m128i bytes_of_steps(vf numbers, ck_int8_quantization s) { return bytes_from(s.low, nearest_steps(numbers, s)); }

CK_INLINE void store_steps(uint8_t *to, vf numbers, ck_int8_quantization s) {
  _mm_storeu_si128((__m128i *)to, bytes_of_steps(numbers, s));
}

/// Looks up 64 bytes in a table of 256 bytes.
CK_INLINE __m512i look_up(const uint8_t *table, __m512i bytes) {
  __m512i low = _mm512_permutex2var_epi8(_mm512_loadu_si512(table), bytes, _mm512_loadu_si512(table + 64));
  __m512i high = _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), bytes, _mm512_loadu_si512(table + 192));
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), low, high);
}

/// As look_up, in place, for `lanes` bytes (one or two vectors' worth) of each of `count` positions, 64 bytes apart.
CK_INLINE void look_up_positions(const uint8_t *table, uint8_t *at, size_t lanes, size_t count) {
  __mmask64 mask = (__mmask64)_bzhi_u64(~0ull, (unsigned)lanes);
  for (size_t i = 0; i < count; i++, at += 4 * CK_W) {
    _mm512_mask_storeu_epi8(at, mask, look_up(table, _mm512_maskz_loadu_epi8(mask, at)));
  }
}

/// Elements along K in one 32-bit lane.
enum { CK_ALONG = 4 };

/// Packs the first CK_ALONG of `count` integers, `step` apart; zeros fill the rest.
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
