// Powers, sines and remainders. They use double precision where single precision cannot hold the intermediate value.
#pragma once
#include "vector.h"

/// log2(x) of positive normal floats (also subnormal ones: any positive finite double). Error about 1e-13.
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

/// x^y. Lanes where x is not a positive finite number or y is not finite use libm.
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

/// sin(x + quadrants pi / 2). Lanes beyond a million, NaN and infinity use libm.
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
