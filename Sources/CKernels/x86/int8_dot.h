// int8 dot products with AVX-512 VNNI. Four consecutive values along K share one 32-bit lane. `vpdpbusd` multiplies
// four unsigned by four signed bytes and adds the products to an int32 accumulator. So activations are stored as uint8
// and weights as int8.
//
// The quantized integer of a value x is q = round(x / scale). Its stored byte is q - low, so the zero point is -low.
#pragma once
#include "../vector.h"

/// Quantization parameters: the inverse of the scale, and the quantized integer that is stored as byte 0.
struct steps {
  float inverse;
  int32_t low;
};

/// The stored byte of the value 0: the zero point. Padding is filled with it.
CK_INLINE uint8_t byte_of_nothing(struct steps s) { return (uint8_t)-s.low; }

/// Quantizes CK_W values and stores their bytes. The values must be dequantized ones: multiples of the scale, except
/// for rounding errors, with quantized integers in low ... low + 255. The conversion does not saturate; it keeps the
/// low eight bits.
CK_INLINE void store_bytes(uint8_t *to, vf numbers, struct steps s) {
  __m512i steps = _mm512_cvtps_epi32((__m512)(numbers * s.inverse));
  _mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8(_mm512_sub_epi32(steps, _mm512_set1_epi32(s.low))));
}

/// Rounds values that are already divided by the scale to quantized integers in `least` ... `greatest`. The clamp comes
/// before the conversion, because the conversion turns every value beyond int32 into INT32_MIN. NaN passes the clamp
/// and becomes INT32_MIN.
CK_INLINE __m512i nearest_steps(vf numbers, ck_int8_quantization s) {
  return _mm512_cvtps_epi32((__m512)vf_clamp_nan(numbers, (float)s.least, (float)s.greatest));
}

/// Converts quantized integers to their stored bytes q - low, without saturation. INT32_MIN (NaN) becomes the zero
/// point.
CK_INLINE __m128i bytes_from(int32_t low, __m512i steps) {
  return _mm512_cvtepi32_epi8(_mm512_sub_epi32(steps, _mm512_set1_epi32(low)));
}

/// Converts CK_W values that are already divided by the scale to stored bytes: `nearest_steps`, then `bytes_from`.
CK_INLINE __m128i bytes_of_steps(vf numbers, ck_int8_quantization s) { return bytes_from(s.low, nearest_steps(numbers, s)); }

/// As bytes_of_steps, and stores the bytes at `to`.
CK_INLINE void store_steps(uint8_t *to, vf numbers, ck_int8_quantization s) {
  _mm_storeu_si128((__m128i *)to, bytes_of_steps(numbers, s));
}

/// Looks up 64 bytes in a table of 256 bytes. Needs AVX-512 VBMI. Each permutation covers half of the table; the top
/// bit of a byte selects the half.
CK_INLINE __m512i look_up(const uint8_t *table, __m512i bytes) {
  __m512i low = _mm512_permutex2var_epi8(_mm512_loadu_si512(table), bytes, _mm512_loadu_si512(table + 64));
  __m512i high = _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), bytes, _mm512_loadu_si512(table + 192));
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), low, high);
}

/// As look_up, in place, for `count` positions that are 64 bytes (one uint8 block) apart. Only the first `lanes` bytes
/// of each position change: CK_W or 2 * CK_W, for one or two fp32 blocks.
CK_INLINE void look_up_positions(const uint8_t *table, uint8_t *at, size_t lanes, size_t count) {
  __mmask64 mask = (__mmask64)_bzhi_u64(~0ull, (unsigned)lanes);
  for (size_t i = 0; i < count; i++, at += 4 * CK_W) {
    _mm512_mask_storeu_epi8(at, mask, look_up(table, _mm512_maskz_loadu_epi8(mask, at)));
  }
}

/// The number of int8 elements along K that share one 32-bit lane.
enum { CK_ALONG = 4 };

/// Packs up to CK_ALONG of `count` weights, `step` floats apart, into one 32-bit lane. The weights are integers stored
/// as fp32. They saturate to int8. If `count` is less than CK_ALONG, zeros fill the rest.
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
