// Pooling, 1-D to 3-D, in two steps. First the rows of each window are reduced, vector by vector, to one temporary row
// that includes the padding at both ends. Then the window's columns of that row are reduced to the result. Strided
// loads therefore happen once per column.
#include "../window.h"

enum pooling { POOL_MAX, POOL_AVERAGE, POOL_L2 };

/// Elements of a temporary row. Wider windows are processed element by element. Several temporary rows are written
/// before any is read, because a load that overlaps a recent store at another offset would stall on store forwarding.
enum { POOL_ASIDE = 1024, POOL_ASIDE_ALL = 4096 };

struct pool_row {
  const ck_window *window;
  const float *in;  // the channel
  ptrdiff_t front, top;  // of the window; negative if outside
  struct taps depth, rows;
};

CK_INLINE vf pool_join(enum pooling kind, vf a, vf b) { return kind == POOL_MAX ? vf_max(b, a) : a + b; }

CK_INLINE vf pool_first(enum pooling kind, vf sum, vf v) {
  return kind == POOL_L2 ? vf_fma(v, v, sum) : pool_join(kind, sum, v);
}

CK_INLINE const float *pool_line(const struct pool_row *p, ptrdiff_t i, ptrdiff_t j) {
  const ck_window *w = p->window;
  return p->in + ((p->front + i * w->dilation_d) * w->in_h + p->top + j * w->dilation_h) * w->in_w;
}

/// Reduces the window's rows over columns first ..< first + extent, which may be outside.
CK_INLINE void pool_columns(
    enum pooling kind, const struct pool_row *p, ptrdiff_t first, ptrdiff_t extent, float fill, float *aside) {
  const ptrdiff_t width = p->window->in_w;
  for (ptrdiff_t x = 0; x < extent; x += CK_W) {
    ptrdiff_t at = first + x;
    bool inside = at >= 0 && at + CK_W <= width;
    vf sum = fill;
    if (at > -CK_W && at < width) {
      for (ptrdiff_t i = p->depth.begin; i < p->depth.end; i++) {
        for (ptrdiff_t j = p->rows.begin; j < p->rows.end; j++) {
          const float *line = pool_line(p, i, j);
          sum = pool_first(kind, sum, inside ? vf_load(line + at) : row_load(line, at, width, fill));
        }
      }
    }
    vf_store(aside + x, sum);
  }
}

/// The number of input columns that each of `count` windows covers. The first window starts at column `first`.
CK_INLINE void pool_widths(const ck_window *w, ptrdiff_t first, ptrdiff_t count, float *widths) {
  for (ptrdiff_t i = 0; i < count; i++) {
    struct taps columns = taps_inside(first + i * w->stride_w, w->dilation_w, w->kernel_w, w->in_w);
    widths[i] = (float)(columns.end - columns.begin);
  }
}

/// Input lines that a window covers.
CK_INLINE float pool_lines(const struct pool_row *p) {
  return (float)((p->depth.end - p->depth.begin) * (p->rows.end - p->rows.begin));
}

CK_INLINE float pool_size(const ck_window *w) { return (float)(w->kernel_d * w->kernel_h * w->kernel_w); }

/// Writes `count` results of a row from the reduced lines in `aside`. Averages divide by the column counts in `widths`,
/// or by the whole window if it is NULL.
CK_INLINE void pool_results(
    enum pooling kind, const struct pool_row *p, const float *aside, ptrdiff_t extent, const float *widths,
    ptrdiff_t count, ptrdiff_t stride_w, float fill, float *out) {
  const ck_window *w = p->window;
  for (ptrdiff_t x = 0; x < count; x += CK_W) {
    vf sum = fill;
    for (ptrdiff_t k = 0; k < w->kernel_w; k++) {
      ptrdiff_t at = x * stride_w + k * w->dilation_w;
      sum = pool_join(kind, sum, row_load_strided(aside, at, stride_w, extent, stride_w <= 2, fill));
    }
    if (kind == POOL_L2) sum = vf_sqrt(sum);
    if (kind == POOL_AVERAGE) {
      vf size = widths ? pool_lines(p) * vf_load(widths + x) : (vf){0} + pool_size(w);
      sum = size > 0 ? sum / size : (vf){0};
    }
    row_store(out + x, sum, count - x);
  }
}

CK_INLINE struct pool_row pool_row_at(const ck_window *w, const float *in, ptrdiff_t z, ptrdiff_t y) {
  struct pool_row p = {
      .window = w, .in = in, .front = z * w->stride_d - w->pad_d, .top = y * w->stride_h - w->pad_h};
  p.depth = taps_inside(p.front, w->dilation_d, w->kernel_d, w->in_d);
  p.rows = taps_inside(p.top, w->dilation_h, w->kernel_h, w->in_h);
  return p;
}

/// Computes the rows of plane z of a channel. `out` points to the first of them.
CK_INLINE void pool_plane(
    enum pooling kind, const ck_window *w, bool exclude_padding, const float *in, float *out, ptrdiff_t z,
    ptrdiff_t stride_w) {
  const float fill = kind == POOL_MAX ? -INFINITY : 0.0f;
  const ptrdiff_t span = (w->kernel_w - 1) * w->dilation_w + 1;
  float aside[POOL_ASIDE_ALL], widths[POOL_ASIDE + CK_W];
  const bool counts = kind == POOL_AVERAGE && exclude_padding;
  ptrdiff_t most = (POOL_ASIDE - span) / stride_w + 1;
  if (most > CK_W) most -= most % CK_W;
  for (ptrdiff_t x = 0; x < w->out_w; x += most) {
    ptrdiff_t count = w->out_w - x < most ? w->out_w - x : most;
    // Whole vectors of results read this far. With wide strides the loads gather only the needed elements.
    ptrdiff_t lanes = stride_w > 2 ? count : (count + CK_W - 1) / CK_W * CK_W;
    ptrdiff_t extent = (lanes - 1) * stride_w + span + (stride_w == 2);
    ptrdiff_t pitch = (extent + CK_W - 1) / CK_W * CK_W, together = POOL_ASIDE_ALL / pitch;
    ptrdiff_t first = x * stride_w - w->pad_w;
    if (counts) pool_widths(w, first, count, widths);
    for (ptrdiff_t y = 0; y < w->out_h; y += together) {
      ptrdiff_t rows = w->out_h - y < together ? w->out_h - y : together;
      for (ptrdiff_t r = 0; r < rows; r++) {
        struct pool_row p = pool_row_at(w, in, z, y + r);
        pool_columns(kind, &p, first, extent, fill, aside + r * pitch);
      }
      for (ptrdiff_t r = 0; r < rows; r++) {
        struct pool_row p = pool_row_at(w, in, z, y + r);
        pool_results(
            kind, &p, aside + r * pitch, extent, counts ? widths : NULL, count, stride_w, fill,
            out + (y + r) * w->out_w + x);
      }
    }
  }
}

CK_INLINE void pool_row_of_wide(enum pooling kind, const struct pool_row *p, bool exclude_padding, float *out) {
  const ck_window *w = p->window;
  for (ptrdiff_t x = 0; x < w->out_w; x++) {
    ptrdiff_t first = x * w->stride_w - w->pad_w;
    struct taps columns = taps_inside(first, w->dilation_w, w->kernel_w, w->in_w);
    float sum = kind == POOL_MAX ? -INFINITY : 0.0f;
    for (ptrdiff_t i = p->depth.begin; i < p->depth.end; i++) {
      for (ptrdiff_t j = p->rows.begin; j < p->rows.end; j++) {
        const float *line = pool_line(p, i, j);
        for (ptrdiff_t k = columns.begin; k < columns.end; k++) {
          float v = line[first + k * w->dilation_w];
          if (kind == POOL_MAX) sum = v > sum || v != v ? v : sum;
          if (kind == POOL_AVERAGE) sum += v;
          if (kind == POOL_L2) sum += v * v;
        }
      }
    }
    if (kind == POOL_L2) sum = sqrtf(sum);
    if (kind == POOL_AVERAGE) {
      float size = exclude_padding ? pool_lines(p) * (float)(columns.end - columns.begin) : pool_size(w);
      sum = size > 0 ? sum / size : 0;
    }
    out[x] = sum;
  }
}

CK_INLINE void pool_planes(
    enum pooling kind, const ck_window *w, bool exclude_padding, const float *in, float *out, ptrdiff_t begin,
    ptrdiff_t end) {
  const bool is_wide = (w->kernel_w - 1) * w->dilation_w + 1 > POOL_ASIDE;
  for (ptrdiff_t c = begin; c < end; c++) {
    const float *channel = in + c * w->in_d * w->in_h * w->in_w;
    for (ptrdiff_t z = 0; z < w->out_d; z++) {
      float *rows = out + (c * w->out_d + z) * w->out_h * w->out_w;
      if (is_wide) {
        for (ptrdiff_t y = 0; y < w->out_h; y++) {
          struct pool_row p = pool_row_at(w, channel, z, y);
          pool_row_of_wide(kind, &p, exclude_padding, rows + y * w->out_w);
        }
      } else if (w->stride_w == 1) {
        pool_plane(kind, w, exclude_padding, channel, rows, z, 1);
      } else if (w->stride_w == 2) {
        pool_plane(kind, w, exclude_padding, channel, rows, z, 2);
      } else {
        pool_plane(kind, w, exclude_padding, channel, rows, z, w->stride_w);
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
