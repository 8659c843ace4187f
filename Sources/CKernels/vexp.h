// Vector exponentials and logarithms, with libm's results for NaN, infinities, zeros and subnormals. The polynomials
// are minimax fits of the relative error. CKernelsAccuracyTests checks the error bounds, which are in units of the last
// place (ulp) or relative.
#pragma once
#include "vector.h"

/// round(x) for |x| < 2^22, as a float and, in its low bits, as an integer: adding 1.5 * 2^23 leaves the integer there.
#define CK_ROUND_MAGIC 12582912.0f

/// 2^n for n in -126 ... 127.
CK_INLINE vf vf_pow2i(vi n) { return (vf)(vi)((vu)(n + 127) << 23); }

/// x * 2^n for |n| <= 252. Two factors keep every factor normal, so subnormal results round once.
CK_INLINE vf vf_scale(vf x, vi n) {
#if defined(CK_TARGET_AVX512)
  return _mm512_scalef_ps(x, _mm512_cvtepi32_ps((__m512i)n));
#else
  vi half = n >> 1;
  return x * vf_pow2i(half) * vf_pow2i(n - half);
#endif
}

/// Splits x = n ln 2 + r, |r| <= ln 2 / 2. x is within +-200 or NaN (n is then meaningless, r NaN).
CK_INLINE vf vf_exp_reduce(vf x, vi *n) {
  vf t = vf_fma(x, 1.44269504f, CK_ROUND_MAGIC);
  vf k = t - CK_ROUND_MAGIC;
  *n = (vi)((vu)t - (vu)(vf)CK_ROUND_MAGIC);
#if defined(CK_FMA)
  vf r = vf_fma(k, -0.693147182f, x);
  return vf_fma(k, 1.90465421e-9f, r);
#else
  vf r = x - k * 0.693359375f;  // nine bits: the product is exact
  return r + k * 2.12194442e-4f;
#endif
}

/// exp(r) - 1 - r, |r| <= 0.35.
CK_INLINE vf vf_exp_tail(vf r) {
  vf q = vf_fma(r, 0.00138131424f, 0.00836941879f);
  q = vf_fma(q, r, 0.041668456f);
  q = vf_fma(q, r, 0.166665152f);
  q = vf_fma(q, r, 0.49999994f);
  return q * (r * r);
}

/// Result of a range reduction: x = k ln 2 + r, with |r| slightly above ln 2 / 2 at most. k is an integer. |x| is at
/// most 200, or x is NaN; then k or r is NaN.
struct vf_reduced {
  vf k, r;
};

/// With `whole`, ln 2 has twice the precision. Without it, r is off by 2e-9 |k|.
CK_INLINE struct vf_reduced vf_exp_split(vf x, bool whole) {
#if defined(CK_TARGET_AVX512)
  vf k = _mm512_roundscale_ps(x * 1.44269504f, 0);
#else
  vf t = vf_fma(x, (vf)1.44269504f, (vf)CK_ROUND_MAGIC), k = t - CK_ROUND_MAGIC;
#endif
#if defined(CK_FMA)
  vf r = vf_fma(k, (vf)-0.693147182f, x);
  if (whole) r = vf_fma(k, (vf)1.90465421e-9f, r);
#else
  (void)whole;
  vf r = (x - k * 0.693359375f) + k * 2.12194442e-4f;
#endif
  return (struct vf_reduced){k, r};
}

/// Converts integral floats to integers. NaN gives an arbitrary integer.
CK_INLINE vi vi_of_whole(vf k) {
#if defined(CK_TARGET_AVX2)
  return (vi)_mm256_cvtps_epi32(k);
#else
  return __builtin_convertvector(k, vi);
#endif
}

/// x * 2^k for integral k with |k| <= 252.
CK_INLINE vf vf_times_pow2(vf x, vf k) {
#if defined(CK_TARGET_AVX512)
  return _mm512_scalef_ps(x, k);
#else
  return vf_scale(x, vi_of_whole(k));
#endif
}

/// x * 2^k where x is in 1/2 ... 2 and the result is normal.
CK_INLINE vf vf_times_pow2_normal(vf x, vf k) {
#if defined(CK_TARGET_AVX512)
  return _mm512_scalef_ps(x, k);
#else
  return (vf)((vu)x + ((vu)vi_of_whole(k) << 23));
#endif
}

/// exp(r) with relative error 1.2e-7, |r| <= 0.35; exactly 1 at 0. Evaluated in pairs: the shorter dependency chain is
/// worth one more addition.
CK_INLINE vf vf_exp_near(vf r) {
  vf s = r * r, high = vf_fma(r, (vf)0.00831243116f, (vf)0.0418909863f), low = vf_fma(r, (vf)0.166671187f, (vf)0.499992251f);
  return vf_fma(vf_fma(high, s, low), s, 1.0f + r);
}

/// exp(x) within 1.5 ulp.
CK_INLINE vf vf_exp(vf x) {
  struct vf_reduced s = vf_exp_split(vf_clamp_nan(x, -105.0f, 89.0f), true);
  vf r = s.r, t = r * r, high = vf_fma(r, (vf)0.00836885069f, (vf)0.0416684002f), low = vf_fma(r, (vf)0.166665196f, (vf)0.49999994f);
  vf q = vf_fma(vf_fma(t, (vf)0.00138143206f, high), t, low);
  return vf_times_pow2(1.0f + vf_fma(q, t, r), s.k);
}

/// exp(x) for x <= 0, including -infinity, for sums of exponentials. Relative error 2e-7 + 3e-9 |x|. Below -87 the
/// result is 0 or less than 2e-38.
CK_INLINE vf vf_exp_below_zero(vf x) {
  struct vf_reduced s = vf_exp_split(vf_above((vf)-87.0f, x), false);
  vf e = vf_times_pow2_normal(vf_exp_near(s.r), s.k);
  return x < -87.0f ? (vf)0.0f : e;
}

CK_INLINE vf vf_exp2(vf x) {
  x = vf_clamp_nan(x, -151.0f, 129.0f);
  vf t = x + CK_ROUND_MAGIC;
  vf f = x - (t - CK_ROUND_MAGIC);  // exact
  vi n = (vi)((vu)t - (vu)(vf)CK_ROUND_MAGIC);
  vf r = f * 0.693147182f;
  return vf_scale(1.0f + (r + vf_exp_tail(r)), n);
}

CK_INLINE vf vf_expm1(vf x) {
  vi n;
  vf r = vf_exp_reduce(vf_clamp_nan(x, -20.0f, 89.0f), &n);
  vf q = vf_fma(r, 0.000198459573f, 0.00139416533f);
  q = vf_fma(q, r, 0.00833339151f);
  q = vf_fma(q, r, 0.0416663475f);
  q = vf_fma(q, r, 0.166666657f);
  q = vf_fma(q, r, 0.5f);
  vf p = vf_fma(q, r * r, r);
  vf s = vf_pow2i(n - 1);  // half the scale: n may be 128
  vf y = vf_fma(p, s, s - 0.5f) * 2.0f;
  return x == 0.0f ? x : y;  // keeps -0
}

/// log(1 + f) for f in sqrt(1/2) - 1 ... sqrt(2) - 1.
CK_INLINE vf vf_log_tail(vf f, vf e) {
  vf q = vf_fma(f, 0.0674659163f, -0.116756387f);
  q = vf_fma(q, f, 0.118881777f);
  q = vf_fma(q, f, -0.124055922f);
  q = vf_fma(q, f, 0.142195508f);
  q = vf_fma(q, f, -0.166679963f);
  q = vf_fma(q, f, 0.200021192f);
  q = vf_fma(q, f, -0.250000089f);
  q = vf_fma(q, f, 0.333333135f);
  vf f2 = f * f;
  q = q * f * f2;
  q = vf_fma(e, -2.12194442e-4f, q);
  q = vf_fma(f2, -0.5f, q);
  return vf_fma(e, 0.693359375f, f + q);
}

/// log(x) for normal positive x.
CK_INLINE vf vf_log_normal(vf x, vf exponent_offset) {
  vu bits = (vu)x - 0x3f3504f3u;  // sqrt(1/2): the significand is then in sqrt(1/2) ..< sqrt(2)
  vf e = vf_of_vi((vi)bits >> 23) + exponent_offset;
  vf m = (vf)((bits & 0x007fffffu) + 0x3f3504f3u);
  return vf_log_tail(m - 1.0f, e);
}

CK_INLINE vf vf_log(vf x) {
  // The bits of a subnormal are its multiple of 2^-149. Some processors take a hundred cycles or more to multiply a
  // subnormal, so the bits are converted as an integer.
  vi tiny = (vi)x < 0x00800000;
  vf y = vf_log_normal(tiny ? vf_of_vi((vi)x) : x, tiny ? (vf)-149.0f : (vf)0.0f);
  y = x == INFINITY ? x : y;
  y = x == 0.0f ? (vf)-INFINITY : y;
  y = x < 0.0f ? (vf)NAN : y;
  return x != x ? x : y;
}

CK_INLINE vf vf_log1p(vf x) {
  vf w = 1.0f + x;
  vf c = (x - (w - 1.0f)) / w;  // the rounding error of the sum
  vf y = vf_log(w) + c;
  y = x == INFINITY ? x : y;
  y = w == 0.0f ? (vf)-INFINITY : y;
  return x == 0.0f ? x : y;
}
