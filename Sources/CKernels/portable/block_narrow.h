// Grouped NCHWc convolution for UNITS_NARROW: several groups share a block, and each group has as many outputs as
// inputs.
//
// The kernel first copies each input line with zero padding. The copy transposes the channels of a block: first channel
// 0 of all groups, then channel 1 of all groups, and so on. One load then gets the same channel of every group and
// repeats these elements over the lanes. Accumulator and weight lanes have the transposed order, too. The accumulators
// are transposed back before the epilogue.
#include "block_strip.h"

#define CK_TURNED_LANE(L, N, G) ((L) % (G) * (N) + (L) / (G))
#define CK_TURNED_LANES_4(L, N, G) \
  CK_TURNED_LANE(L, N, G), CK_TURNED_LANE(L + 1, N, G), CK_TURNED_LANE(L + 2, N, G), CK_TURNED_LANE(L + 3, N, G)
#if CK_W == 16
#define CK_TURNED_LANES(N, G) \
  CK_TURNED_LANES_4(0, N, G), CK_TURNED_LANES_4(4, N, G), CK_TURNED_LANES_4(8, N, G), CK_TURNED_LANES_4(12, N, G)
#define CK_REPEATED_LANES(G) \
  0 % G, 1 % G, 2 % G, 3 % G, 4 % G, 5 % G, 6 % G, 7 % G, 8 % G, 9 % G, 10 % G, 11 % G, 12 % G, 13 % G, 14 % G, 15 % G
#elif CK_W == 8
#define CK_TURNED_LANES(N, G) CK_TURNED_LANES_4(0, N, G), CK_TURNED_LANES_4(4, N, G)
#define CK_REPEATED_LANES(G) 0 % G, 1 % G, 2 % G, 3 % G, 4 % G, 5 % G, 6 % G, 7 % G
#else
#define CK_TURNED_LANES(N, G) CK_TURNED_LANES_4(0, N, G)
#define CK_REPEATED_LANES(G) 0 % G, 1 % G, 2 % G, 3 % G
#endif

/// Transposes a vector: a matrix of CK_W / n rows of `n` lanes becomes one of `n` rows of CK_W / n lanes. A call with
/// CK_W / n inverts it.
CK_INLINE vf turned(vf v, int n) {
  switch (n) {
    case 2: return __builtin_shufflevector(v, v, CK_TURNED_LANES(2, CK_W / 2));
#if CK_W >= 8
    case 4: return __builtin_shufflevector(v, v, CK_TURNED_LANES(4, CK_W / 4));
#endif
#if CK_W == 16
    case 8: return __builtin_shufflevector(v, v, CK_TURNED_LANES(8, 2));
#endif
    default: return v;
  }
}

/// Loads `count` elements and repeats them over all lanes.
CK_INLINE vf repeated(const float *from, int count) {
#define CK_REPEAT(G)                                                                               \
  case G: {                                                                                        \
    float __attribute__((ext_vector_type(G))) v;                                                   \
    memcpy(&v, from, sizeof v);                                                                    \
    return __builtin_shufflevector(v, v, CK_REPEATED_LANES(G));                                    \
  }
  switch (count) {
    CK_REPEAT(2)
#if CK_W >= 8
    CK_REPEAT(4)
#endif
#if CK_W == 16
    CK_REPEAT(8)
#endif
    default: return vf_load(from);
  }
#undef CK_REPEAT
}

/// Computes a register tile of P positions of one block, for groups of N channels.
CK_INLINE void narrow_sums(int P, int N, ptrdiff_t position, const struct strip *s, const struct ending *e, const float *in, float *out) {
  vf sum[CK_LONE];
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) sum[p] = 0;
  const float *weights = (const float *)s->weights + s->taps_before * N * CK_W;
  for (ptrdiff_t y = 0; y < s->taps_y; y++) {
    const float *q = in + y * s->tap_y;
    for (ptrdiff_t x = 0; x < s->taps_x; x++, q += s->tap_x) {
#pragma clang loop unroll(disable)
      for (int i = 0; i < N; i++, weights += CK_W) {
        vf w = vf_load(weights);
#pragma clang loop unroll(full)
        for (int p = 0; p < P; p++) sum[p] = vf_fma(repeated(q + p * position + i * (CK_W / N), CK_W / N), w, sum[p]);
      }
    }
  }
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) sum[p] = turned(sum[p], CK_W / N);
  strip_end(P, 1, s, e, sum, sum, out);
}

#define CK_NARROW_ENTRY(P, N, NAME, POSITION)                                                                             \
  static void narrow_##NAME##_##N##_##P(const struct strip *s, const struct ending *e, const float *in, float *out) { \
    narrow_sums(P, N, POSITION, s, e, in, out);                                                                           \
  }
#define CK_NARROW_NAME(P, N, NAME, POSITION) narrow_##NAME##_##N##_##P,
#define CK_NARROW_ROW(N, NAME, POSITION)            \
  CK_LONE_WIDTHS(CK_NARROW_ENTRY, N, NAME, POSITION) \
  static const strip_function narrows_##NAME##_##N[CK_LONE + 1] = {NULL, CK_LONE_WIDTHS(CK_NARROW_NAME, N, NAME, POSITION)};
#define CK_NARROW_SET(N)                                                                                           \
  CK_NARROW_ROW(N, next, CK_W)                                                                                     \
  CK_NARROW_ROW(N, second, 2 * CK_W)                                                                               \
  CK_NARROW_ROW(N, any, s->position)                                                                               \
  static void turn_line_##N(const float *from, size_t count, float *to) {                                          \
    for (size_t x = 0; x < count; x++) vf_store(to + x * CK_W, turned(vf_load(from + x * CK_W), N));               \
  }                                                                                                                \
  static const struct narrow narrow_##N = {N, {narrows_next_##N, narrows_second_##N, narrows_any_##N}, turn_line_##N};

/// Functions for groups of `channels` channels.
struct narrow {
  size_t channels;
  const strip_function *strips[3];  // for stride 1, stride 2, and other strides
  void (*turn_line)(const float *from, size_t count, float *to);
};

CK_NARROW_SET(1)
CK_NARROW_SET(2)
#if CK_W >= 8
CK_NARROW_SET(4)
#endif
#if CK_W == 16
CK_NARROW_SET(8)
#endif

CK_INLINE const struct narrow *narrow_of(const ck_window *w) {
  switch (w->in_channels / w->groups) {
#if CK_W == 16
    case 8: return &narrow_8;
#endif
#if CK_W >= 8
    case 4: return &narrow_4;
#endif
    case 2: return &narrow_2;
    default: return &narrow_1;
  }
}

// Floats of a block's input lines that are transposed at a time. They stay in L1 or L2.
enum { NARROW_BAND = 1 << 14 };

/// lines: output lines that are computed at a time. rows: input lines that they read. columns: positions of such an
/// input line, including the zero padding.
struct narrow_band {
  size_t lines, rows, columns;
};

CK_INLINE struct narrow_band narrow_band_of(const ck_window *w) {
  struct narrow_band b = {.columns = (size_t)((w->out_w - 1) * w->stride_w + (w->kernel_w - 1) * w->dilation_w + 1)};
  size_t reach = (size_t)((w->kernel_h - 1) * w->dilation_h + 1), rows = NARROW_BAND / (b.columns * CK_W);
  b.lines = rows > reach ? (rows - reach) / (size_t)w->stride_h + 1 : 1;
  if (b.lines > (size_t)w->out_h) b.lines = (size_t)w->out_h;
  b.rows = (b.lines - 1) * (size_t)w->stride_h + reach;
  return b;
}

CK_INLINE size_t narrow_scratch_size(const ck_window *w) {
  struct narrow_band b = narrow_band_of(w);
  return b.rows * b.columns * CK_W;
}

/// Copies and transposes `rows` input lines of one block, from line `top` on. Lines outside the input are not written,
/// because no tap reads them.
CK_INLINE void turn_band(
    const ck_window *w, const struct narrow *n, const struct narrow_band *b, const float *in, ptrdiff_t top, size_t rows, float *to) {
  size_t before = (size_t)w->pad_w < b->columns ? (size_t)w->pad_w : b->columns, inside = b->columns - before;
  if (inside > (size_t)w->in_w) inside = (size_t)w->in_w;
  size_t after = b->columns - before - inside;
  for (size_t i = 0; i < rows; i++, to += b->columns * CK_W) {
    ptrdiff_t y = top + (ptrdiff_t)i;
    if (y < 0 || y >= w->in_h) continue;
    memset(to, 0, before * CK_W * sizeof *to);
    n->turn_line(in + (size_t)(y * w->in_w) * CK_W, inside, to + before * CK_W);
    memset(to + (before + inside) * CK_W, 0, after * CK_W * sizeof *to);
  }
}

/// Computes rows `row_begin` ..< `row_end` of blocks `unit_begin` ..< `unit_end`.
static void narrow_conv(
    const ck_window *w, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add, float *out, float *scratch,
    size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  const struct narrow *n = narrow_of(w);
  struct narrow_band b = narrow_band_of(w);
  size_t width = (size_t)w->out_w, area = (size_t)w->out_h * width, taps = (size_t)(w->kernel_h * w->kernel_w);
  ptrdiff_t row = (ptrdiff_t)b.columns * CK_W;
  struct fetching next = {0};
  struct strip s = {
      .taps_x = w->kernel_w, .tap_y = w->dilation_h * row, .tap_x = w->dilation_w * CK_W, .position = w->stride_w * CK_W,
      .out_block = (ptrdiff_t)(area * CK_W), .passes = {true, true}, .next = &next};
  struct strips f = {n->strips[w->stride_w < 3 ? w->stride_w - 1 : 2], CK_LONE};
  struct ending e = ending_of(epilogue);
  float bias[CK_W];
  for (size_t unit = unit_begin; unit < unit_end; unit++) {
    size_t left = (size_t)w->out_channels - unit * CK_W;
    e.lanes = left < CK_W ? left : CK_W;
    s.weights = packed + unit * taps * n->channels * CK_W;
    for (size_t i = 0; epilogue->bias && i < CK_W; i++) bias[i] = i < e.lanes ? epilogue->bias[unit * CK_W + i] : 0;
    e.bias = epilogue->bias ? bias : NULL;
    for (size_t y0 = row_begin; y0 < row_end; y0 += b.lines) {
      size_t lines = row_end - y0 < b.lines ? row_end - y0 : b.lines;
      ptrdiff_t top = (ptrdiff_t)y0 * w->stride_h - w->pad_h;
      const float *block = in + unit * (size_t)(w->in_h * w->in_w) * CK_W;
      turn_band(w, n, &b, block, top, (lines - 1) * (size_t)w->stride_h + (b.rows - (b.lines - 1) * (size_t)w->stride_h), scratch);
      for (size_t y = 0; y < lines; y++) {
        struct taps rows = taps_inside(top + (ptrdiff_t)y * w->stride_h, w->dilation_h, w->kernel_h, w->in_h);
        size_t place = unit * area * CK_W + (y0 + y) * width * CK_W;
        s.taps_y = rows.end - rows.begin, s.taps_before = rows.begin * w->kernel_w;
        e.add = add ? add + place : NULL;
        strips_run(f, &s, &e, 1, scratch + (ptrdiff_t)y * w->stride_h * row + rows.begin * s.tap_y, out + place, width);
      }
    }
  }
}
