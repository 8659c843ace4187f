// Vector conversions between binary16 and binary32.
#pragma once
#include "vector.h"

CK_INLINE vf vf_from_f16(const uint16_t *p) {
#if defined(CK_TARGET_AVX512)
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
#elif defined(CK_TARGET_AVX2)
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
#elif defined(CK_TARGET_NEON)
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
#else
  vh raw;
  memcpy(&raw, p, sizeof raw);
  vu bits = __builtin_convertvector(raw, vu);
  vu magnitude = bits & 0x7fffu;
  vf scaled = (vf)(magnitude << 13) * 0x1p112f;  // rebias the exponent; a subnormal becomes normal
  vu special = (magnitude << 13) | 0x7f800000u;
  special = magnitude > 0x7c00u ? special | 0x00400000u : special;  // a quiet NaN, as the hardware instruction gives
  vu result = magnitude >= 0x7c00u ? special : (vu)scaled;
  return (vf)(result | ((bits & 0x8000u) << 16));
#endif
}

CK_INLINE void vf_store_f16(uint16_t *p, vf x) {
#if defined(CK_TARGET_AVX512)
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#elif defined(CK_TARGET_AVX2)
  _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#elif defined(CK_TARGET_NEON)
  vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(x)));
#else
  vu bits = (vu)x & 0x7fffffffu;
  vu normal = (bits + (0xc8000fffu + ((bits >> 13) & 1u))) >> 13;  // rebias, round to even; 65520 carries into infinity
  vu tiny = (vu)((vf)bits + 0.5f) - 0x3f000000u;                   // the addition rounds
  vu nan = 0x7e00u | ((bits >> 13) & 0x3ffu);
  vu result = bits < 0x38800000u ? tiny : normal;
  result = bits >= 0x47800000u ? (vu)0x7c00u : result;
  result = bits > 0x7f800000u ? nan : result;
  vh half = __builtin_convertvector(result | (((vu)x >> 16) & 0x8000u), vh);
  memcpy(p, &half, sizeof half);
#endif
}

/// Rounds each lane to fp16.
CK_INLINE vf vf_round_f16(vf x) {
#if defined(CK_TARGET_AVX512)
  return _mm512_cvtph_ps(_mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#elif defined(CK_TARGET_AVX2)
  return _mm256_cvtph_ps(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#elif defined(CK_TARGET_NEON)
  return vcvt_f32_f16(vcvt_f16_f32(x));
#else
  uint16_t half[CK_W];
  vf_store_f16(half, x);
  return vf_from_f16(half);
#endif
}
