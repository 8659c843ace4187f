// Gradients of pooling.
#include "CKernels.h"

#include <stdbool.h>
#include <string.h>

/// The range of input positions along an axis that the window of output position `o` covers.
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

/// Adjacent 2 x 2 windows without overlap, by far the most common case. Each element belongs to at most one window, so
/// it is written once.
static bool is_tiles_of_two(const ck_window *w) {
  return w->kernel_d == 1 && w->stride_d == 1 && w->kernel_h == 2 && w->stride_h == 2 && w->kernel_w == 2 &&
         w->stride_w == 2 && w->pad_d == 0 && w->pad_h == 0 && w->pad_w == 0 && w->out_d == w->in_d &&
         2 * w->out_h <= w->in_h && 2 * w->out_w <= w->in_w;
}

/// The comparisons are those of `spread_max`, in the same order, so that equal values and NaN give the same choice.
static void max_row_of_two(
    const float *restrict top, const float *restrict bottom, const float *restrict gradient, float *restrict out_top,
    float *restrict out_bottom, ptrdiff_t n) {
  for (ptrdiff_t k = 0; k < n; k++) {
    float a = top[2 * k], b = top[2 * k + 1], c = bottom[2 * k], d = bottom[2 * k + 1], g = gradient[k];
    int is_b = b > a;
    float best = is_b ? b : a;
    int is_c = c > best;
    best = is_c ? c : best;
    int is_d = d > best;
    int is_top = !is_c & !is_d;
    out_top[2 * k] = (is_top & !is_b) ? g : 0;
    out_top[2 * k + 1] = (is_top & is_b) ? g : 0;
    out_bottom[2 * k] = (is_c & !is_d) ? g : 0;
    out_bottom[2 * k + 1] = is_d ? g : 0;
  }
}

static void max_tiles_of_two(
    const ck_window *w, const float *in, const float *gradient, float *out, ptrdiff_t begin, ptrdiff_t end) {
  ptrdiff_t plane = w->in_h * w->in_w, width = w->in_w;
  // Depth is not reduced, so its planes are treated like channels.
  for (ptrdiff_t p = begin * w->in_d; p < end * w->in_d; p++) {
    const float *source = in + p * plane, *row = gradient + p * w->out_h * w->out_w;
    float *target = out + p * plane;
    // An odd row or column that no window covers has gradient zero.
    if (2 * w->out_h < w->in_h || 2 * w->out_w < width) memset(target, 0, (size_t)plane * sizeof *target);
    for (ptrdiff_t h = 0; h < w->out_h; h++) {
      ptrdiff_t place = 2 * h * width;
      max_row_of_two(
          source + place, source + place + width, row + h * w->out_w, target + place, target + place + width, w->out_w);
    }
  }
}

void ck_max_pool_gradient_f32(
    const ck_window *shape, const float *in, const float *gradient, float *out, ptrdiff_t channel_begin,
    ptrdiff_t channel_end) {
  if (is_tiles_of_two(shape)) {
    max_tiles_of_two(shape, in, gradient, out, channel_begin, channel_end);
    return;
  }
  spread(shape, spread_max, in, gradient, out, channel_begin, channel_end);
}

void ck_pool_sum_gradient_f32(
    const ck_window *shape, const float *gradient, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  // `spread_sum` does not read the values of `in`; any valid pointer works.
  spread(shape, spread_sum, gradient, gradient, out, channel_begin, channel_end);
}
