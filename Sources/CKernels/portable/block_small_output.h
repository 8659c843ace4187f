// Small-output convolution: NCHWc input and a few dense output channels. Lanes are input channels, so no lane is wasted
// on missing output channels. A register tile holds the accumulators of a few positions by all output channels. A final
// sum over the lanes turns CK_W accumulators into one vector of neighboring positions of an output channel.
#include "../block_layout.h"
#include "../window.h"
#include "lanes.h"

/// CK_FEW: the maximum number O of output channels. CK_FEW_POSITIONS(O): positions whose accumulators fit in registers;
/// a divisor of CK_W.
#if CK_W == 16
#define CK_FEW 8
#define CK_FEW_POSITIONS(O) ((O) == 1 ? 16 : (O) <= 3 ? 8 : (O) <= 6 ? 4 : 2)
#elif CK_W == 8
#define CK_FEW 5
#define CK_FEW_POSITIONS(O) ((O) == 1 ? 8 : (O) <= 3 ? 4 : 2)
#elif defined(CK_TARGET_NEON)
#define CK_FEW 4
#define CK_FEW_POSITIONS(O) 4
#else
#define CK_FEW 4
#define CK_FEW_POSITIONS(O) ((O) <= 2 ? 4 : 2)
#endif

struct few {
  const float *weights;  // [blocks, kernel_h, kernel_w, outputs, CK_W]
  ptrdiff_t position, tap_x, tap_y, block;  // strides of the input, in floats
  ptrdiff_t blocks, kernel_h, kernel_w;
};

/// Accumulates P positions by O output channels over the taps `rows` x `columns`. Stores the accumulator of output
/// channel o and position p in sums[o][first + p].
CK_INLINE void few_sums(
    int P, int O, const struct few *f, const float *in, struct taps rows, struct taps columns, ptrdiff_t first, vf sums[][CK_W]) {
  vf sum[24];
#pragma clang loop unroll(full)
  for (int i = 0; i < P * O; i++) sum[i] = 0;
  for (ptrdiff_t b = 0; b < f->blocks; b++) {
    for (ptrdiff_t y = rows.begin; y < rows.end; y++) {
      const float *from = in + b * f->block + y * f->tap_y + columns.begin * f->tap_x;
      const float *weights = f->weights + ((b * f->kernel_h + y) * f->kernel_w + columns.begin) * O * CK_W;
      for (ptrdiff_t x = columns.begin; x < columns.end; x++, from += f->tap_x, weights += O * CK_W) {
        vf w[CK_FEW];
#pragma clang loop unroll(full)
        for (int o = 0; o < O; o++) w[o] = vf_load(weights + o * CK_W);
#pragma clang loop unroll(full)
        for (int p = 0; p < P; p++) {
          vf v = vf_load(from + p * f->position);
#pragma clang loop unroll(full)
          for (int o = 0; o < O; o++) sum[p * O + o] = vf_fma(v, w[o], sum[p * O + o]);
        }
      }
    }
  }
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) {
#pragma clang loop unroll(full)
    for (int o = 0; o < O; o++) sums[o][first + p] = sum[p * O + o];
  }
}

/// Lane i of the result is the sum of all lanes of vector i.
CK_INLINE vf sums_of_lanes(const vf *vectors) {
  vf v[CK_W];
#pragma clang loop unroll(full)
  for (int i = 0; i < CK_W; i++) v[i] = vectors[i];
#pragma clang loop unroll(full)
  for (int half = CK_W / 2; half > 0; half /= 2) {
#pragma clang loop unroll(full)
    for (int i = 0; i < half; i++) v[i] = lanes_low(v[i], v[i + half]) + lanes_high(v[i], v[i + half]);
  }
  return v[0];
}

CK_INLINE void few_rows(
    int O, const ck_window *w, const struct few *f, const float *in, const ck_epilogue *e, float *out, size_t begin, size_t end) {
  const int P = CK_FEW_POSITIONS(O);
  const struct clamp clamp = clamp_of(e);
  const struct taps all = {0, w->kernel_w};
  const ptrdiff_t plane = w->out_h * w->out_w;
  // Positions whose windows are inside the input along the row.
  struct taps whole = taps_inside(-w->pad_w, w->stride_w, w->out_w, w->in_w - (w->kernel_w - 1) * w->dilation_w);
  for (ptrdiff_t y = (ptrdiff_t)begin; y < (ptrdiff_t)end; y++) {
    ptrdiff_t top = y * w->stride_h - w->pad_h;
    struct taps rows = taps_inside(top, w->dilation_h, w->kernel_h, w->in_h);
    const float *line = in + top * w->in_w * CK_W;
    float *target = out + y * w->out_w;
    for (ptrdiff_t x = 0; x < w->out_w;) {
      vf sums[CK_FEW][CK_W];
      ptrdiff_t n = CK_W;
      if (x >= whole.begin && x < whole.end && whole.end - whole.begin >= CK_W) {
        // The last vector of these positions begins earlier, and recomputes some positions, so that it is a whole
        // vector.
        if (whole.end - x < CK_W) x = whole.end - CK_W;
        for (int p = 0; p < CK_W; p += P) {
          few_sums(P, O, f, line + ((x + p) * w->stride_w - w->pad_w) * CK_W, rows, all, p, sums);
        }
      } else {
        ptrdiff_t end_of_edge = x < whole.begin ? whole.begin : w->out_w;
        if (end_of_edge - x < CK_W) n = end_of_edge - x;
        memset(sums, 0, sizeof sums);
        for (ptrdiff_t p = 0; p < n; p++) {
          ptrdiff_t first = (x + p) * w->stride_w - w->pad_w;
          few_sums(1, O, f, line + first * CK_W, rows, taps_inside(first, w->dilation_w, w->kernel_w, w->in_w), p, sums);
        }
      }
      for (int o = 0; o < O; o++) {
        vf v = sums_of_lanes(sums[o]) + (e->bias ? e->bias[o] : 0.0f);
        row_store(target + o * plane + x, vf_clamp(v, clamp), n);
      }
      x += n;
    }
  }
  if (clamp.complete) return;
  for (int o = 0; o < O; o++) {
    float *from = out + o * plane + (ptrdiff_t)begin * w->out_w;
    ck_unary_f32(e->activation, e->alpha, e->beta, from, from, (end - begin) * (size_t)w->out_w);
  }
}

size_t CK_FN(block_small_output_most)(void) { return CK_FEW; }

void CK_FN(block_small_output_pack_f32)(const ck_window *w, const float *weights, size_t channel, float *packed) {
  ptrdiff_t taps = w->kernel_h * w->kernel_w, blocks = (ptrdiff_t)blocks_of((size_t)w->in_channels);
  for (ptrdiff_t b = 0; b < blocks; b++) {
    ptrdiff_t lanes = w->in_channels - b * CK_W < CK_W ? w->in_channels - b * CK_W : CK_W;
    for (ptrdiff_t t = 0; t < taps; t++) {
      float *to = packed + ((b * taps + t) * w->out_channels + (ptrdiff_t)channel) * CK_W;
      for (ptrdiff_t i = 0; i < CK_W; i++) to[i] = i < lanes ? weights[(b * CK_W + i) * taps + t] : 0;
    }
  }
}

void CK_FN(block_small_output_f32)(
    const ck_window *w, const float *in, const float *packed, const ck_epilogue *epilogue, float *out, size_t row_begin,
    size_t row_end) {
  const struct few f = {
      .weights = packed,
      .position = w->stride_w * CK_W,
      .tap_x = w->dilation_w * CK_W,
      .tap_y = w->dilation_h * w->in_w * CK_W,
      .block = w->in_h * w->in_w * CK_W,
      .blocks = (ptrdiff_t)blocks_of((size_t)w->in_channels),
      .kernel_h = w->kernel_h,
      .kernel_w = w->kernel_w,
  };
#define CK_FEW_CASE(O) \
  case O: few_rows(O, w, &f, in, epilogue, out, row_begin, row_end); break;
  switch (w->out_channels) {
    CK_FEW_CASE(1)
    CK_FEW_CASE(2)
    CK_FEW_CASE(3)
    CK_FEW_CASE(4)
#if CK_FEW > 4
    CK_FEW_CASE(5)
#endif
#if CK_FEW > 5
    CK_FEW_CASE(6)
    CK_FEW_CASE(7)
    CK_FEW_CASE(8)
#endif
    default: break;
  }
#undef CK_FEW_CASE
}
