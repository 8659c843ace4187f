// NCHWc operations with a window over each channel separately: depthwise convolution and pooling. A vector holds the
// CK_W channels of one position.
#include "block_strip.h"

enum window_op { WINDOW_WEIGHTS, WINDOW_MAX, WINDOW_SUM };
#if defined(CK_TARGET_GENERIC)
enum { WINDOW_STRIP = 4 };
#else
enum { WINDOW_STRIP = 8 };
#endif

/// One output row of one block.
struct window_row {
  const ck_window *w;
  const float *in;  // the element at tap 0, 0 of the row's first position; outside the input if that is padding
  const float *weights;
  struct taps rows;
};

/// The number of accumulators per position in a register tile of P positions. Each adds a part of the taps. With few
/// positions, a single accumulator per position would be bound by FMA latency.
#define WINDOW_PARTS(P) ((P) >= WINDOW_STRIP ? 1 : (P) == 4 ? 2 : 4)

/// Accumulates P positions over the rows of taps `r->rows` and the columns `columns`, which are all inside the input.
/// `from` is the element of the first position at tap 0, 0. `step` is the distance of positions in floats.
///
/// K is the size of a K x K kernel with dilation 1, and 0 for any other kernel. ROWS is the number of rows inside the
/// input, or 0 if it is not a constant. Loops over K and ROWS are unrolled.
CK_INLINE void window_sums(
    int P, int K, int ROWS, enum window_op op, ptrdiff_t step, const struct window_row *r, const float *from, struct taps columns,
    vf *sum) {
  const ck_window *w = r->w;
  const float *weights = r->weights;  // NULL for pooling
  const int parts = K > 0 ? WINDOW_PARTS(P) : 1;
  vf all[WINDOW_PARTS(1) * WINDOW_STRIP];
#pragma clang loop unroll(full)
  for (int p = 0; p < parts * P; p++) all[p] = op == WINDOW_MAX ? -INFINITY : 0;
#define CK_WINDOW_TAP(Q, WEIGHT, PART)                                                \
  {                                                                                   \
    const float *q = Q;                                                               \
    vf weight = op == WINDOW_WEIGHTS ? vf_load(weights + (WEIGHT)) : (vf)0.0f;        \
    vf *own = all + (PART) * P;                                                       \
    _Pragma("clang loop unroll(full)") for (int p = 0; p < P; p++) {                  \
      vf v = vf_load(q + p * step);                                                   \
      if (op == WINDOW_WEIGHTS) own[p] = vf_fma(v, weight, own[p]);                   \
      if (op == WINDOW_MAX) own[p] = vf_max(v, own[p]);                               \
      if (op == WINDOW_SUM) own[p] += v;                                              \
    }                                                                                 \
  }
  if (K > 0) {
    const float *row = from + r->rows.begin * w->in_w * CK_W;
    ptrdiff_t weight_at = r->rows.begin * K * CK_W;
#define CK_WINDOW_ROW                                                                            \
  _Pragma("clang loop unroll(full)") for (int k = 0; k < K; k++) {                               \
    if (k >= columns.begin && k < columns.end)                                                   \
      CK_WINDOW_TAP(row + k * CK_W, weight_at + k * CK_W, k % parts)                             \
  }                                                                                              \
  row += w->in_w * CK_W, weight_at += K * CK_W;
    if (ROWS > 0) {
#pragma clang loop unroll(full)
      for (int i = 0; i < ROWS; i++) {
        CK_WINDOW_ROW
      }
    } else {
      for (ptrdiff_t i = r->rows.begin; i < r->rows.end; i++) {
        CK_WINDOW_ROW
      }
    }
#undef CK_WINDOW_ROW
  } else {
    for (ptrdiff_t i = r->rows.begin; i < r->rows.end; i++) {
      for (ptrdiff_t k = columns.begin; k < columns.end; k++) {
        CK_WINDOW_TAP(from + (i * w->dilation_h * w->in_w + k * w->dilation_w) * CK_W, (i * w->kernel_w + k) * CK_W, 0)
      }
    }
  }
#undef CK_WINDOW_TAP
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) {
    sum[p] = all[p];
#pragma clang loop unroll(full)
    for (int part = 1; part < parts; part++) {
      sum[p] = op == WINDOW_MAX ? vf_max(all[part * P + p], sum[p]) : sum[p] + all[part * P + p];
    }
  }
}

/// The epilogue of a row.
struct window_end {
  const struct ending *ending;
  vf bias;
  const float *add;  // of the row
  bool divides, counts_inside;
};

CK_INLINE void window_store(
    int P, const struct window_row *r, const struct window_end *e, struct taps columns, vf *sum, ptrdiff_t x, float *out) {
  vf scale = 1;
  if (e->divides) {
    ptrdiff_t inside = (r->rows.end - r->rows.begin) * (columns.end - columns.begin);
    ptrdiff_t count = e->counts_inside ? inside : r->w->kernel_h * r->w->kernel_w;
    scale = count > 0 ? 1.0f / (float)count : 0;
  }
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) {
    vf v = e->divides ? sum[p] * scale : sum[p] + e->bias;
    if (e->add) v += vf_load(e->add + (x + p) * CK_W);
    vf_store(out + (x + p) * CK_W, e->ending ? vf_clamp(v, e->ending->clamp) : v);
  }
}

CK_INLINE void window_line(
    int K, int ROWS, enum window_op op, ptrdiff_t step, const struct window_row *r, const struct window_end *e, float *out) {
  const ck_window *w = r->w;
  vf sum[WINDOW_STRIP];
  struct taps all = {0, K > 0 ? K : w->kernel_w};
  ptrdiff_t reach = (w->kernel_w - 1) * w->dilation_w;
  // At positions begin ..< end, all columns of the window are inside the input.
  ptrdiff_t begin = (w->pad_w + w->stride_w - 1) / w->stride_w, last = w->in_w - 1 - reach + w->pad_w;
  ptrdiff_t end = last < 0 ? 0 : last / w->stride_w + 1;
  if (end > w->out_w) end = w->out_w;
  if (begin > end) begin = end;
#define CK_WINDOW_POSITIONS(P, COLUMNS)                                              \
  {                                                                                  \
    struct taps columns = COLUMNS;                                                   \
    window_sums(P, K, ROWS, op, step, r, r->in + x * step, columns, sum);            \
    window_store(P, r, e, columns, sum, x, out);                                     \
    x += P;                                                                          \
  }
  for (ptrdiff_t x = 0; x < w->out_w;) {
    if (x < begin || x >= end) {
      CK_WINDOW_POSITIONS(1, taps_inside(x * w->stride_w - w->pad_w, w->dilation_w, w->kernel_w, w->in_w))
    } else if (end - x >= WINDOW_STRIP) {
      CK_WINDOW_POSITIONS(WINDOW_STRIP, all)
    } else if (end - x >= 4) {
      CK_WINDOW_POSITIONS(4, all)
    } else if (end - x >= 2) {
      CK_WINDOW_POSITIONS(2, all)
    } else {
      CK_WINDOW_POSITIONS(1, all)
    }
  }
#undef CK_WINDOW_POSITIONS
}

CK_INLINE void window_steps(
    int K, int ROWS, enum window_op op, const struct window_row *r, const struct window_end *e, float *out) {
  if (r->w->stride_w == 1) {
    window_line(K, ROWS, op, CK_W, r, e, out);
  } else if (r->w->stride_w == 2) {
    window_line(K, ROWS, op, 2 * CK_W, r, e, out);
  } else {
    window_line(0, 0, op, r->w->stride_w * CK_W, r, e, out);
  }
}

CK_INLINE void window_any(enum window_op op, const struct window_row *r, const struct window_end *e, float *out) {
  const ck_window *w = r->w;
  bool square = w->kernel_h == w->kernel_w && w->dilation_h == 1 && w->dilation_w == 1;
  switch (square ? w->kernel_w * 8 + r->rows.end - r->rows.begin : 0) {
    case 3 * 8 + 3: return window_steps(3, 3, op, r, e, out);
    case 3 * 8 + 2: return window_steps(3, 2, op, r, e, out);
    default: break;
  }
  if (square && w->kernel_w == 5 && op == WINDOW_WEIGHTS) return window_steps(5, 0, op, r, e, out);
  if (square && w->kernel_w == 7 && op == WINDOW_WEIGHTS) return window_steps(7, 0, op, r, e, out);
  window_steps(0, 0, op, r, e, out);
}

CK_INLINE struct window_row window_row_at(const ck_window *w, const float *in, size_t block, size_t y) {
  ptrdiff_t top = (ptrdiff_t)y * w->stride_h - w->pad_h;
  const float *plane = in + block * (size_t)(w->in_h * w->in_w) * CK_W;
  return (struct window_row){
      .w = w, .in = plane + (top * w->in_w - w->pad_w) * CK_W,
      .rows = taps_inside(top, w->dilation_h, w->kernel_h, w->in_h)};
}

void CK_FN(block_depthwise_pack_f32)(
    const ck_window *w, const float *weights, ptrdiff_t row_stride, size_t block_begin, size_t block_end, float *packed) {
  size_t taps = (size_t)(w->kernel_h * w->kernel_w), channels = (size_t)w->out_channels, first = block_begin * CK_W;
  for (size_t block = block_begin; block < block_end; block++) {
    for (size_t tap = 0; tap < taps; tap++) {
      for (size_t lane = 0; lane < CK_W; lane++) {
        size_t channel = block * CK_W + lane;
        packed[(block * taps + tap) * CK_W + lane] =
            channel < channels ? weights[(ptrdiff_t)(channel - first) * row_stride + (ptrdiff_t)tap] : 0;
      }
    }
  }
}

CK_INLINE size_t lanes_of(size_t channels, size_t block) {
  return channels - block * CK_W < CK_W ? channels - block * CK_W : CK_W;
}

void CK_FN(block_depthwise_f32)(
    const ck_window *w, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add, float *out,
    size_t block_begin, size_t block_end, size_t row_begin, size_t row_end) {
  struct ending ending = ending_of(epilogue);
  size_t taps = (size_t)(w->kernel_h * w->kernel_w), width = (size_t)w->out_w, area = (size_t)w->out_h * width;
  for (size_t block = block_begin; block < block_end; block++) {
    ending.lanes = lanes_of((size_t)w->out_channels, block);
    struct window_end e = {.ending = &ending};
    if (epilogue->bias) e.bias = vf_load_n(epilogue->bias + block * CK_W, ending.lanes);
    for (size_t y = row_begin; y < row_end; y++) {
      struct window_row r = window_row_at(w, in, block, y);
      r.weights = packed + block * taps * CK_W;
      size_t place = (block * area + y * width) * CK_W;
      e.add = add ? add + place : NULL;
      window_any(WINDOW_WEIGHTS, &r, &e, out + place);
      if (needs_finish(&ending)) finish_stored(&ending, true, out + place, width);
    }
  }
}

void CK_FN(block_pool_f32)(
    ck_block_pool op, const ck_window *w, const float *in, float *out, size_t block_begin, size_t block_end,
    size_t row_begin, size_t row_end) {
  size_t width = (size_t)w->out_w, area = (size_t)w->out_h * width;
  struct ending clean = {.clamp = {-INFINITY, INFINITY, true}};
  for (size_t block = block_begin; block < block_end; block++) {
    clean.lanes = lanes_of((size_t)w->out_channels, block);
    struct window_end e = {.divides = op != CK_BLOCK_POOL_MAX, .counts_inside = op == CK_BLOCK_POOL_AVERAGE_INSIDE};
    for (size_t y = row_begin; y < row_end; y++) {
      struct window_row r = window_row_at(w, in, block, y);
      float *to = out + (block * area + y * width) * CK_W;
      if (op == CK_BLOCK_POOL_MAX) {
        window_any(WINDOW_MAX, &r, &e, to);
      } else {
        window_any(WINDOW_SUM, &r, &e, to);
      }
      // A window without an element inside the input gives -infinity in all lanes. Padding lanes must be 0.
      if (clean.lanes < CK_W) finish_stored(&clean, true, to, width);
    }
  }
}
