// The vector types of one instruction set. Before including this file, define CK_TARGET_ and the name of a set of
// sets.h in capitals, such as CK_TARGET_AVX2. It provides:
// - CK_W, the number of lanes
// - the types vf (float), vi (int32), vu (uint32), vd (double), vb (uint8), each with CK_W lanes
// - CK_FN(name), the name with the instruction set's suffix
// - prototypes of the kernels that the list has for the set, so that a body with other types does not compile
//
// Every function between the include and CK_END_TARGET is compiled for the set.
//
// The types are clang's extended vectors, so that one source serves every set:
// - + - * / work per lane.
// - Comparisons give a vi of 0 and -1.
// - `mask ? a : b` selects per lane.
// - __builtin_elementwise_* cover the rest.
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "table.h"

// Sets that extend a base set also define its CK_TARGET_.
#if defined(CK_TARGET_AVX512BF16)
#define CK_TARGET_AVX512
#define CK_SUFFIX avx512bf16
#define CK_TARGET_MORE "avx512bf16,"
#elif defined(CK_TARGET_AVX512VNNI)
#define CK_TARGET_AVX512
#define CK_SUFFIX avx512vnni
#define CK_TARGET_MORE "avx512vnni,avx512vbmi,"
#elif defined(CK_TARGET_AVX512VBMI)
#define CK_TARGET_AVX512
#define CK_SUFFIX avx512vbmi
#define CK_TARGET_MORE "avx512vbmi,"
#elif defined(CK_TARGET_AVX512)
#define CK_SUFFIX avx512
#define CK_TARGET_MORE ""
#elif defined(CK_TARGET_NEON_BF16)
#define CK_TARGET_NEON
#define CK_SUFFIX neon_bf16
#define CK_TARGET_STRING "bf16,dotprod"
#elif defined(CK_TARGET_NEON_DOTPROD)
#define CK_TARGET_NEON
#define CK_SUFFIX neon_dotprod
#define CK_TARGET_STRING "dotprod"
#elif defined(CK_TARGET_NEON)
// Every processor of the architecture has NEON, so no target attribute is needed.
#define CK_SUFFIX neon
#endif

#if defined(CK_TARGET_AVX512)
#include <immintrin.h>
#define CK_W 16
#define CK_FMA 1
#define CK_TARGET_STRING CK_TARGET_MORE "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"
#elif defined(CK_TARGET_AVX2)
#include <immintrin.h>
#define CK_W 8
#define CK_SUFFIX avx2
#define CK_FMA 1
#define CK_TARGET_STRING "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"
#elif defined(CK_TARGET_NEON)
#include <arm_neon.h>
#define CK_W 4
#define CK_FMA 1
#elif defined(CK_TARGET_GENERIC)
#define CK_W 4
#define CK_SUFFIX generic
#if defined(__FMA__) || defined(__aarch64__)
#define CK_FMA 1
#endif
#else
#error "define CK_TARGET_ and the name of a set"
#endif

#define CK_JOIN2(a, b) ck_##a##_##b
#define CK_JOIN(a, b) CK_JOIN2(a, b)
#define CK_FN(name) CK_JOIN(name, CK_SUFFIX)
/// The name of a function that a set inherits from the set it extends.
#if defined(CK_TARGET_AVX512)
#define CK_BASE_FN(name) CK_JOIN(name, avx512)
#elif defined(CK_TARGET_NEON)
#define CK_BASE_FN(name) CK_JOIN(name, neon)
#else
#define CK_BASE_FN(name) CK_FN(name)
#endif
#define CK_INLINE static inline __attribute__((always_inline))

#if defined(CK_TARGET_STRING)
#pragma clang attribute push(__attribute__((target(CK_TARGET_STRING))), apply_to = function)
#define CK_END_TARGET _Pragma("clang attribute pop")
#else
#define CK_END_TARGET
#endif

// A body that the list does not have for the set does not compile either.
#pragma clang diagnostic error "-Wmissing-prototypes"
#define CK_OWN_JOIN2(set) CK_KERNELS_##set
#define CK_OWN_JOIN(set) CK_OWN_JOIN2(set)
#define CK_PROTOTYPE(set, name) __typeof__(ck_##name) CK_FN(name);
CK_OWN_JOIN(CK_SUFFIX)(CK_PROTOTYPE, )
#undef CK_PROTOTYPE

// These vectors may be wider than the set's registers. All functions that pass them are inlined, so no ABI is involved.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_VECTOR(type) __attribute__((ext_vector_type(CK_W))) type
typedef CK_VECTOR(float) vf;
typedef CK_VECTOR(int32_t) vi;
typedef CK_VECTOR(uint32_t) vu;
typedef CK_VECTOR(double) vd;
typedef CK_VECTOR(int64_t) vl;
typedef CK_VECTOR(uint8_t) vb;
typedef CK_VECTOR(int8_t) vsb;
typedef CK_VECTOR(uint16_t) vh;

CK_INLINE vf vf_load(const float *p) {
  vf v;
  memcpy(&v, p, sizeof v);
  return v;
}
CK_INLINE void vf_store(float *p, vf v) { memcpy(p, &v, sizeof v); }
CK_INLINE vi vi_load(const int32_t *p) {
  vi v;
  memcpy(&v, p, sizeof v);
  return v;
}
CK_INLINE void vi_store(int32_t *p, vi v) { memcpy(p, &v, sizeof v); }

/// Loads the first n (at most CK_W) lanes. The others are 0; memory beyond is not accessed.
CK_INLINE vf vf_load_n(const float *p, size_t n) {
#if defined(CK_TARGET_AVX512)
  return _mm512_maskz_loadu_ps((__mmask16)_bzhi_u32(0xffffu, (unsigned)n), p);
#elif defined(CK_TARGET_AVX2)
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane));
#else
  if (n >= CK_W) return vf_load(p);
  vf v = 0;
  if (n > 0) v[0] = p[0];
  if (n > 1) v[1] = p[1];
  if (n > 2) v[2] = p[2];
  return v;
#endif
}
CK_INLINE void vf_store_n(float *p, vf v, size_t n) {
#if defined(CK_TARGET_AVX512)
  _mm512_mask_storeu_ps(p, (__mmask16)_bzhi_u32(0xffffu, (unsigned)n), v);
#elif defined(CK_TARGET_AVX2)
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  _mm256_maskstore_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane), v);
#else
  if (n >= CK_W) {
    vf_store(p, v);
    return;
  }
  if (n > 0) p[0] = v[0];
  if (n > 1) p[1] = v[1];
  if (n > 2) p[2] = v[2];
#endif
}
CK_INLINE vi vi_load_n(const int32_t *p, size_t n) { return (vi)vf_load_n((const float *)p, n); }
CK_INLINE void vi_store_n(int32_t *p, vi v, size_t n) { vf_store_n((float *)p, (vf)v, n); }

/// a * b + c, rounded once if the set has FMA.
CK_INLINE vf vf_fma(vf a, vf b, vf c) {
#if defined(CK_FMA)
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

#if defined(CK_TARGET_NEON)
// A product with one lane of a vector is one instruction, so broadcast operands are loaded four at a time.
#define CK_BY_LANES 1
/// Broadcasts lane `i`, which is a constant after inlining.
CK_INLINE vf vf_lane(vf v, int i) {
  switch (i) {
    case 0: return __builtin_shufflevector(v, v, 0, 0, 0, 0);
    case 1: return __builtin_shufflevector(v, v, 1, 1, 1, 1);
    case 2: return __builtin_shufflevector(v, v, 2, 2, 2, 2);
    default: return __builtin_shufflevector(v, v, 3, 3, 3, 3);
  }
}
#endif

CK_INLINE vf vf_abs(vf x) { return (vf)((vu)x & 0x7fffffffu); }
CK_INLINE vf vf_copysign(vf magnitude, vf sign) {
  return (vf)(((vu)magnitude & 0x7fffffffu) | ((vu)sign & 0x80000000u));
}
CK_INLINE vf vf_sqrt(vf x) { return __builtin_elementwise_sqrt(x); }

// a > b ? a : b and a < b ? a : b, giving b if unordered. This is one instruction, which compilers do not generate for
// the `?:` of vectors.
#if defined(CK_TARGET_AVX512)
CK_INLINE vf vf_above(vf a, vf b) { return _mm512_max_ps(a, b); }
CK_INLINE vf vf_below(vf a, vf b) { return _mm512_min_ps(a, b); }
CK_INLINE vf vf_keep_nan(vf a, vf b) { return _mm512_mask_mov_ps(b, _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), a); }
#elif defined(CK_TARGET_AVX2)
CK_INLINE vf vf_above(vf a, vf b) { return _mm256_max_ps(a, b); }
CK_INLINE vf vf_below(vf a, vf b) { return _mm256_min_ps(a, b); }
CK_INLINE vf vf_keep_nan(vf a, vf b) { return _mm256_blendv_ps(b, a, _mm256_cmp_ps(a, a, _CMP_UNORD_Q)); }
#else
CK_INLINE vf vf_above(vf a, vf b) { return a > b ? a : b; }
CK_INLINE vf vf_below(vf a, vf b) { return a < b ? a : b; }
CK_INLINE vf vf_keep_nan(vf a, vf b) { return a != a ? a : b; }
#endif

/// Maximum and minimum; NaN if either operand is NaN. The first operand has the longer dependency chain. `vf_clamp_nan`
/// is min(max(x, low), high) and keeps NaN.
#if defined(CK_TARGET_NEON)
CK_INLINE vf vf_max(vf a, vf b) { return vmaxq_f32(a, b); }
CK_INLINE vf vf_min(vf a, vf b) { return vminq_f32(a, b); }
CK_INLINE vf vf_clamp_nan(vf x, float low, float high) { return vf_min(vf_max(x, (vf){0} + low), (vf){0} + high); }
#else
CK_INLINE vf vf_max(vf a, vf b) { return vf_keep_nan(a, vf_above(a, b)); }
CK_INLINE vf vf_min(vf a, vf b) { return vf_keep_nan(a, vf_below(a, b)); }
CK_INLINE vf vf_clamp_nan(vf x, float low, float high) {
  return vf_below((vf){0} + high, vf_above((vf){0} + low, x));
}
#endif

// A vector rotated by `step` lanes, for reductions over lanes in log2(CK_W) steps.
#if CK_W == 16
#define CK_FOLD_LANES(v, step)                                                                                  \
  __builtin_shufflevector(                                                                                      \
      v, v, (0 + step) & 15, (1 + step) & 15, (2 + step) & 15, (3 + step) & 15, (4 + step) & 15,                \
      (5 + step) & 15, (6 + step) & 15, (7 + step) & 15, (8 + step) & 15, (9 + step) & 15, (10 + step) & 15,    \
      (11 + step) & 15, (12 + step) & 15, (13 + step) & 15, (14 + step) & 15, (15 + step) & 15)
#define CK_EACH_FOLD(F) F(8) F(4) F(2) F(1)
#elif CK_W == 8
#define CK_FOLD_LANES(v, step)                                                                                  \
  __builtin_shufflevector(                                                                                      \
      v, v, (0 + step) & 7, (1 + step) & 7, (2 + step) & 7, (3 + step) & 7, (4 + step) & 7, (5 + step) & 7,     \
      (6 + step) & 7, (7 + step) & 7)
#define CK_EACH_FOLD(F) F(4) F(2) F(1)
#else
#define CK_FOLD_LANES(v, step) \
  __builtin_shufflevector(v, v, (0 + step) & 3, (1 + step) & 3, (2 + step) & 3, (3 + step) & 3)
#define CK_EACH_FOLD(F) F(2) F(1)
#endif

/// The lanes' sum, pairwise.
CK_INLINE float vf_sum(vf v) {
#define CK_STEP(step) v += CK_FOLD_LANES(v, step);
  CK_EACH_FOLD(CK_STEP)
  return v[0];
}
CK_INLINE double vd_sum(vd v) {
  CK_EACH_FOLD(CK_STEP)
#undef CK_STEP
  return v[0];
}
/// The maximum lane; NaN if any lane is NaN.
CK_INLINE float vf_max_lane(vf v) {
#define CK_STEP(step) v = vf_max(v, CK_FOLD_LANES(v, step));
  CK_EACH_FOLD(CK_STEP)
#undef CK_STEP
  return v[0];
}
/// True if any lane of the mask is set.
CK_INLINE bool vi_any(vi mask) { return __builtin_reduce_or(mask) < 0; }

/// Lane indices 0, 1, ...
CK_INLINE vi vi_lanes(void) {
  vi v;
  for (int i = 0; i < CK_W; i++) v[i] = i;
  return v;
}

/// Sets the lanes from n on to `fill`.
CK_INLINE vf vf_keep_n(vf v, size_t n, float fill) { return vi_lanes() < (int32_t)n ? v : (vf)fill; }

CK_INLINE vd vd_of(vf x) { return __builtin_convertvector(x, vd); }
CK_INLINE vf vf_of_vd(vd x) { return __builtin_convertvector(x, vf); }
CK_INLINE vf vf_of_vi(vi x) { return __builtin_convertvector(x, vf); }
/// Narrows a mask of 64-bit lanes.
CK_INLINE vi vi_of_vl(vl x) { return __builtin_convertvector(x, vi); }
