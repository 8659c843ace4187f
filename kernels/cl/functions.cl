// Functions of one number, named op_<operation> after MIL's operations, with up to two parameters: the elementwise
// kernel applies one of them, and products and convolutions apply one to their results. Comparisons are written so that
// NaN passes through.

float op_identity(float x, float a, float b) { return x; }
float op_abs(float x, float a, float b) { return fabs(x); }
float op_acos(float x, float a, float b) { return acos(x); }
float op_asin(float x, float a, float b) { return asin(x); }
float op_atan(float x, float a, float b) { return atan(x); }
float op_atanh(float x, float a, float b) { return atanh(x); }
float op_ceil(float x, float a, float b) { return ceil(x); }
float op_cos(float x, float a, float b) { return cos(x); }
float op_cosh(float x, float a, float b) { return cosh(x); }
float op_erf(float x, float a, float b) { return erf(x); }
float op_exp(float x, float a, float b) { return exp(x); }
float op_exp2(float x, float a, float b) { return exp2(x); }
float op_floor(float x, float a, float b) { return floor(x); }
float op_round(float x, float a, float b) { return rint(x); }
float op_sign(float x, float a, float b) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x; }
float op_sin(float x, float a, float b) { return sin(x); }
float op_sinh(float x, float a, float b) { return sinh(x); }
float op_sqrt(float x, float a, float b) { return sqrt(x); }
float op_square(float x, float a, float b) { return x * x; }
float op_tan(float x, float a, float b) { return tan(x); }
float op_tanh(float x, float a, float b) { return tanh(x); }

// a is epsilon.
float op_inverse(float x, float a, float b) { return 1.0f / (x + a); }
float op_log(float x, float a, float b) { return log(x + a); }
float op_rsqrt(float x, float a, float b) { return 1.0f / sqrt(x + a); }

// a is the lower bound, b the upper one.
float op_clip(float x, float a, float b) {
  x = x < a ? a : x;
  return x > b ? b : x;
}
float op_threshold(float x, float a, float b) { return x < a ? a : x; }

// Activations: a is alpha, b is beta.
float op_relu(float x, float a, float b) { return x < 0.0f ? 0.0f : x; }
float op_relu6(float x, float a, float b) { return op_clip(x, 0.0f, 6.0f); }
float op_leaky_relu(float x, float a, float b) { return x < 0.0f ? a * x : x; }
float op_thresholded_relu(float x, float a, float b) { return x < a ? 0.0f : x; }
float op_clamped_relu(float x, float a, float b) {
  x = x < 0.0f ? a * x : x;
  return x > b ? b : x;
}
float op_elu(float x, float a, float b) { return x < 0.0f ? a * expm1(x) : x; }
float op_linear_activation(float x, float a, float b) { return a * x + b; }
float op_sigmoid(float x, float a, float b) { return 1.0f / (1.0f + exp(-x)); }
float op_sigmoid_hard(float x, float a, float b) { return op_clip(a * x + b, 0.0f, 1.0f); }
float op_scaled_tanh(float x, float a, float b) { return a * tanh(b * x); }
float op_silu(float x, float a, float b) { return x / (1.0f + exp(-x)); }
float op_softplus(float x, float a, float b) { return op_relu(x, a, b) + log1p(exp(-fabs(x))); }
float op_softplus_parametric(float x, float a, float b) { return a * op_softplus(b * x, a, b); }
float op_softsign(float x, float a, float b) { return x / (1.0f + fabs(x)); }
float op_gelu(float x, float a, float b) { return 0.5f * x * (1.0f + erf(x * 0.70710678118654752f)); }
float op_gelu_tanh(float x, float a, float b) {
  return 0.5f * x * (1.0f + tanh(0.79788456080286536f * (x + 0.044715f * x * x * x)));
}
float op_gelu_sigmoid(float x, float a, float b) { return x / (1.0f + exp(-1.702f * x)); }
