// Unary functions, named op_<operation> after MIL's operations, with up to two parameters. The elementwise kernel
// applies one of them; GEMMs and convolutions apply one in their epilogue. Comparisons are written so that NaN
// propagates.

static float op_identity(float x, float a, float b) { return x; }
static float op_abs(float x, float a, float b) { return fabs(x); }
static float op_acos(float x, float a, float b) { return acos(x); }
static float op_acosh(float x, float a, float b) { return acosh(x); }
static float op_asin(float x, float a, float b) { return asin(x); }
static float op_asinh(float x, float a, float b) { return asinh(x); }
static float op_atan(float x, float a, float b) { return atan(x); }
static float op_atanh(float x, float a, float b) { return atanh(x); }
static float op_ceil(float x, float a, float b) { return ceil(x); }
static float op_cos(float x, float a, float b) { return cos(x); }
static float op_cosh(float x, float a, float b) { return cosh(x); }
static float op_erf(float x, float a, float b) { return erf(x); }
static float op_exp(float x, float a, float b) { return exp(x); }
static float op_exp2(float x, float a, float b) { return exp2(x); }
static float op_floor(float x, float a, float b) { return floor(x); }
static float op_round(float x, float a, float b) { return rint(x); }
static float op_sign(float x, float a, float b) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x + 0.0f; }
static float op_sin(float x, float a, float b) { return sin(x); }
static float op_sinh(float x, float a, float b) { return sinh(x); }
static float op_sqrt(float x, float a, float b) { return sqrt(x); }
static float op_square(float x, float a, float b) { return x * x; }
static float op_tan(float x, float a, float b) { return tan(x); }
static float op_tanh(float x, float a, float b) { return tanh(x); }

// a is epsilon.
static float op_inverse(float x, float a, float b) { return 1.0f / (x + a); }
static float op_log(float x, float a, float b) { return log(x + a); }
static float op_rsqrt(float x, float a, float b) { return 1.0f / sqrt(x + a); }

// a is the lower bound, b the upper one.
static float op_clip(float x, float a, float b) {
  x = x < a ? a : x;
  return x > b ? b : x;
}
static float op_threshold(float x, float a, float b) { return x < a ? a : x; }

// Activations: a is alpha, b is beta.
static float op_relu(float x, float a, float b) { return x < 0.0f ? 0.0f : x; }
static float op_relu6(float x, float a, float b) { return op_clip(x, 0.0f, 6.0f); }
static float op_leaky_relu(float x, float a, float b) { return x < 0.0f ? a * x : x; }
static float op_thresholded_relu(float x, float a, float b) { return x < a ? 0.0f : x; }
static float op_clamped_relu(float x, float a, float b) {
  x = x < 0.0f ? a * x : x;
  return x > b ? b : x;
}
static float op_elu(float x, float a, float b) { return x < 0.0f ? a * expm1(x) : x; }
static float op_linear_activation(float x, float a, float b) { return a * x + b; }
static float op_sigmoid(float x, float a, float b) { return 1.0f / (1.0f + exp(-x)); }
static float op_sigmoid_hard(float x, float a, float b) { return op_clip(a * x + b, 0.0f, 1.0f); }
static float op_hard_swish(float x, float a, float b) { return x * op_clip(x + 3.0f, 0.0f, 6.0f) / 6.0f; }
static float op_hard_swish_scaled(float x, float a, float b) { return x * op_clip(a * x + 0.5f * b, 0.0f, b); }
static float op_hard_swish_cut(float x, float a, float b) { return x < b ? 0.0f : op_hard_swish_scaled(x, a, 1.0f); }
static float op_scaled_tanh(float x, float a, float b) { return a * tanh(b * x); }
static float op_silu(float x, float a, float b) { return x / (1.0f + exp(-x)); }
static float op_softplus(float x, float a, float b) { return op_relu(x, a, b) + log1p(exp(-fabs(x))); }
static float op_softplus_parametric(float x, float a, float b) { return a * op_softplus(b * x, a, b); }
static float op_mish(float x, float a, float b) {
  float e = exp(fmin(x, 30.0f)), n = e * (e + 2.0f);
  return x * (n / (n + 2.0f));
}
static float op_softsign(float x, float a, float b) { return x / (1.0f + fabs(x)); }
static float op_gelu(float x, float a, float b) { return 0.5f * x * (1.0f + erf(x * 0.70710678118654752f)); }
static float op_gelu_tanh(float x, float a, float b) {
  return 0.5f * x * (1.0f + tanh(0.79788456080286536f * (x + 0.044715f * x * x * x)));
}
static float op_gelu_sigmoid(float x, float a, float b) { return x / (1.0f + exp(-1.702f * x)); }
