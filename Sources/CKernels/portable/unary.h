// Unary fp32 row functions: one loop for each op.
#include "../vmath.h"
#include "../vsteps.h"

CK_INLINE vf op_identity(vf x, vf a, vf b) { return (void)a, (void)b, x; }
CK_INLINE vf op_abs(vf x, vf a, vf b) { return (void)a, (void)b, vf_abs(x); }
CK_INLINE vf op_neg(vf x, vf a, vf b) { return (void)a, (void)b, -x; }
CK_INLINE vf op_sign(vf x, vf a, vf b) {
  (void)a, (void)b;
  /* NaN stays NaN; -0 becomes 0. */
  vf rest = x < 0.0f ? (vf)-1.0f : x + 0.0f;
  return x > 0.0f ? (vf)1.0f : rest;
}
CK_INLINE vf op_square(vf x, vf a, vf b) { return (void)a, (void)b, x * x; }
CK_INLINE vf op_reciprocal(vf x, vf a, vf b) { return (void)b, 1.0f / (x + a); }
CK_INLINE vf op_sqrt(vf x, vf a, vf b) { return (void)a, (void)b, vf_sqrt(x); }
CK_INLINE vf op_rsqrt(vf x, vf a, vf b) { return (void)b, 1.0f / vf_sqrt(x + a); }
CK_INLINE vf op_exp(vf x, vf a, vf b) { return (void)a, (void)b, vf_exp(x); }
CK_INLINE vf op_exp2(vf x, vf a, vf b) { return (void)a, (void)b, vf_exp2(x); }
CK_INLINE vf op_expm1(vf x, vf a, vf b) { return (void)a, (void)b, vf_expm1(x); }
CK_INLINE vf op_log(vf x, vf a, vf b) { return (void)b, vf_log(x + a); }
CK_INLINE vf op_log1p(vf x, vf a, vf b) { return (void)a, (void)b, vf_log1p(x); }
CK_INLINE vf op_floor(vf x, vf a, vf b) { return (void)a, (void)b, __builtin_elementwise_floor(x); }
CK_INLINE vf op_ceil(vf x, vf a, vf b) { return (void)a, (void)b, __builtin_elementwise_ceil(x); }
CK_INLINE vf op_round(vf x, vf a, vf b) {
  (void)a, (void)b;
#if defined(CK_FMA)
  return __builtin_elementwise_roundeven(x);
#else
  vf t = vf_abs(x);  // SSE2 has no rounding instruction; adding 2^23 drops the fraction bits
  vf r = vf_copysign((t + 8388608.0f) - 8388608.0f, x);
  return t < 8388608.0f ? r : x;
#endif
}
CK_INLINE vf op_trunc(vf x, vf a, vf b) { return (void)a, (void)b, __builtin_elementwise_trunc(x); }
CK_INLINE vf op_sin(vf x, vf a, vf b) { return (void)a, (void)b, vf_sin_quadrant(x, 0); }
CK_INLINE vf op_cos(vf x, vf a, vf b) { return (void)a, (void)b, vf_sin_quadrant(x, 1); }
CK_INLINE vf op_tanh(vf x, vf a, vf b) { return (void)a, (void)b, vf_tanh(x); }
CK_INLINE vf op_erf(vf x, vf a, vf b) { return (void)a, (void)b, vf_erf(x); }
CK_INLINE vf op_pow(vf x, vf a, vf b) { return (void)b, vf_pow(x, a); }
CK_INLINE vf op_linear(vf x, vf a, vf b) { return vf_fma(x, a, b); }
CK_INLINE vf op_clip(vf x, vf a, vf b) {
  x = x < a ? a : x;
  return x > b ? b : x;
}
CK_INLINE vf op_threshold(vf x, vf a, vf b) { return (void)b, x < a ? a : x; }
CK_INLINE vf op_relu(vf x, vf a, vf b) { return (void)a, (void)b, vf_above((vf){0}, x); }
CK_INLINE vf op_relu6(vf x, vf a, vf b) { return (void)a, (void)b, vf_clamp_nan(x, 0.0f, 6.0f); }
CK_INLINE vf op_clamped_relu(vf x, vf a, vf b) {
  x = x < 0.0f ? x * a : x;
  return x > b ? b : x;
}
CK_INLINE vf op_leaky_relu(vf x, vf a, vf b) { return (void)b, x < 0.0f ? x * a : x; }
CK_INLINE vf op_thresholded_relu(vf x, vf a, vf b) { return (void)b, x < a ? (vf)0.0f : x; }
CK_INLINE vf op_elu(vf x, vf a, vf b) { return (void)b, x < 0.0f ? a * vf_expm1(x) : x; }
CK_INLINE vf op_sigmoid(vf x, vf a, vf b) { return (void)a, (void)b, vf_sigmoid(x); }
CK_INLINE vf op_hard_sigmoid(vf x, vf a, vf b) { return vf_clamp_nan(vf_fma(x, a, b), 0.0f, 1.0f); }
CK_INLINE vf op_hard_swish(vf x, vf a, vf b) {
  (void)a, (void)b;
  return x == -INFINITY ? (vf)-0.0f : x * (vf_clamp_nan(x + 3.0f, 0.0f, 6.0f) * (1.0f / 6.0f));
}
CK_INLINE vf op_hard_swish_scaled(vf x, vf a, vf b) {
  return x == -INFINITY ? (vf)-0.0f : x * op_clip(vf_fma(x, a, b * 0.5f), (vf){0}, b);
}
CK_INLINE vf op_hard_swish_cut(vf x, vf a, vf b) {
  return x < b ? (vf)0.0f : op_hard_swish_scaled(x, a, (vf)1.0f);
}
CK_INLINE vf op_silu(vf x, vf a, vf b) { return (void)a, (void)b, vf_silu(x); }
CK_INLINE vf op_mish(vf x, vf a, vf b) { return (void)a, (void)b, vf_mish(x); }
CK_INLINE vf op_steps(vf x, vf a, vf b) { return op_clip(vf_nearest_step(x, a), b, b + 255.0f) * a; }
CK_INLINE vf op_positive_steps(vf x, vf a, vf b) { return op_clip(vf_nearest_step(x, a), (vf){0}, b) * a; }
CK_INLINE vf op_scaled_tanh(vf x, vf a, vf b) { return a * vf_tanh(b * x); }
CK_INLINE vf op_softplus(vf x, vf a, vf b) { return (void)a, (void)b, vf_softplus(x); }
CK_INLINE vf op_parametric_softplus(vf x, vf a, vf b) { return a * vf_softplus(b * x); }
CK_INLINE vf op_softsign(vf x, vf a, vf b) {
  (void)a, (void)b;
  vf t = vf_abs(x);
  return t == INFINITY ? vf_copysign((vf)1.0f, x) : x / (1.0f + t);
}
CK_INLINE vf op_gelu(vf x, vf a, vf b) { return (void)a, (void)b, vf_gelu(x); }
CK_INLINE vf op_gelu_tanh(vf x, vf a, vf b) { return (void)a, (void)b, vf_gelu_tanh(x); }
CK_INLINE vf op_gelu_sigmoid(vf x, vf a, vf b) { return (void)a, (void)b, vf_gelu_sigmoid(x); }

/// The ops that have vector code: name in the enumeration, function.
#define CK_VECTOR_OPS(F)                                                                                              \
  F(ABS, abs) F(NEG, neg) F(SIGN, sign) F(SQUARE, square) F(RECIPROCAL, reciprocal) F(SQRT, sqrt) F(RSQRT, rsqrt)      \
  F(EXP, exp) F(EXP2, exp2) F(EXPM1, expm1) F(LOG, log) F(LOG1P, log1p) F(FLOOR, floor) F(CEIL, ceil) F(ROUND, round)  \
  F(TRUNC, trunc) F(SIN, sin) F(COS, cos) F(TANH, tanh) F(ERF, erf) F(LINEAR, linear) F(CLIP, clip)        \
  F(THRESHOLD, threshold) F(RELU, relu) F(RELU6, relu6) F(CLAMPED_RELU, clamped_relu) F(LEAKY_RELU, leaky_relu)        \
  F(THRESHOLDED_RELU, thresholded_relu) F(ELU, elu) F(SIGMOID, sigmoid) F(HARD_SIGMOID, hard_sigmoid)                  \
  F(HARD_SWISH, hard_swish) F(SILU, silu) F(SCALED_TANH, scaled_tanh) F(SOFTPLUS, softplus)                            \
  F(PARAMETRIC_SOFTPLUS, parametric_softplus) F(SOFTSIGN, softsign) F(GELU, gelu) F(GELU_TANH, gelu_tanh)              \
  F(GELU_SIGMOID, gelu_sigmoid) F(MISH, mish) F(STEPS, steps) F(POSITIVE_STEPS, positive_steps)        \
  F(HARD_SWISH_SCALED, hard_swish_scaled) F(HARD_SWISH_CUT, hard_swish_cut)

/// Rare ops, computed per element by libm.
#define CK_SCALAR_OPS(F)                                                                                              \
  F(TAN, tan) F(ASIN, asin) F(ACOS, acos) F(ATAN, atan) F(SINH, sinh) F(COSH, cosh) F(ASINH, asinh) F(ACOSH, acosh)    \
  F(ATANH, atanh)

// Both lists, plus IDENTITY and POW, which have their own row functions below.
#define CK_ONE(upper, lower) +1
_Static_assert(2 CK_VECTOR_OPS(CK_ONE) CK_SCALAR_OPS(CK_ONE) == CK_UNARY_COUNT, "an op of ck_unary_op is in no list");

// Four vectors per iteration where possible: interleaved dependency chains keep more instructions in flight.
#define CK_VECTOR_ROW(upper, lower)                                                                                   \
  static void row_##lower(float alpha, float beta, const float *in, float *out, size_t n) {                           \
    vf a = alpha, b = beta;                                                                                           \
    size_t i = 0;                                                                                                     \
    for (; i + 4 * CK_W <= n; i += 4 * CK_W) {                                                                        \
      vf x0 = vf_load(in + i), x1 = vf_load(in + i + CK_W);                                                           \
      vf x2 = vf_load(in + i + 2 * CK_W), x3 = vf_load(in + i + 3 * CK_W);                                            \
      x0 = op_##lower(x0, a, b), x1 = op_##lower(x1, a, b), x2 = op_##lower(x2, a, b), x3 = op_##lower(x3, a, b);     \
      vf_store(out + i, x0);                                                                                          \
      vf_store(out + i + CK_W, x1);                                                                                   \
      vf_store(out + i + 2 * CK_W, x2);                                                                               \
      vf_store(out + i + 3 * CK_W, x3);                                                                               \
    }                                                                                                                 \
    for (; i + CK_W <= n; i += CK_W) vf_store(out + i, op_##lower(vf_load(in + i), a, b));                            \
    if (i < n) {                                                                                                      \
      vf x = vf_keep_n(vf_load_n(in + i, n - i), n - i, 1.0f); /* 1 is slow for no op */                              \
      vf_store_n(out + i, op_##lower(x, a, b), n - i);                                                                \
    }                                                                                                                 \
  }
CK_VECTOR_OPS(CK_VECTOR_ROW)
CK_VECTOR_ROW(POW, pow)

#define CK_SCALAR_ROW(upper, lower)                                                                                   \
  static void row_##lower(float alpha, float beta, const float *in, float *out, size_t n) {                           \
    (void)alpha, (void)beta;                                                                                          \
    for (size_t i = 0; i < n; i++) out[i] = lower##f(in[i]);                                                          \
  }
CK_SCALAR_OPS(CK_SCALAR_ROW)

static void row_identity(float alpha, float beta, const float *in, float *out, size_t n) {
  (void)alpha, (void)beta;
  if (in != out) memcpy(out, in, n * sizeof *out);
}

/// Common exponents without logarithms. Each result equals the definition, including special values.
static void row_pow_constant(float alpha, float beta, const float *in, float *out, size_t n) {
  if (alpha == 2.0f) {
    row_square(0, 0, in, out, n);
  } else if (alpha == 1.0f) {
    row_identity(0, 0, in, out, n);
  } else if (alpha == -1.0f) {
    row_reciprocal(-0.0f, 0, in, out, n);  // adding -0 keeps the sign of a zero
  } else {
    row_pow(alpha, beta, in, out, n);
  }
}

#define CK_ROW_ENTRY(upper, lower) [CK_UNARY_##upper] = row_##lower,
const ck_unary_row CK_FN(unary_rows_f32)[CK_UNARY_COUNT] = {
    CK_VECTOR_OPS(CK_ROW_ENTRY) CK_SCALAR_OPS(CK_ROW_ENTRY)[CK_UNARY_IDENTITY] = row_identity,
    [CK_UNARY_POW] = row_pow_constant,
};
