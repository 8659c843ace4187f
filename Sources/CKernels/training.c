// Gradients of pools.
#include "CKernels.h"

#include <string.h>

/// Where a window of output position `o` along an axis begins, and which of its taps lie inside.
struct reach {
  ptrdiff_t begin, end;
};

static struct reach reach(ptrdiff_t o, ptrdiff_t stride, ptrdiff_t pad, ptrdiff_t kernel, ptrdiff_t size) {
  ptrdiff_t begin = o * stride - pad, end = begin + kernel;
  struct reach r = {begin < 0 ? 0 : begin, end > size ? size : end};
  return r;
}

typedef void (*window_function)(
    const ck_window *, struct reach, struct reach, struct reach, const float *, float, float *);

static void spread_max(
    const ck_window *w, struct reach z, struct reach y, struct reach x, const float *in, float gradient, float *out) {
  ptrdiff_t best = -1;
  for (ptrdiff_t d = z.begin; d < z.end; d++) {
    for (ptrdiff_t h = y.begin; h < y.end; h++) {
      ptrdiff_t row = (d * w->in_h + h) * w->in_w;
      for (ptrdiff_t k = row + x.begin; k < row + x.end; k++) {
        if (best < 0 || in[k] > in[best]) best = k;
      }
    }
  }
  if (best >= 0) out[best] += gradient;
}

static void spread_sum(
    const ck_window *w, struct reach z, struct reach y, struct reach x, const float *in, float gradient, float *out) {
  (void)in;
  for (ptrdiff_t d = z.begin; d < z.end; d++) {
    for (ptrdiff_t h = y.begin; h < y.end; h++) {
      float *row = out + (d * w->in_h + h) * w->in_w;
      for (ptrdiff_t k = x.begin; k < x.end; k++) row[k] += gradient;
    }
  }
}

static void spread(
    const ck_window *w, window_function each, const float *in, const float *gradient, float *out, ptrdiff_t begin,
    ptrdiff_t end) {
  ptrdiff_t plane = w->in_d * w->in_h * w->in_w;
  for (ptrdiff_t c = begin; c < end; c++) {
    const float *source = gradient + c * w->out_d * w->out_h * w->out_w;
    float *target = out + c * plane;
    memset(target, 0, (size_t)plane * sizeof *target);
    for (ptrdiff_t d = 0; d < w->out_d; d++) {
      struct reach z = reach(d, w->stride_d, w->pad_d, w->kernel_d, w->in_d);
      for (ptrdiff_t h = 0; h < w->out_h; h++) {
        struct reach y = reach(h, w->stride_h, w->pad_h, w->kernel_h, w->in_h);
        for (ptrdiff_t k = 0; k < w->out_w; k++) {
          each(w, z, y, reach(k, w->stride_w, w->pad_w, w->kernel_w, w->in_w), in + c * plane, *source++, target);
        }
      }
    }
  }
}

void ck_max_pool_gradient_f32(
    const ck_window *shape, const float *in, const float *gradient, float *out, ptrdiff_t channel_begin,
    ptrdiff_t channel_end) {
  spread(shape, spread_max, in, gradient, out, channel_begin, channel_end);
}

void ck_pool_sum_gradient_f32(
    const ck_window *shape, const float *gradient, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  // What stands in `in` is not read.
  spread(shape, spread_sum, gradient, gradient, out, channel_begin, channel_end);
}
