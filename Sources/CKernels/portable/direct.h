// Direct convolution and transposed convolution of any geometry. Vectors are along the width; several output channels
// share each loaded vector.
#include "../window.h"

enum { CHANNELS = 8 };  // output channels that share a loaded vector

struct direct {
  const ck_window *w;
  const float *in;       // first input channel of the group
  const float *weights;  // of the first output channel
  float *out;            // of the first output channel
  float bias[CHANNELS];
  struct clamp clamp;
  ptrdiff_t in_channels;  // of the group
};

/// N output channels, one output row (z, y), CK_W columns from x.
CK_INLINE void direct_block(
    const struct direct *d, ptrdiff_t z, ptrdiff_t y, ptrdiff_t x, ptrdiff_t stride_w, bool inside, int N) {
  const ck_window *w = d->w;
  ptrdiff_t front = z * w->stride_d - w->pad_d, top = y * w->stride_h - w->pad_h, first = x * stride_w - w->pad_w;
  struct taps kd = taps_inside(front, w->dilation_d, w->kernel_d, w->in_d);
  struct taps kh = taps_inside(top, w->dilation_h, w->kernel_h, w->in_h);
  ptrdiff_t kernel = w->kernel_d * w->kernel_h * w->kernel_w, filter = d->in_channels * kernel;
  vf sum[CHANNELS];
  for (int n = 0; n < N; n++) sum[n] = d->bias[n];
  for (ptrdiff_t c = 0; c < d->in_channels; c++) {
    const float *channel = d->in + c * w->in_d * w->in_h * w->in_w;
    for (ptrdiff_t i = kd.begin; i < kd.end; i++) {
      for (ptrdiff_t j = kh.begin; j < kh.end; j++) {
        const float *row =
            channel + ((front + i * w->dilation_d) * w->in_h + top + j * w->dilation_h) * w->in_w;
        const float *weights = d->weights + c * kernel + (i * w->kernel_h + j) * w->kernel_w;
        for (ptrdiff_t k = 0; k < w->kernel_w; k++) {
          vf v = row_load_strided(row, first + k * w->dilation_w, stride_w, w->in_w, inside, 0);
          for (int n = 0; n < N; n++) sum[n] = vf_fma(v, (vf)weights[n * filter + k], sum[n]);
        }
      }
    }
  }
  ptrdiff_t plane = w->out_d * w->out_h * w->out_w, at = (z * w->out_h + y) * w->out_w + x;
  for (int n = 0; n < N; n++) row_store(d->out + n * plane + at, vf_clamp(sum[n], d->clamp), w->out_w - x);
}

CK_INLINE void direct_rows(const struct direct *d, ptrdiff_t stride_w, int N) {
  const ck_window *w = d->w;
  ptrdiff_t reach = (w->kernel_w - 1) * w->dilation_w + stride_w * CK_W;
  for (ptrdiff_t z = 0; z < w->out_d; z++) {
    for (ptrdiff_t y = 0; y < w->out_h; y++) {
      for (ptrdiff_t x = 0; x < w->out_w; x += CK_W) {
        ptrdiff_t first = x * stride_w - w->pad_w;
        if (first >= 0 && first + reach <= w->in_w) {
          direct_block(d, z, y, x, stride_w, true, N);
        } else {
          direct_block(d, z, y, x, stride_w, false, N);
        }
      }
    }
  }
}

#define CK_DIRECT(N)                                                    \
  static void direct_##N(const struct direct *d) {                      \
    if (d->w->stride_w == 1) {                                          \
      direct_rows(d, 1, N);                                             \
    } else if (d->w->stride_w == 2) {                                   \
      direct_rows(d, 2, N);                                             \
    } else {                                                            \
      direct_rows(d, d->w->stride_w, N);                                \
    }                                                                   \
  }
CK_DIRECT(1)
CK_DIRECT(2)
CK_DIRECT(4)
CK_DIRECT(8)

void CK_FN(conv_direct_f32)(
    const ck_window *w, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  ptrdiff_t group_in = w->in_channels / w->groups, group_out = w->out_channels / w->groups;
  ptrdiff_t filter = group_in * w->kernel_d * w->kernel_h * w->kernel_w, plane = w->out_d * w->out_h * w->out_w;
  struct direct d = {.w = w, .clamp = clamp_of(epilogue), .in_channels = group_in};
  for (ptrdiff_t c = channel_begin; c < channel_end;) {
    ptrdiff_t group = c / group_out, left = (group + 1) * group_out - c;
    if (left > channel_end - c) left = channel_end - c;
    ptrdiff_t n = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    d.in = in + group * group_in * w->in_d * w->in_h * w->in_w;
    d.weights = weights + c * filter;
    d.out = out + c * plane;
    for (ptrdiff_t i = 0; i < n; i++) d.bias[i] = epilogue->bias ? epilogue->bias[c + i] : 0.0f;
    switch (n) {
      case 8: direct_8(&d); break;
      case 4: direct_4(&d); break;
      case 2: direct_2(&d); break;
      default: direct_1(&d);
    }
    if (!d.clamp.complete) {
      ck_unary_f32(epilogue->activation, epilogue->alpha, epilogue->beta, d.out, d.out, (size_t)(n * plane));
    }
    c += n;
  }
}

/// The input positions begin ..< end for which i * stride + offset is in 0 ..< length. Here the window slides over
/// outputs.
CK_INLINE struct taps inputs_inside(ptrdiff_t offset, ptrdiff_t stride, ptrdiff_t count, ptrdiff_t length) {
  return taps_inside(offset, stride, count, length);
}

/// out[i * stride] += weight * in[i].
CK_INLINE void add_row(const float *in, float weight, float *out, ptrdiff_t stride, ptrdiff_t n) {
  if (stride == 1) {
    ptrdiff_t i = 0;
    for (; i + CK_W <= n; i += CK_W) vf_store(out + i, vf_fma(vf_load(in + i), (vf)weight, vf_load(out + i)));
    for (; i < n; i++) out[i] += weight * in[i];
  } else {
    for (ptrdiff_t i = 0; i < n; i++) out[i * stride] += weight * in[i];
  }
}

/// Adds weight(kernel position) * input plane to an output plane. With `weights` NULL, each kernel position has its own
/// input plane and weight 1.
CK_INLINE void scatter_plane(const ck_window *w, const float *in, const float *weights, float *out) {
  ptrdiff_t plane = w->in_d * w->in_h * w->in_w, position = 0;
  for (ptrdiff_t a = 0; a < w->kernel_d; a++) {
    ptrdiff_t dz = a * w->dilation_d - w->pad_d;
    struct taps zs = inputs_inside(dz, w->stride_d, w->in_d, w->out_d);
    for (ptrdiff_t b = 0; b < w->kernel_h; b++) {
      ptrdiff_t dy = b * w->dilation_h - w->pad_h;
      struct taps ys = inputs_inside(dy, w->stride_h, w->in_h, w->out_h);
      for (ptrdiff_t k = 0; k < w->kernel_w; k++, position++) {
        ptrdiff_t dx = k * w->dilation_w - w->pad_w;
        struct taps xs = inputs_inside(dx, w->stride_w, w->in_w, w->out_w);
        const float *source = weights ? in : in + position * plane;
        float weight = weights ? weights[position] : 1.0f;
        for (ptrdiff_t z = zs.begin; z < zs.end; z++) {
          for (ptrdiff_t y = ys.begin; y < ys.end; y++) {
            const float *row = source + (z * w->in_h + y) * w->in_w + xs.begin;
            float *target = out + ((z * w->stride_d + dz) * w->out_h + y * w->stride_h + dy) * w->out_w +
                            xs.begin * w->stride_w + dx;
            add_row(row, weight, target, w->stride_w, xs.end - xs.begin);
          }
        }
      }
    }
  }
}

void CK_FN(conv_transpose_f32)(
    const ck_window *w, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  ptrdiff_t group_in = w->in_channels / w->groups, group_out = w->out_channels / w->groups;
  ptrdiff_t kernel = w->kernel_d * w->kernel_h * w->kernel_w, plane = w->out_d * w->out_h * w->out_w;
  for (ptrdiff_t c = channel_begin; c < channel_end; c++) {
    ptrdiff_t group = c / group_out;
    float *target = out + c * plane, bias = epilogue->bias ? epilogue->bias[c] : 0.0f;
    for (ptrdiff_t i = 0; i < plane; i++) target[i] = bias;
    for (ptrdiff_t i = group * group_in; i < (group + 1) * group_in; i++) {
      const float *filter = weights + (i * group_out + c % group_out) * kernel;
      scatter_plane(w, in + i * w->in_d * w->in_h * w->in_w, filter, target);
    }
    if (epilogue->activation != CK_UNARY_IDENTITY) {
      ck_unary_f32(epilogue->activation, epilogue->alpha, epilogue->beta, target, target, (size_t)plane);
    }
  }
}

void CK_FN(col2im_f32)(
    const ck_window *w, const float *columns, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  ptrdiff_t kernel = w->kernel_d * w->kernel_h * w->kernel_w, plane = w->out_d * w->out_h * w->out_w;
  for (ptrdiff_t c = channel_begin; c < channel_end; c++) {
    memset(out + c * plane, 0, (size_t)plane * sizeof *out);
    scatter_plane(w, columns + (c - channel_begin) * kernel * w->in_d * w->in_h * w->in_w, NULL, out + c * plane);
  }
}

void CK_FN(im2col_f32)(
    const ck_window *w, const float *in, ptrdiff_t channel_begin, ptrdiff_t channel_end, ptrdiff_t row_begin,
    ptrdiff_t row_end, float *columns) {
  ptrdiff_t stride = w->stride_w, out_w = w->out_w;
  for (ptrdiff_t c = channel_begin; c < channel_end; c++) {
    const float *channel = in + c * w->in_d * w->in_h * w->in_w;
    for (ptrdiff_t a = 0; a < w->kernel_d; a++) {
      for (ptrdiff_t b = 0; b < w->kernel_h; b++) {
        for (ptrdiff_t k = 0; k < w->kernel_w; k++) {
          ptrdiff_t dx = k * w->dilation_w - w->pad_w;
          struct taps xs = inputs_inside(dx, stride, out_w, w->in_w);
          for (ptrdiff_t r = row_begin; r < row_end; r++, columns += out_w) {
            ptrdiff_t z = r / w->out_h * w->stride_d - w->pad_d + a * w->dilation_d;
            ptrdiff_t y = r % w->out_h * w->stride_h - w->pad_h + b * w->dilation_h;
            if (z < 0 || z >= w->in_d || y < 0 || y >= w->in_h) {
              memset(columns, 0, (size_t)out_w * sizeof *columns);
              continue;
            }
            const float *row = channel + (z * w->in_h + y) * w->in_w;
            for (ptrdiff_t x = 0; x < xs.begin; x++) columns[x] = 0;
            if (stride == 1) {
              memcpy(columns + xs.begin, row + xs.begin + dx, (size_t)(xs.end - xs.begin) * sizeof *columns);
            } else {
              for (ptrdiff_t x = xs.begin; x < xs.end; x++) columns[x] = row[x * stride + dx];
            }
            for (ptrdiff_t x = xs.end; x < out_w; x++) columns[x] = 0;
          }
        }
      }
    }
  }
}
