#include "plain.h"

double plain_unary(ck_unary_op op, double a, double b, double x) {
  switch (op) {
    case CK_UNARY_IDENTITY: return x;
    case CK_UNARY_ABS: return fabs(x);
    case CK_UNARY_NEG: return -x;
    case CK_UNARY_SIGN: return x > 0 ? 1 : x < 0 ? -1 : isnan(x) ? x : 0;
    case CK_UNARY_SQUARE: return x * x;
    case CK_UNARY_RECIPROCAL: return 1 / (x + a);
    case CK_UNARY_SQRT: return sqrt(x);
    case CK_UNARY_RSQRT: return 1 / sqrt(x + a);
    case CK_UNARY_EXP: return exp(x);
    case CK_UNARY_EXP2: return exp2(x);
    case CK_UNARY_EXPM1: return expm1(x);
    case CK_UNARY_LOG: return log(x + a);
    case CK_UNARY_LOG1P: return log1p(x);
    case CK_UNARY_FLOOR: return floor(x);
    case CK_UNARY_CEIL: return ceil(x);
    case CK_UNARY_ROUND: return rint(x);
    case CK_UNARY_TRUNC: return trunc(x);
    case CK_UNARY_SIN: return sin(x);
    case CK_UNARY_COS: return cos(x);
    case CK_UNARY_TAN: return tan(x);
    case CK_UNARY_ASIN: return asin(x);
    case CK_UNARY_ACOS: return acos(x);
    case CK_UNARY_ATAN: return atan(x);
    case CK_UNARY_SINH: return sinh(x);
    case CK_UNARY_COSH: return cosh(x);
    case CK_UNARY_TANH: return tanh(x);
    case CK_UNARY_ASINH: return asinh(x);
    case CK_UNARY_ACOSH: return acosh(x);
    case CK_UNARY_ATANH: return atanh(x);
    case CK_UNARY_ERF: return erf(x);
    case CK_UNARY_POW: return pow(x, a);
    case CK_UNARY_LINEAR: return a * x + b;
    case CK_UNARY_CLIP: return x != x ? x : fmin(fmax(x, a), b);
    case CK_UNARY_THRESHOLD: return x != x ? x : fmax(x, a);
    case CK_UNARY_RELU: return x < 0 ? 0 : x;
    case CK_UNARY_RELU6: return x < 0 ? 0 : x > 6 ? 6 : x;
    case CK_UNARY_CLAMPED_RELU: return (x < 0 ? a * x : x) > b ? b : x < 0 ? a * x : x;
    case CK_UNARY_LEAKY_RELU: return x < 0 ? a * x : x;
    case CK_UNARY_THRESHOLDED_RELU: return x < a ? 0 : x;
    case CK_UNARY_ELU: return x < 0 ? a * expm1(x) : x;
    case CK_UNARY_SIGMOID: return 1 / (1 + exp(-x));
    case CK_UNARY_HARD_SIGMOID: return x != x ? x : fmin(fmax(a * x + b, 0), 1);
    case CK_UNARY_HARD_SWISH: return x != x ? x : x * fmin(fmax(x + 3, 0), 6) / 6;
    case CK_UNARY_SILU: return x / (1 + exp(-x));
    case CK_UNARY_SCALED_TANH: return a * tanh(b * x);
    case CK_UNARY_SOFTPLUS: return fmax(x, 0) + log1p(exp(-fabs(x)));
    case CK_UNARY_PARAMETRIC_SOFTPLUS: return a * (fmax(b * x, 0) + log1p(exp(-fabs(b * x))));
    case CK_UNARY_SOFTSIGN: return x / (1 + fabs(x));
    case CK_UNARY_GELU: return x * 0.5 * erfc(-x * M_SQRT1_2);
    case CK_UNARY_GELU_TANH: return x * (1 + tanh(sqrt(M_2_PI) * (x + 0.044715 * x * x * x))) / 2;
    case CK_UNARY_GELU_SIGMOID: return x / (1 + exp(-1.702 * x));
    case CK_UNARY_MISH: return x * tanh(fmax(x, 0) + log1p(exp(-fabs(x))));
    case CK_UNARY_STEPS: return a * fmin(fmax(x != x ? 0 : rint(x / a), b), b + 255);
    case CK_UNARY_POSITIVE_STEPS: return a * fmin(x != x ? 0 : fmax(rint(x / a), 0), b);
    case CK_UNARY_HARD_SWISH_SCALED: return x != x ? x : x * fmin(fmax(a * x + b / 2, 0), b);
    case CK_UNARY_HARD_SWISH_CUT: return x != x ? x : x < b ? 0 : x * fmin(fmax(a * x + 0.5, 0), 1);
    case CK_UNARY_COUNT: break;
  }
  abort();
}

double plain_half(uint16_t half) {
  int exponent = half >> 10 & 31, digits = half & 1023;
  double magnitude = exponent == 31  ? (digits ? NAN : INFINITY)
                     : exponent == 0 ? ldexp(digits, -24)
                                     : ldexp(1024 + digits, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

uint16_t plain_half_of(double x) {
  uint16_t sign = signbit(x) ? 0x8000 : 0;
  x = fabs(x);
  if (x != x) return sign | 0x7e00;
  if (x >= 65520) return sign | 0x7c00;
  int exponent;
  frexp(x, &exponent);
  if (x < 0x1p-14) return (uint16_t)(sign | (int)rint(ldexp(x, 24)));
  int digits = (int)rint(ldexp(x, 11 - exponent));  // 1024 ... 2048
  return (uint16_t)(sign | (((exponent + 14) << 10) + digits - 1024));
}

static void random_axis(
    struct window_kind kind, size_t most_in, ptrdiff_t *in, ptrdiff_t *out, ptrdiff_t *kernel, ptrdiff_t *stride,
    ptrdiff_t *dilation, ptrdiff_t *pad) {
  *kernel = (ptrdiff_t)random_size(1, kind.most_kernel), *stride = (ptrdiff_t)random_size(1, kind.most_stride);
  *dilation = kind.dilates ? (ptrdiff_t)random_size(1, 3) : 1;
  ptrdiff_t reach = (*kernel - 1) * *dilation + 1;
  *in = (ptrdiff_t)random_size(1, most_in);
  *pad = random_bool() ? 0 : (ptrdiff_t)random_size(0, (size_t)reach);
  ptrdiff_t after = (ptrdiff_t)random_size(0, (size_t)reach - 1), span = *in + *pad + after - reach;
  if (span < 0) *pad -= span, span = 0;
  *out = span / *stride + 1;
}

ck_window random_window(struct window_kind kind, size_t in_channels, size_t out_channels, size_t groups) {
  ck_window w = {
      .in_channels = (ptrdiff_t)in_channels,
      .out_channels = (ptrdiff_t)out_channels,
      .groups = (ptrdiff_t)groups,
      .in_d = 1,
      .out_d = 1,
      .kernel_d = 1,
      .stride_d = 1,
      .dilation_d = 1};
  if (kind.deep) {
    random_axis(kind, 4, &w.in_d, &w.out_d, &w.kernel_d, &w.stride_d, &w.dilation_d, &w.pad_d);
  }
  random_axis(kind, kind.most_height, &w.in_h, &w.out_h, &w.kernel_h, &w.stride_h, &w.dilation_h, &w.pad_h);
  random_axis(kind, kind.most_width, &w.in_w, &w.out_w, &w.kernel_w, &w.stride_w, &w.dilation_w, &w.pad_w);
  return w;
}

const char *window_text(const ck_window *w) {
  static char text[200];
  snprintf(
      text, sizeof text,
      "channels %td to %td in %td groups, in %tdx%tdx%td, out %tdx%tdx%td, kernel %tdx%tdx%td, stride %td %td %td, "
      "dilation %td %td %td, pad %td %td %td",
      w->in_channels, w->out_channels, w->groups, w->in_d, w->in_h, w->in_w, w->out_d, w->out_h, w->out_w, w->kernel_d,
      w->kernel_h, w->kernel_w, w->stride_d, w->stride_h, w->stride_w, w->dilation_d, w->dilation_h, w->dilation_w,
      w->pad_d, w->pad_h, w->pad_w);
  return text;
}

bool plain_tap(
    const ck_window *w, ptrdiff_t z, ptrdiff_t y, ptrdiff_t x, ptrdiff_t a, ptrdiff_t b, ptrdiff_t c, size_t *place) {
  ptrdiff_t d = z * w->stride_d - w->pad_d + a * w->dilation_d, h = y * w->stride_h - w->pad_h + b * w->dilation_h;
  ptrdiff_t v = x * w->stride_w - w->pad_w + c * w->dilation_w;
  if (d < 0 || d >= w->in_d || h < 0 || h >= w->in_h || v < 0 || v >= w->in_w) return false;
  *place = (size_t)((d * w->in_h + h) * w->in_w + v);
  return true;
}

double *plain_conv(const ck_window *w, const float *in, const float *weights) {
  double *out = zeros((size_t)w->out_channels * out_area(w)), *sum = out;
  size_t inputs = (size_t)(w->in_channels / w->groups), outputs = (size_t)(w->out_channels / w->groups);
  for (size_t o = 0; o < (size_t)w->out_channels; o++) {
    for (ptrdiff_t p = 0; p < (ptrdiff_t)out_area(w); p++, sum++) {
      ptrdiff_t z = p / w->out_w / w->out_h, y = p / w->out_w % w->out_h, x = p % w->out_w;
      for (size_t i = 0; i < inputs; i++) {
        const float *channel = in + (o / outputs * inputs + i) * in_area(w);
        const float *kernel = weights + (o * inputs + i) * kernel_area(w);
        for (ptrdiff_t t = 0; t < (ptrdiff_t)kernel_area(w); t++) {
          size_t place;
          if (plain_tap(
                  w, z, y, x, t / w->kernel_w / w->kernel_h, t / w->kernel_w % w->kernel_h, t % w->kernel_w, &place))
            *sum += (double)channel[place] * (double)kernel[t];
        }
      }
    }
  }
  return out;
}

ck_epilogue random_epilogue(size_t channels) {
  static const ck_unary_op kinds[] = {CK_UNARY_IDENTITY, CK_UNARY_RELU, CK_UNARY_RELU6,      CK_UNARY_CLIP,
                                      CK_UNARY_SIGMOID,  CK_UNARY_SILU, CK_UNARY_LEAKY_RELU, CK_UNARY_IDENTITY};
  ck_epilogue e = {.activation = kinds[random_size(0, sizeof kinds / sizeof *kinds - 1)], .alpha = 0.1f, .beta = 0.5f};
  if (random_bool()) e.bias = floats(channels, -1, 1);
  return e;
}

double plain_epilogue(const ck_epilogue *e, size_t channel, double sum) {
  return plain_unary(e->activation, (double)e->alpha, (double)e->beta, sum + (e->bias ? (double)e->bias[channel] : 0));
}

struct step_kind random_step_kind(void) {
  static const struct step_kind kinds[] = {{0.0071f, 0}, {0.0071f, -128}, {0.0039f, -255}, {1.0f / 256, -3}};
  return kinds[random_size(0, sizeof kinds / sizeof *kinds - 1)];
}

float *random_multiples(size_t n, struct step_kind kind) {
  float *x = floats(n, 0, 1);
  for (size_t i = 0; i < n; i++) x[i] = kind.scale * (float)(kind.low + (int32_t)random_size(0, 255));
  return x;
}

float *blocked(const float *dense, size_t channels, size_t area) {
  size_t size = ck_block_size();
  float *out = take(blocked_size(channels, area) * sizeof *out);
  for (size_t c = 0; c < block_count(channels) * size; c++) {
    for (size_t i = 0; i < area; i++)
      out[(c / size * area + i) * size + c % size] = c < channels ? dense[c * area + i] : 0;
  }
  return out;
}

double *blocked_doubles(const double *dense, size_t channels, size_t area) {
  size_t size = ck_block_size();
  double *out = zeros(blocked_size(channels, area));
  for (size_t c = 0; c < channels; c++) {
    for (size_t i = 0; i < area; i++) out[(c / size * area + i) * size + c % size] = dense[c * area + i];
  }
  return out;
}
