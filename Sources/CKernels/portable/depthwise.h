// Depthwise convolution of planes, with vectors along the width. Square kernels of 3 and 5 with stride 1 or 2, and of 7
// with stride 1, keep several output rows in registers. An input vector is then loaded once for all rows that use it.
#include "../window.h"

enum { ZEROS = 2048 };
static const float zeros[ZEROS];  // a row of padding

struct plane {
  const float *in;
  const float *weights;
  float *out;
  ptrdiff_t in_h, in_w, out_w, pad_h, pad_w;
  float bias;
  struct clamp clamp;
};

/// R output rows from y, CK_W columns from x. The input rows are `rows[0 ..< (R - 1) S + K]`.
CK_INLINE void square_block(
    const struct plane *p, const float *const *rows, ptrdiff_t y, ptrdiff_t x, bool inside, int K, int S, int R) {
  vf sum[8];
#pragma clang loop unroll(full)
  for (int r = 0; r < R; r++) sum[r] = p->bias;
  ptrdiff_t first = x * S - p->pad_w;
#pragma clang loop unroll(full)
  for (int i = 0; i < (R - 1) * S + K; i++) {
    vf taps[7];
#pragma clang loop unroll(full)
    for (int k = 0; k < K; k++) {
      if (S == 1) {
        taps[k] = inside ? vf_load(rows[i] + first + k) : row_load(rows[i], first + k, p->in_w, 0);
      } else if (k % 2 == 0) {
        ptrdiff_t at = first + k;
        vf a = inside ? vf_load(rows[i] + at) : row_load(rows[i], at, p->in_w, 0);
        vf b = inside ? vf_load(rows[i] + at + CK_W) : row_load(rows[i], at + CK_W, p->in_w, 0);
        taps[k] = vf_even(a, b);
        if (k + 1 < K) taps[k + 1] = vf_odd(a, b);
      }
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
      int ky = i - r * S;
      if (ky < 0 || ky >= K) continue;
#pragma clang loop unroll(full)
      for (int k = 0; k < K; k++) sum[r] = vf_fma(taps[k], (vf)p->weights[ky * K + k], sum[r]);
    }
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < R; r++) {
    row_store(p->out + (y + r) * p->out_w + x, vf_clamp(sum[r], p->clamp), p->out_w - x);
  }
}

CK_INLINE void square_rows(const struct plane *p, ptrdiff_t y, int K, int S, int R) {
  const float *rows[16];
  for (int i = 0; i < (R - 1) * S + K; i++) {
    ptrdiff_t at = y * S - p->pad_h + i;
    rows[i] = at >= 0 && at < p->in_h ? p->in + at * p->in_w : zeros;
  }
  for (ptrdiff_t x = 0; x < p->out_w; x += CK_W) {
    ptrdiff_t first = x * S - p->pad_w;
    bool inside = first >= 0 && first + S * CK_W + K <= p->in_w && x + CK_W <= p->out_w;
    if (inside) {
      square_block(p, rows, y, x, true, K, S, R);
    } else {
      square_block(p, rows, y, x, false, K, S, R);
    }
  }
}

#define CK_SQUARE(K, S, R)                                                              \
  static void square_##K##_##S(const struct plane *p, ptrdiff_t out_h) {                \
    ptrdiff_t y = 0;                                                                    \
    for (; y + R <= out_h; y += R) square_rows(p, y, K, S, R);                          \
    for (; y < out_h; y++) square_rows(p, y, K, S, 1);                                  \
  }
CK_SQUARE(3, 1, 4)
CK_SQUARE(3, 2, 4)
CK_SQUARE(5, 1, 4)
CK_SQUARE(5, 2, 2)
CK_SQUARE(7, 1, 4)

/// Any kernel, stride and dilation.
CK_INLINE void general_row(const ck_window *w, const struct plane *p, ptrdiff_t y, ptrdiff_t stride_w) {
  ptrdiff_t top = y * w->stride_h - w->pad_h;
  struct taps ky = taps_inside(top, w->dilation_h, w->kernel_h, w->in_h);
  ptrdiff_t reach = (w->kernel_w - 1) * w->dilation_w + stride_w * CK_W;
  for (ptrdiff_t x = 0; x < p->out_w; x += CK_W) {
    ptrdiff_t first = x * stride_w - w->pad_w;
    bool inside = first >= 0 && first + reach <= w->in_w;
    vf sum = p->bias;
    for (ptrdiff_t i = ky.begin; i < ky.end; i++) {
      const float *row = p->in + (top + i * w->dilation_h) * w->in_w;
      const float *weights = p->weights + i * w->kernel_w;
      for (ptrdiff_t k = 0; k < w->kernel_w; k++) {
        vf v = row_load_strided(row, first + k * w->dilation_w, stride_w, w->in_w, inside, 0);
        sum = vf_fma(v, (vf)weights[k], sum);
      }
    }
    row_store(p->out + y * p->out_w + x, vf_clamp(sum, p->clamp), p->out_w - x);
  }
}

static void general(const ck_window *w, const struct plane *p) {
  for (ptrdiff_t y = 0; y < w->out_h; y++) {
    if (w->stride_w == 1) {
      general_row(w, p, y, 1);
    } else if (w->stride_w == 2) {
      general_row(w, p, y, 2);
    } else {
      general_row(w, p, y, w->stride_w);
    }
  }
}

void CK_FN(depthwise_conv2d_f32)(
    const ck_window *w, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  ptrdiff_t multiplier = w->out_channels / w->in_channels, plane_out = w->out_h * w->out_w;
  bool square = w->kernel_h == w->kernel_w && w->stride_h == w->stride_w && w->dilation_h == 1 && w->dilation_w == 1 &&
                w->in_w <= ZEROS;
  struct plane p = {
      .in_h = w->in_h, .in_w = w->in_w, .out_w = w->out_w, .pad_h = w->pad_h, .pad_w = w->pad_w,
      .clamp = clamp_of(epilogue)};
  for (ptrdiff_t c = channel_begin; c < channel_end; c++) {
    p.in = in + c / multiplier * w->in_h * w->in_w;
    p.weights = weights + c * w->kernel_h * w->kernel_w;
    p.out = out + c * plane_out;
    p.bias = epilogue->bias ? epilogue->bias[c] : 0.0f;
    if (square && w->kernel_h == 3 && w->stride_h == 1) {
      square_3_1(&p, w->out_h);
    } else if (square && w->kernel_h == 3 && w->stride_h == 2) {
      square_3_2(&p, w->out_h);
    } else if (square && w->kernel_h == 5 && w->stride_h == 1) {
      square_5_1(&p, w->out_h);
    } else if (square && w->kernel_h == 5 && w->stride_h == 2) {
      square_5_2(&p, w->out_h);
    } else if (square && w->kernel_h == 7 && w->stride_h == 1) {
      square_7_1(&p, w->out_h);
    } else {
      general(w, &p);
    }
    if (!p.clamp.complete) {
      ck_unary_f32(epilogue->activation, epilogue->alpha, epilogue->beta, p.out, p.out, (size_t)plane_out);
    }
  }
}
