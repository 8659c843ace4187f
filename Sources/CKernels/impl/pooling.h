// Pooling, 1-D to 3-D: vectors along the width, all the window's rows at once.
#include "../window.h"

enum pooling { POOL_MAX, POOL_AVERAGE, POOL_L2 };

CK_INLINE vf pool_step(enum pooling kind, vf sum, vf v) {
  switch (kind) {
    case POOL_MAX: return vf_max(sum, v);
    case POOL_AVERAGE: return sum + v;
    default: return vf_fma(v, v, sum);
  }
}

CK_INLINE void pool_row(
    enum pooling kind, const ck_window *w, bool exclude_padding, const float *in, float *out, ptrdiff_t z, ptrdiff_t y,
    ptrdiff_t stride_w) {
  ptrdiff_t front = z * w->stride_d - w->pad_d, top = y * w->stride_h - w->pad_h;
  struct taps kd = taps_inside(front, w->dilation_d, w->kernel_d, w->in_d);
  struct taps kh = taps_inside(top, w->dilation_h, w->kernel_h, w->in_h);
  ptrdiff_t reach = (w->kernel_w - 1) * w->dilation_w + stride_w * CK_W;
  const float fill = kind == POOL_MAX ? -INFINITY : 0.0f;
  ptrdiff_t row_taps = (kd.end - kd.begin) * (kh.end - kh.begin);
  for (ptrdiff_t x = 0; x < w->out_w; x += CK_W) {
    ptrdiff_t first = x * stride_w - w->pad_w;
    bool inside = first >= 0 && first + reach <= w->in_w;
    vf sum = fill;
    for (ptrdiff_t i = kd.begin; i < kd.end; i++) {
      for (ptrdiff_t j = kh.begin; j < kh.end; j++) {
        const float *row = in + ((front + i * w->dilation_d) * w->in_h + top + j * w->dilation_h) * w->in_w;
        if (inside) {
          for (ptrdiff_t k = 0; k < w->kernel_w; k++)
            sum = pool_step(
                kind, sum, row_load_strided(row, first + k * w->dilation_w, stride_w, w->in_w, true, fill));
        } else {
          for (ptrdiff_t k = 0; k < w->kernel_w; k++)
            sum = pool_step(
                kind, sum, row_load_strided(row, first + k * w->dilation_w, stride_w, w->in_w, false, fill));
        }
      }
    }
    if (kind == POOL_L2) sum = vf_sqrt(sum);
    if (kind == POOL_AVERAGE) {
      vf count = (float)(w->kernel_d * w->kernel_h * w->kernel_w);
      if (exclude_padding && inside) count = (float)(row_taps * w->kernel_w);
      if (exclude_padding && !inside) {
        for (int l = 0; l < CK_W; l++) {
          struct taps kw = taps_inside(first + l * stride_w, w->dilation_w, w->kernel_w, w->in_w);
          ptrdiff_t taps = row_taps * (kw.end - kw.begin);
          count[l] = taps > 0 ? (float)taps : 1.0f;
        }
      }
      sum /= count;
    }
    row_store(out + x, sum, w->out_w - x);
  }
}

CK_INLINE void pool_planes(
    enum pooling kind, const ck_window *w, bool exclude_padding, const float *in, float *out, ptrdiff_t begin,
    ptrdiff_t end) {
  for (ptrdiff_t c = begin; c < end; c++) {
    const float *plane = in + c * w->in_d * w->in_h * w->in_w;
    for (ptrdiff_t z = 0; z < w->out_d; z++) {
      for (ptrdiff_t y = 0; y < w->out_h; y++) {
        float *row = out + ((c * w->out_d + z) * w->out_h + y) * w->out_w;
        if (w->stride_w == 1) {
          pool_row(kind, w, exclude_padding, plane, row, z, y, 1);
        } else if (w->stride_w == 2) {
          pool_row(kind, w, exclude_padding, plane, row, z, y, 2);
        } else {
          pool_row(kind, w, exclude_padding, plane, row, z, y, w->stride_w);
        }
      }
    }
  }
}

void CK_FN(max_pool_f32)(
    const ck_window *w, const float *in, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  pool_planes(POOL_MAX, w, false, in, out, channel_begin, channel_end);
}

void CK_FN(average_pool_f32)(
    const ck_window *w, bool exclude_padding, const float *in, float *out, ptrdiff_t channel_begin,
    ptrdiff_t channel_end) {
  pool_planes(POOL_AVERAGE, w, exclude_padding, in, out, channel_begin, channel_end);
}

void CK_FN(l2_pool_f32)(
    const ck_window *w, const float *in, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  pool_planes(POOL_L2, w, false, in, out, channel_begin, channel_end);
}
