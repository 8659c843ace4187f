// Activation functions of neural networks. The elementwise rows and all activation epilogues use them.
//
// Error bounds: `relative` means relative to the result, `of x` relative to max(|x|, 1).
#pragma once
#include "vexp.h"

/// 1 + exp(-x) for |x| up to 87, or NaN, with the shorter dependency chain. For few vectors, which are bound by
/// latency.
CK_INLINE vf vf_one_plus_exp_minus_soon(vf x) {
  struct vf_reduced s = vf_exp_split(-x, false);
  return 1.0f + vf_times_pow2_normal(vf_exp_near(s.r), s.k);
}

/// As above, for many vectors.
CK_INLINE vf vf_one_plus_exp_minus(vf x) {
#if defined(CK_TARGET_AVX512)
  // Few instructions: a division takes ten cycles here, and the rest should not take longer.
  vf t = _mm512_fnmadd_ps(x, _mm512_set1_ps(1.44269504f), _mm512_set1_ps(CK_ROUND_MAGIC)), k = t - CK_ROUND_MAGIC;
  vf r = _mm512_fnmsub_ps(k, _mm512_set1_ps(0.693147182f), x);
  vf e = vf_fma(r, (vf)0.00831243116f, (vf)0.0418909863f);
  e = vf_fma(e, r, (vf)0.166671187f);
  e = vf_fma(e, r, (vf)0.499992251f);
  e = vf_fma(e, r, (vf)1.0f);
  e = vf_fma(e, r, (vf)1.0f);
  return 1.0f + (vf)((vu)e + ((vu)t << 23));
#else
  return vf_one_plus_exp_minus_soon(x);
#endif
}

/// x / d where y >= -87 or y is NaN, else 0. Gives 0 for y = -infinity.
CK_INLINE vf vf_over_from_87(vf x, vf d, vf y) {
#if defined(CK_TARGET_AVX512)
  return _mm512_maskz_div_ps(_mm512_cmp_ps_mask(y, _mm512_set1_ps(-87.0f), _CMP_NLT_UQ), x, d);
#else
  return y < -87.0f ? (vf)0.0f : x / d;
#endif
}

/// Relative: 6e-7; 0 below -87.
CK_INLINE vf vf_sigmoid(vf x) { return vf_over_from_87((vf)1.0f, vf_one_plus_exp_minus(vf_clamp_nan(x, -87.0f, 87.0f)), x); }
CK_INLINE vf vf_sigmoid_soon(vf x) {
  return vf_over_from_87((vf)1.0f, vf_one_plus_exp_minus_soon(vf_clamp_nan(x, -87.0f, 87.0f)), x);
}

/// x * sigmoid(y). NaN if x or y is NaN. 0 where y is below -87, also for -infinity * 0.
CK_INLINE vf vf_gated(vf x, vf y) { return vf_over_from_87(x, vf_one_plus_exp_minus(vf_clamp_nan(y, -87.0f, 87.0f)), y); }

/// x * sigmoid(x). Relative: 6e-7 down to -87; 0 below.
CK_INLINE vf vf_silu(vf x) {
#if defined(CK_TARGET_AVX512)
  // The range operation gives the smaller magnitude; 87 for NaN.
  return vf_over_from_87(x, vf_one_plus_exp_minus(_mm512_range_ps(x, _mm512_set1_ps(87.0f), 0x2)), x);
#else
  return vf_gated(x, x);
#endif
}

/// Relative: 4e-7.
CK_INLINE vf vf_tanh(vf x) {
  vf t = vf_clamp_nan(x, -9.3f, 9.3f), s = t * t;
  vf p = vf_fma(s, (vf)1.32658391e-08f, (vf)2.05450997e-05f);
  p = vf_fma(p, s, (vf)0.00349170226f);
  p = vf_fma(p, s, (vf)0.133777544f);
  p = vf_fma(p, s, (vf)1.0f);
  vf q = vf_fma(s, (vf)7.740245e-07f, (vf)0.000327927875f);
  q = vf_fma(q, s, (vf)0.0258622002f);
  q = vf_fma(q, s, (vf)0.467110693f);
  q = vf_fma(q, s, (vf)1.0f);
  return vf_clamp_nan(t * p / q, -1.0f, 1.0f);
}

/// Relative: 4e-7.
CK_INLINE vf vf_erf(vf x) {
  vf t = vf_clamp_nan(x, -3.95f, 3.95f), s = t * t;
  vf p = vf_fma(s, (vf)2.02590923e-06f, (vf)0.000284688344f);
  p = vf_fma(p, s, (vf)0.00380817661f);
  p = vf_fma(p, s, (vf)0.0528754927f);
  p = vf_fma(p, s, (vf)0.191550627f);
  p = vf_fma(p, s, (vf)1.12837911f);
  vf q = vf_fma(s, (vf)3.78318473e-05f, (vf)0.00117072999f);
  q = vf_fma(q, s, (vf)0.0150551191f);
  q = vf_fma(q, s, (vf)0.114559755f);
  q = vf_fma(q, s, (vf)0.503090024f);
  q = vf_fma(q, s, (vf)1.0f);
  return vf_clamp_nan(t * p / q, -1.0f, 1.0f);
}

/// log(1 + exp(x)). Relative: 5e-7, down to -87; 0 below.
CK_INLINE vf vf_softplus(vf x) {
  vf u = vf_exp_below_zero(-vf_abs(x));
  vf q = vf_fma(u, (vf)-0.00324401399f, (vf)0.0198514126f);
  q = vf_fma(q, u, (vf)-0.0569594391f);
  q = vf_fma(q, u, (vf)0.106036454f);
  q = vf_fma(q, u, (vf)-0.153055862f);
  q = vf_fma(q, u, (vf)0.196759373f);
  q = vf_fma(q, u, (vf)-0.249541327f);
  q = vf_fma(q, u, (vf)0.333299637f);
  q = vf_fma(q, u, (vf)-0.499999017f);
  q = vf_fma(q, u, (vf)1.0f);
  return vf_fma(q, u, vf_above((vf)0.0f, x));
}

/// x tanh(log(1 + exp(x))) = x n / (n + 2) with n = exp(x) (exp(x) + 2). Relative: 6e-7 down to -87; 0 below.
CK_INLINE vf vf_mish(vf x) {
  struct vf_reduced s = vf_exp_split(vf_clamp_nan(x, -87.0f, 30.0f), false);
  vf e = vf_times_pow2_normal(vf_exp_near(s.r), s.k), n = e * (e + 2.0f);
  return x < -87.0f ? (vf)0.0f : x * (n / (n + 2.0f));
}

#if defined(CK_TARGET_AVX512)
// |x| Phi(-|x|) in 32 pieces: polynomials around the integers of 5.16949129 |x|. The last piece is 0.
static const float ck_gelu_pieces[5][32] = {
    {0, 0.081885457f, 0.135185674f, 0.162983209f, 0.169868365f, 0.161252558f, 0.142634109f, 0.118960924f, 0.0941932872f, 0.0711073875f,
     0.0513210483f, 0.0354800411f, 0.0235265382f, 0.0149773005f, 0.00916046277f, 0.00538566941f, 0.00304491865f, 0.00165600213f,
     0.000866565271f, 0.000436395931f, 0.000211527164f, 9.86987434e-05f, 4.43364625e-05f, 1.91756644e-05f, 7.9856336e-06f, 3.2023047e-06f,
     1.23660459e-06f, 4.5986593e-07f, 1.64694285e-07f, 5.68048115e-08f, 1.88695566e-08f, 0},
    {0.0967213139f, 0.067233786f, 0.0398889817f, 0.0164831895f, -0.00179813465f, -0.0145059945f, -0.0218987409f, -0.0247842874f,
     -0.0242888853f, -0.0216166433f, -0.0178531483f, -0.0138433548f, -0.0101482747f, -0.00706507079f, -0.00468534511f, -0.00296626799f,
     -0.00179562718f, -0.0010405978f, -0.000577851024f, -0.000307705399f, -0.000157216185f, -7.71101259e-05f, -3.6320369e-05f,
     -1.64345493e-05f, -7.14587713e-06f, -2.98639247e-06f, -1.19983247e-06f, -4.63503909e-07f, -1.72191648e-07f, -6.15254976e-08f,
     -2.11462847e-08f, 0},
    {-0.0149284583f, -0.014377567f, -0.012815279f, -0.0104906624f, -0.00775352074f, -0.00497724954f, -0.00248482614f, -0.000496638822f,
     0.000890030817f, 0.00169072591f, 0.00200201664f, 0.00196122495f, 0.00170960766f, 0.00136657653f, 0.00101727084f, 0.000711564848f,
     0.000470391155f, 0.000295027014f, 0.000176046131f, 0.000100148252f, 5.43989554e-05f, 2.8248649e-05f, 1.40374113e-05f, 6.68038047e-06f,
     3.04664923e-06f, 1.33225217e-06f, 5.5884567e-07f, 2.2496161e-07f, 8.6932431e-08f, 3.22580895e-08f, 1.14971259e-08f, 0},
    {1.58943891e-07f, 0.000361154787f, 0.000663608662f, 0.000862625428f, 0.000937088276f, 0.000892163021f, 0.000754803594f, 0.000564300455f,
     0.000361353654f, 0.000179040304f, 3.7750513e-05f, -5.54853323e-05f, -0.000104316394f, -0.000118752199f, -0.000110865498f,
     -9.16102363e-05f, -6.91375753e-05f, -4.84308039e-05f, -3.17897575e-05f, -1.96724632e-05f, -1.15252342e-05f, -6.41156294e-06f,
     -3.39448616e-06f, -1.71328031e-06f, -8.25499626e-07f, -3.80114074e-07f, -1.67420296e-07f, -7.05865446e-08f, -2.85053794e-08f,
     -1.10319851e-08f, -4.09355572e-09f, 0},
    {9.27289075e-05f, 8.52256126e-05f, 6.41188453e-05f, 3.45095868e-05f, 2.95457221e-06f, -2.42666192e-05f, -4.27488958e-05f,
     -5.07895966e-05f, -4.93016378e-05f, -4.10140601e-05f, -2.9353876e-05f, -1.7433229e-05f, -7.41270878e-06f, -3.15398864e-07f,
     3.80117376e-06f, 5.48988965e-06f, 5.54372946e-06f, 4.71878229e-06f, 3.58646798e-06f, 2.49760046e-06f, 1.61610956e-06f, 9.79968377e-07f,
     5.60005333e-07f, 3.02778062e-07f, 1.55333026e-07f, 7.57813652e-08f, 3.52178695e-08f, 1.56120041e-08f, 6.60894095e-09f, 2.67412337e-09f,
     1.03500397e-09f, 0},
};

CK_INLINE vf vf_piece(vf t, int power) {
  return _mm512_permutex2var_ps(
      _mm512_loadu_ps(ck_gelu_pieces[power]), (__m512i)t, _mm512_loadu_ps(ck_gelu_pieces[power] + 16));
}
#endif

/// x * Phi(x) = max(x, 0) - |x| Phi(-|x|), Phi(x) = (1 + erf(x / sqrt 2)) / 2. Of x: 3e-7; 0 below -5.95.
CK_INLINE vf vf_gelu(vf x) {
#if defined(CK_TARGET_AVX512)
  vf t = _mm512_range_ps(x * 5.16949129f, (vf)31.0f, 0xa);  // the smaller magnitude; 31 for NaN
  vf n = t + CK_ROUND_MAGIC, u = t - (n - CK_ROUND_MAGIC);
  vf h = vf_fma(vf_piece(n, 4), u, vf_piece(n, 3));
  h = vf_fma(h, u, vf_piece(n, 2));
  h = vf_fma(h, u, vf_piece(n, 1));
  h = vf_fma(h, u, vf_piece(n, 0));
#else
  // Phi(-t) as the eighth power of a reciprocal. The rounding error is relative to the result; 1 - erf would cancel.
  vf a = vf_abs(x), t = vf_below(a, (vf)5.95f);
  vf d = vf_fma(t, (vf)3.13593841e-06f, (vf)-1.74553006e-05f);
  d = vf_fma(d, t, (vf)0.000102172147f);
  d = vf_fma(d, t, (vf)0.000132976391f);
  d = vf_fma(d, t, (vf)0.00105201139f);
  d = vf_fma(d, t, (vf)0.00938353781f);
  d = vf_fma(d, t, (vf)0.0488368087f);
  d = vf_fma(d, t, (vf)0.108759806f);
  d = vf_fma(d, t, (vf)1.09050775f);
  d *= d, d *= d;
  vf h = a < 5.95f ? t / (d * d) : (vf)0.0f;
#endif
  return vf_above((vf)0.0f, x) - h;
}

/// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 = x * sigmoid of twice the argument. Of x: 2e-7.
CK_INLINE vf vf_gelu_tanh(vf x) { return vf_gated(x, x * vf_fma(x * x, (vf)0.0713548163f, (vf)1.59576912f)); }

/// x * sigmoid(1.702 x). Of x: 2e-7.
CK_INLINE vf vf_gelu_sigmoid(vf x) { return vf_gated(x, x * 1.702f); }
