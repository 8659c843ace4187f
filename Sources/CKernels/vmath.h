// Elementary functions of vectors, to about 1e-7 relative, with libm's results for NaN, infinities, zeros and denormals.
// The polynomials are least-maximum fits of relative error made for these intervals; degrees are chosen so that their own
// error (below 1e-8) disappears in the rounding.
#pragma once
#include "vector.h"

/// round(x) for |x| < 2^22, as a float and, in its low bits, as an integer: adding 1.5 * 2^23 leaves the integer there.
#define CK_ROUND_MAGIC 12582912.0f

/// 2^n for n in -126 ... 127.
CK_INLINE vf vf_pow2i(vi n) { return (vf)(vi)((vu)(n + 127) << 23); }

/// x * 2^n for |n| <= 252; the halves keep every factor normal, so denormal results round once.
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

CK_INLINE vf vf_exp(vf x) {
  vi n;
  vf r = vf_exp_reduce(vf_clamp_nan(x, -105.0f, 89.0f), &n);
  return vf_scale(1.0f + (r + vf_exp_tail(r)), n);
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
  vu bits = (vu)x - 0x3f3504f3u;  // sqrt(1/2): the mantissa lands in sqrt(1/2) ..< sqrt(2)
  vf e = vf_of_vi((vi)bits >> 23) + exponent_offset;
  vf m = (vf)((bits & 0x007fffffu) + 0x3f3504f3u);
  return vf_log_tail(m - 1.0f, e);
}

CK_INLINE vf vf_log(vf x) {
  vi tiny = x < 1.17549435e-38f;
  vf scaled = tiny ? x * 8388608.0f : x;
  vf y = vf_log_normal(scaled, tiny ? (vf)-23.0f : (vf)0.0f);
  y = x == INFINITY ? x : y;
  y = x == 0.0f ? (vf)-INFINITY : y;
  y = x < 0.0f ? (vf)NAN : y;
  return x != x ? x : y;
}

CK_INLINE vf vf_log1p(vf x) {
  vf w = 1.0f + x;
  vf c = (x - (w - 1.0f)) / w;  // what the sum lost
  vf y = vf_log(w) + c;
  y = x == INFINITY ? x : y;
  y = w == 0.0f ? (vf)-INFINITY : y;
  return x == 0.0f ? x : y;
}

/// log(1 + u) for u in 0 ... 1.
CK_INLINE vf vf_log1p_unit(vf u) {
  vf w = 1.0f + u;
  return vf_log_normal(w, 0.0f) + (u - (w - 1.0f)) / w;
}

CK_INLINE vf vf_sigmoid(vf x) {
  vf e = vf_exp(-vf_abs(x));
  vf r = 1.0f / (1.0f + e);
  return x < 0.0f ? e * r : r;
}

CK_INLINE vf vf_tanh(vf x) {
  vf e = vf_expm1(2.0f * vf_clamp_nan(vf_abs(x), 0.0f, 10.0f));
  return vf_copysign(e / (e + 2.0f), x);
}

CK_INLINE vf vf_softplus(vf x) {
  return (x < 0.0f ? (vf)0.0f : x) + vf_log1p_unit(vf_exp(-vf_abs(x)));
}

/// erfc(t) for t >= 0.99 as exp(-t^2 + q(t)).
CK_INLINE vf vf_erfc_tail(vf t) {
  vf u = t > 5.0f ? (vf)5.0f : t;
  vf q = vf_fma(u, 1.50512051e-06f, -4.37970484e-05f);
  q = vf_fma(q, u, 0.000580392196f);
  q = vf_fma(q, u, -0.00469361385f);
  q = vf_fma(q, u, 0.0262603834f);
  q = vf_fma(q, u, -0.109836787f);
  q = vf_fma(q, u, 0.367950261f);
  q = vf_fma(q, u, -1.13011897f);
  q = vf_fma(q, u, 0.000295169157f);
  return vf_exp(vf_fma(-t, t, q));
}

/// erf(x) for |x| <= 1.
CK_INLINE vf vf_erf_small(vf x) {
  vf s = x * x;
  vf q = vf_fma(s, 7.85385419e-05f, -0.000801019138f);
  q = vf_fma(q, s, 0.00518832728f);
  q = vf_fma(q, s, -0.026853811f);
  q = vf_fma(q, s, 0.112835854f);
  q = vf_fma(q, s, -0.37612626f);
  q = vf_fma(q, s, 0.128379166f);
  return vf_fma(q, x, x);
}

CK_INLINE vf vf_erf(vf x) {
  vf t = vf_abs(x);
  vf big = vf_copysign(1.0f - vf_erfc_tail(t), x);
  return t < 1.0f ? vf_erf_small(x) : big;
}

/// x * Phi(x). The negative side uses erfc, so nothing cancels there.
CK_INLINE vf vf_gelu(vf x) {
  vf z = x * 0.707106781f;
  vf t = vf_abs(z);
  vf half_tail = 0.5f * vf_erfc_tail(t);
  vf phi = x < 0.0f ? half_tail : 1.0f - half_tail;
  phi = t < 1.0f ? vf_fma(vf_erf_small(z), 0.5f, 0.5f) : phi;
  vf y = x * phi;
  return x == -INFINITY ? (vf)-0.0f : y;
}

// Double precision where single cannot hold the intermediate value: powers and trigonometric reduction.

/// log2(x) of positive normal floats (or denormals: any positive finite double), error about 1e-13.
CK_INLINE vd vd_log2_positive(vd x) {
  vl bits = (vl)x;
  vl shifted = bits - 0x3fe6a09e667f3bcdLL;  // sqrt(1/2)
  vl e = shifted >> 52;
  vd m = (vd)((shifted & 0x000fffffffffffffLL) + 0x3fe6a09e667f3bcdLL);
  vd s = (m - 1.0) / (m + 1.0);
  vd z = s * s;
  vd q = 2.0 / 13.0 + z * (2.0 / 15.0);
  q = 2.0 / 11.0 + z * q;
  q = 2.0 / 9.0 + z * q;
  q = 2.0 / 7.0 + z * q;
  q = 2.0 / 5.0 + z * q;
  q = 2.0 / 3.0 + z * q;
  q = 2.0 + z * q;
  return __builtin_convertvector(__builtin_convertvector(e, vi), vd) + s * q * 1.4426950408889634;
}

/// 2^x in double for |x| <= 1000.
CK_INLINE vd vd_exp2(vd x) {
  const double magic = 6755399441055744.0;  // 1.5 * 2^52
  vd t = x + magic;
  vd f = (x - (t - magic)) * 0.6931471805599453;
  vl n = (vl)t - (vl)(vd)magic;
  vd q = 1.0 / 362880 + f * (1.0 / 3628800);
  q = 1.0 / 40320 + f * q;
  q = 1.0 / 5040 + f * q;
  q = 1.0 / 720 + f * q;
  q = 1.0 / 120 + f * q;
  q = 1.0 / 24 + f * q;
  q = 1.0 / 6 + f * q;
  q = 0.5 + f * q;
  q = 1.0 + f * q;
  q = 1.0 + f * q;
  return q * (vd)((n + 1023) << 52);
}

/// x^y; lanes where x is not a positive finite number or y is not finite go to libm.
CK_INLINE vf vf_pow(vf x, vf y) {
  vi plain = (x > 0.0f) & (x < INFINITY) & (vf_abs(y) < INFINITY);
  vd l = vd_log2_positive(vd_of(plain ? x : (vf)1.0f)) * vd_of(plain ? y : (vf)0.0f);
  l = l > 300.0 ? (vd)300.0 : l;
  l = l < -300.0 ? (vd)-300.0 : l;
  vf r = vf_of_vd(vd_exp2(l));
  if (vi_any(~plain)) {
    for (int i = 0; i < CK_W; i++) {
      if (!plain[i]) r[i] = powf(x[i], y[i]);
    }
  }
  return r;
}

/// sin(x + quadrants pi / 2); lanes beyond a million (and NaN, infinity) go to libm.
CK_INLINE vf vf_sin_quadrant(vf x, int quadrants) {
  vi plain = vf_abs(x) < 1e6f;
  const double magic = 6755399441055744.0;
  vd v = vd_of(plain ? x : (vf)0.0f);
  vd t = v * 0.6366197723675814 + magic;
  vd k = t - magic;
  vd r = (v - k * 1.5707963267341256) - k * 6.077100506506192e-11;
  vl n = ((vl)t - (vl)(vd)magic) + quadrants;
  vd z = r * r;
  vd s = -1.0 / 39916800 * z + 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  s = s * z * r + r;
  vd c = 1.0 / 479001600 * z - 1.0 / 3628800;
  c = c * z + 1.0 / 40320;
  c = c * z - 1.0 / 720;
  c = c * z + 1.0 / 24;
  c = c * z - 0.5;
  c = c * z + 1.0;
  vd y = (n & 1) != 0 ? c : s;
  y = (n & 2) != 0 ? -y : y;
  vf w = vf_of_vd(y);
  if (quadrants == 0) w = x == 0.0f ? x : w;
  if (vi_any(~plain)) {
    for (int i = 0; i < CK_W; i++) {
      if (!plain[i]) w[i] = quadrants == 0 ? sinf(x[i]) : cosf(x[i]);
    }
  }
  return w;
}

/// floor(a / b) exactly; the remainder a - b floor(a / b) has the sign of b.
CK_INLINE vf vf_floor_div(vf a, vf b, vf *remainder) {
  vd x = vd_of(a), y = vd_of(b);
  vd q = __builtin_elementwise_floor(x / y);
  vd r = x - q * y;
  vi plain = vi_of_vl((vl)((q < 16777216.0) & (q > -16777216.0) & (y != 0.0) & (r == r)));
  vf quotient = vf_of_vd(q), rest = vf_copysign(vf_of_vd(r), b);
  if (vi_any(~plain)) {
    for (int i = 0; i < CK_W; i++) {
      if (plain[i]) continue;
      float m = fmodf(a[i], b[i]);
      float d = (a[i] - m) / b[i];
      if (b[i] == 0) {
        quotient[i] = a[i] / b[i];
      } else {
        if (m != 0 && (m < 0) != (b[i] < 0)) m += b[i], d -= 1;
        quotient[i] = floorf(d);
        if (d - quotient[i] > 0.5f) quotient[i] += 1;
      }
      rest[i] = m == 0 ? copysignf(0.0f, b[i]) : m;
    }
  }
  *remainder = rest;
  return quotient;
}
