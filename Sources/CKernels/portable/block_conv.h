// Direct NCHWc convolution. The input is NCHWc, or dense planes of single channels (`planes`). The loops are, from
// outer to inner: bands of output rows, K blocks (block_strip.h), units of output channels.
#if defined(CK_TARGET_AVX512BF16) || defined(CK_TARGET_AVX512VNNI)
#include "block_strip.h"
#else
#include "block_narrow.h"
#endif
#if defined(CK_TARGET_AVX512BF16)
#include "../x86/bf16_dot.h"
#endif

/// Parameters that convert int32 accumulators: those of ck_integer_sums, or of ck_int8_accumulators if `shifts` is set.
struct integer_sums {
  const int32_t *starts;
  const float *scales, *shifts;
  ck_int8_quantization steps;
};

// Floats of the input rows that a band of output rows reads. They stay in L2 while all units' weights are applied to
// them.
enum { BAND_FLOATS = 1 << 16 };

CK_INLINE size_t unit_channel(const ck_window *w, size_t unit) {
  size_t channels = (size_t)w->out_channels, first = unit_at(w, 1, unit).out_block * CK_W;
  return first < channels ? first : channels;
}

CK_INLINE size_t packed_size(const ck_window *w) {
  return blocks_of((size_t)w->out_channels) * CK_W * unit_group_of(w).channels * (size_t)(w->kernel_h * w->kernel_w);
}

/// Stores one line of a unit's weights, as fp32 or fp16. Lanes of two bf16 or four int8 weights are copied as fp32.
/// Returns the address after the line.
CK_INLINE void *store_line(const float *line, size_t lanes, enum weights_kind kind, void *to) {
  if (kind != WEIGHTS_F16) return (float *)memcpy(to, line, lanes * sizeof *line) + lanes;
  uint16_t *half = to;
  for (size_t lane = 0; lane < lanes; lane += CK_W) vf_store_f16(half + lane, vf_load(line + lane));
  return half + lanes;
}

/// The weight of a filter at tap `tap` for input channel `i`. For bf16 and int8, `i` counts pairs and groups of four of
/// the `channels` channels. int8 weights are quantized integers, stored as fp32.
CK_INLINE float weight_at(const float *filter, size_t channels, size_t taps, size_t i, size_t tap, enum weights_kind kind) {
#if defined(CK_TARGET_AVX512BF16) || defined(CK_TARGET_AVX512VNNI)
  (void)kind;
  return numbers_along(filter + CK_ALONG * i * taps + tap, (ptrdiff_t)taps, channels - CK_ALONG * i);
#else
  (void)kind, (void)channels;
  return filter[i * taps + tap];
#endif
}

/// Packs the weights of units `unit_begin` ..< `unit_end`. For bf16 and int8, the input channels of `w` count pairs and
/// groups of four, and `channels` is the number of single channels. `weights` starts at the first unit's first output
/// channel; filters are `row_stride` apart.
static void block_conv_pack(
    const ck_window *w, bool planes, enum weights_kind kind, const float *weights, size_t channels, ptrdiff_t row_stride,
    size_t unit_begin, size_t unit_end, void *packed) {
  size_t taps = (size_t)(w->kernel_h * w->kernel_w), width = planes ? 1 : CK_W, first = unit_channel(w, unit_begin);
  size_t filter = (size_t)(w->in_channels / w->groups), outputs = (size_t)w->out_channels, own = outputs / (size_t)w->groups;
  size_t size = weight_size(kind);
  enum unit_kind units = unit_kind_of(w);
  float line[2 * CK_W];
  for (size_t index = unit_begin; index < unit_end; index++) {
    struct unit u = unit_at(w, taps, index);
    size_t lanes = u.blocks * CK_W;
    void *to = (char *)packed + u.offset * size;
    // Every block has space for the same number of input channels. A block that spans fewer groups than others leaves
    // part of it unused.
    if (units == UNITS_MIXED) memset(to, 0, CK_W * unit_group_of(w).channels * taps * size);
    for (size_t block = 0, count; block < u.channels; block += count) {
      count = block == 0 ? width - u.first : width;
      if (count > u.channels - block) count = u.channels - block;
      for (size_t tap = 0; tap < taps; tap++) {
        for (size_t i = block; i < block + count; i++) {
          for (size_t lane = 0; lane < lanes; lane++) {
            // Lanes of narrow groups are in transposed order.
            size_t own_lane = units == UNITS_NARROW ? lane % (CK_W / own) * own + lane / (CK_W / own) : lane;
            size_t out = u.out_block * CK_W + own_lane;
            bool reads = out < outputs && (units != UNITS_MIXED || (u.in_block * CK_W + u.first + i) / filter == out / own);
            const float *from = weights + (ptrdiff_t)(out - first) * row_stride;
            line[lane] = reads ? weight_at(from, channels, taps, i % filter, tap, kind) : 0;
          }
          to = store_line(line, lanes, kind, to);
        }
      }
    }
  }
}

/// The number of a group's input channel blocks (single channels, with `planes`) in one K block. Without whole blocks
/// per group (UNITS_NARROW, UNITS_MIXED) there is a single K block.
CK_INLINE size_t pass_groups(const ck_window *w, bool planes) {
  size_t channels = unit_group_of(w).channels, taps = (size_t)(w->kernel_h * w->kernel_w);
  if (planes) return pass_size(channels, taps);
  return unit_kind_of(w) == UNITS_WHOLE ? pass_size(blocks_of(channels), CK_W * taps) : blocks_of(channels) + 1;
}

/// How a call reads its input: in place, or from rows copied with zero padding.
struct reading {
  bool flat;             // a 1 x 1 kernel with stride 1 and no padding: all rows of a band are processed as one row
  bool copies;           // rows are copied with zero columns as padding; taps in rows outside the input are skipped
  bool cuts;             // a line is split where columns of taps enter or leave the input; taps outside are skipped
  size_t rows, columns;  // of the input that `band` output rows read
  size_t band;           // output rows that are computed at a time
};

/// With `planes`: whether it is cheaper to compute the few positions at both ends of a line separately than to copy the
/// line with padding.
CK_INLINE bool costs_less_cut(const ck_window *w) {
  ptrdiff_t ends = 2 * ((w->kernel_w - 1) * w->dilation_w / 2 + w->stride_w - 1) / w->stride_w;
  ptrdiff_t units = (w->out_channels + 2 * CK_W - 1) / (2 * CK_W);
  return ends * w->kernel_h * w->kernel_w * units * 4 < w->stride_h * w->in_w;
}

CK_INLINE struct reading reading_of(const ck_window *w, bool planes, size_t channels) {
  struct reading r = {0};
  size_t reach_y = (size_t)((w->kernel_h - 1) * w->dilation_h + 1);
  r.columns = (size_t)((w->out_w - 1) * w->stride_w + (w->kernel_w - 1) * w->dilation_w + 1);
  bool inside = w->pad_w == 0 && r.columns <= (size_t)w->in_w;
  r.flat = inside && w->kernel_h == 1 && w->kernel_w == 1 && w->stride_h == 1 && w->stride_w == 1 && w->in_h == w->out_h &&
           w->in_w == w->out_w && w->pad_h == 0;
  r.cuts = !inside && (w->dilation_w >= 4 * w->stride_w || (planes && costs_less_cut(w)));
  r.copies = !inside && !r.cuts;
  size_t lanes = planes ? channels : blocks_of(channels) * CK_W, row = (r.copies ? r.columns : (size_t)w->in_w) * lanes;
  // Input that is not copied has to stay in L2 for one K block only.
  size_t read = pass_groups(w, planes) * (planes ? 1 : CK_W);
  size_t rows = BAND_FLOATS / (r.copies || read >= lanes ? row : (size_t)w->in_w * read), least = reach_y;
  rows = rows > least ? rows : least;
  r.band = (rows - reach_y) / (size_t)w->stride_h + 1;
  // With a large dilation, a band reads most of the input, and each band reads all weights. If the input is smaller
  // than the weights, one band for all rows is better: the weights are read once and the input several times.
  size_t weights = blocks_of((size_t)w->out_channels) * CK_W * (channels / (size_t)w->groups) * (size_t)(w->kernel_h * w->kernel_w);
  if (!r.copies && r.band < (size_t)w->out_h && (size_t)w->in_h * row < weights) r.band = (size_t)w->out_h;
  if (r.band > (size_t)w->out_h) r.band = (size_t)w->out_h;
  r.rows = (r.band - 1) * (size_t)w->stride_h + reach_y;
  return r;
}

/// The first position after x that has other columns of taps inside the input than x. `t` are those of x.
CK_INLINE size_t line_cut(const ck_window *w, size_t x, struct taps t) {
  if (t.end <= t.begin) return x + 1;
  ptrdiff_t out = w->in_w + w->pad_w - (t.end - 1) * w->dilation_w, cut = (out + w->stride_w - 1) / w->stride_w;
  if (t.begin > 0) {
    ptrdiff_t in = w->pad_w - (t.begin - 1) * w->dilation_w, next = (in + w->stride_w - 1) / w->stride_w;
    if (next < cut) cut = next;
  }
  return cut < w->out_w ? (size_t)cut : (size_t)w->out_w;
}

/// Input channels that the units of a call may read.
CK_INLINE size_t channels_read(const ck_window *w) { return (size_t)w->in_channels; }

CK_INLINE size_t scratch_size(const ck_window *w, bool planes) {
  struct reading r = reading_of(w, planes, channels_read(w));
  if (!r.copies) return 0;
  return r.rows * r.columns * (planes ? (size_t)w->in_channels : blocks_of((size_t)w->in_channels) * CK_W);
}

/// Copies input rows from `top` on of `planes` channel blocks (or channels), with `lanes` floats per position. Elements
/// outside the input become zeros.
static void copy_band(
    const ck_window *w, const struct reading *r, const float *in, size_t planes, size_t lanes, ptrdiff_t top, size_t rows,
    float *to) {
  ptrdiff_t before = w->pad_w < (ptrdiff_t)r->columns ? w->pad_w : (ptrdiff_t)r->columns;
  ptrdiff_t inside = (ptrdiff_t)r->columns - before;
  if (inside > w->in_w) inside = w->in_w;
  size_t left = (size_t)before * lanes, middle = (size_t)inside * lanes, right = r->columns * lanes - left - middle;
  for (size_t plane = 0; plane < planes; plane++) {
    const float *from = in + plane * (size_t)(w->in_h * w->in_w) * lanes;
    for (size_t i = 0; i < rows; i++, to += r->columns * lanes) {
      ptrdiff_t y = top + (ptrdiff_t)i;
      if (y < 0 || y >= w->in_h) {
        memset(to, 0, r->columns * lanes * sizeof(float));
      } else {
        memset(to, 0, left * sizeof(float));
        memcpy(to + left, from + (size_t)(y * w->in_w) * lanes, middle * sizeof(float));
        memset(to + left + middle, 0, right * sizeof(float));
      }
    }
    to += (r->rows - rows) * r->columns * lanes;
  }
}

/// Computes `count` neighboring positions for which exactly the taps `rows` x `columns` are inside the input. `in` is
/// the input element of the first position at tap 0, 0.
CK_INLINE void conv_piece(
    const ck_window *w, struct strips f, struct strip s, const struct ending *e, size_t blocks, struct taps rows,
    struct taps columns, const float *in, float *out, size_t count) {
  s.taps_y = rows.end - rows.begin, s.taps_x = columns.end - columns.begin;
  s.taps_before = rows.begin * w->kernel_w + columns.begin;
  s.taps_between = w->kernel_w - s.taps_x;
  s.taps_after = (w->kernel_h - rows.end) * w->kernel_w - columns.begin;
  strips_run(f, &s, e, blocks, in + rows.begin * s.tap_y + columns.begin * s.tap_x, out, count);
}

/// Computes the lines of a band for one unit and one K block. `s` describes the loop over all taps.
///
/// With `planes` and dilation 1, the input elements of a row of taps are contiguous. `runs` then treats the row as one
/// tap with kernel_w elements, and `walked` is the window with kernel_w 1. Otherwise `runs` and `walked` equal `s` and
/// `w`.
CK_INLINE void conv_lines(
    const ck_window *w, const ck_window *walked, const struct reading *r, struct strips f, const struct strip *s,
    const struct strip *runs, struct ending e, size_t blocks, const float *source, ptrdiff_t in_row, ptrdiff_t top, size_t rows,
    const float *add, float *out) {
  struct taps all_rows = {0, w->kernel_h}, all_columns = {0, walked->kernel_w};
  size_t width = (size_t)w->out_w;
  if (r->flat) {
    e.add = add;
    conv_piece(walked, f, *runs, &e, blocks, all_rows, all_columns, source, out, rows * width);
    return;
  }
  for (size_t y = 0; y < rows; y++, out += width * CK_W) {
    const float *row = source + (ptrdiff_t)y * w->stride_h * in_row;
    struct taps inside = taps_inside(top + (ptrdiff_t)y * w->stride_h, w->dilation_h, w->kernel_h, w->in_h);
    for (size_t x = 0, end = width; x < width; x = end, end = width) {
      struct taps columns = {0, w->kernel_w};
      if (r->cuts) {
        columns = taps_inside((ptrdiff_t)x * w->stride_w - w->pad_w, w->dilation_w, w->kernel_w, w->in_w);
        end = line_cut(w, x, columns);
      }
      e.add = add ? add + (y * width + x) * CK_W : NULL;
      const float *first = row + (ptrdiff_t)x * s->position;
      if (columns.end - columns.begin == w->kernel_w) {
        conv_piece(walked, f, *runs, &e, blocks, inside, all_columns, first, out + x * CK_W, end - x);
      } else {
        conv_piece(w, f, *s, &e, blocks, inside, columns, first, out + x * CK_W, end - x);
      }
    }
  }
}

static void block_conv(
    const ck_window *w, bool planes, enum weights_kind kind, const float *in, const void *packed, float *widened, const struct integer_sums *sums,
    const ck_epilogue *epilogue, const float *add, float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  struct reading r = reading_of(w, planes, channels_read(w));
  size_t taps = (size_t)(w->kernel_h * w->kernel_w), lanes = planes ? 1 : CK_W, width = (size_t)w->out_w;
  size_t area = (size_t)w->out_h * width, outputs = blocks_of((size_t)w->out_channels);
  size_t size = weight_size(kind);
  ptrdiff_t in_row = (r.copies ? (ptrdiff_t)r.columns : w->in_w) * (ptrdiff_t)lanes;
  ptrdiff_t in_plane = (r.copies ? (ptrdiff_t)r.rows : w->in_h) * in_row;
  struct strip s = {
      .width = lanes, .group = in_plane, .tap_y = w->dilation_h * in_row, .tap_x = w->dilation_w * (ptrdiff_t)lanes,
      .position = w->stride_w * (ptrdiff_t)lanes, .out_block = (ptrdiff_t)(area * CK_W),
      .taps = taps};
  size_t channels = unit_group_of(w).channels, groups = planes ? channels : blocks_of(channels), pass = pass_groups(w, planes);
  // With `planes` and dilation 1, the elements of a row of taps are contiguous, like the channels of a block.
  ck_window walked = *w;
  struct strip runs = s;
  if (planes && w->dilation_w == 1) runs.width = (size_t)w->kernel_w, walked.kernel_w = 1;
  struct ending e = ending_of(epilogue);
  float bias[2 * CK_W];
  for (size_t y0 = row_begin; y0 < row_end; y0 += r.band) {
    size_t rows = row_end - y0 < r.band ? row_end - y0 : r.band;
    // The input row of tap 0, 0 of the band's first row. It may be outside the input.
    ptrdiff_t top = (ptrdiff_t)y0 * w->stride_h - w->pad_h;
    const float *from = in + (top * w->in_w - w->pad_w) * (ptrdiff_t)lanes;
    if (r.copies) {
      size_t needed = (rows - 1) * (size_t)w->stride_h + (r.rows - (r.band - 1) * (size_t)w->stride_h);
      copy_band(w, &r, in, planes ? (size_t)w->in_channels : blocks_of((size_t)w->in_channels), lanes, top, needed, scratch);
      from = scratch;
    }
    for (size_t done = 0; done < groups; done += pass) {
      for (size_t index = unit_begin; index < unit_end; index++) {
        struct unit u = unit_at(w, taps, index);
        size_t line = u.blocks * CK_W * taps, own = planes ? u.channels : blocks_of(u.first + u.channels);
        size_t here = own - done < pass ? own - done : pass;
        s.passes = (struct passes){done == 0, done + here == own};
        s.weights = (const char *)packed + (u.offset + done * lanes * line) * size;
        s.skip = u.first;
        s.groups = here;
        s.last = planes ? 1 : s.passes.ends ? u.first + u.channels - (own - 1) * CK_W : CK_W;
        runs.passes = s.passes;
        runs.weights = s.weights, runs.skip = s.skip, runs.groups = s.groups, runs.last = planes ? runs.width : s.last;
        e.lanes = CK_W, e.bias = NULL;
        if (u.out_block + u.blocks == outputs) e.lanes = (size_t)w->out_channels - (outputs - 1) * CK_W;
        if (epilogue->bias) {
          for (size_t i = 0; i < u.blocks * CK_W; i++) {
            size_t channel = u.out_block * CK_W + i;
            bias[i] = channel < (size_t)w->out_channels ? epilogue->bias[channel] : 0;
          }
          e.bias = bias;
        }
        size_t place = (u.out_block * area + y0 * width) * CK_W;
        if (sums) {
          e.starts = sums->starts + u.out_block * CK_W, e.scales = sums->scales + u.out_block * CK_W;
          if (sums->shifts) {
            e.shifts = sums->shifts + u.out_block * CK_W, e.steps = sums->steps, e.place = u.out_block % 4 * CK_W;
            place = (u.out_block / 4 * area + y0 * width) * CK_W;
          }
        }
        struct strips f = strips_for(kind, s.position, u.blocks);
        size_t strips = r.flat ? (rows * width + f.most - 1) / f.most : rows * ((width + f.most - 1) / f.most);
        struct fetching next = fetching_of(
            (const char *)s.weights + u.channels * line * size, here * lanes * line * size, index + 1 < unit_end ? strips : 0,
            here * (size_t)(walked.kernel_h * walked.kernel_w));
        s.next = runs.next = &next;
#if !defined(CK_TARGET_AVX512BF16) && !defined(CK_TARGET_AVX512VNNI)
        if (widened && strips >= WIDENED_STRIPS) {
          widen_weights(s.weights, ((here - 1) * CK_W + s.last) * line, widened);
          s.weights = runs.weights = widened;
          f = strips_for(WEIGHTS_F32, s.position, u.blocks);
        }
#else
        (void)widened;
#endif
        const float *source = from + (ptrdiff_t)(u.in_block + done) * in_plane;
        conv_lines(w, &walked, &r, f, &s, &runs, e, u.blocks, source, in_row, top, rows, add ? add + place : NULL, out + place);
      }
    }
  }
}

#if defined(CK_TARGET_AVX512BF16)
#include "conv_bf16.h"
#elif defined(CK_TARGET_AVX512VNNI)
#include "conv_int8.h"
#include "int8_conv.h"
#else
size_t CK_FN(block_size)(void) { return CK_W; }

bool CK_FN(block_conv_supports)(const ck_window *w, bool planes) {
  return w->in_d == 1 && w->out_d == 1 && w->kernel_d == 1 && (w->groups == 1 || !planes);
}

size_t CK_FN(block_conv_units)(const ck_window *w) {
  struct unit_group g = unit_group_of(w);
  return blocks_of((size_t)w->out_channels) / g.blocks * g.units;
}

size_t CK_FN(block_conv_unit_channel)(const ck_window *w, size_t unit) { return unit_channel(w, unit); }

size_t CK_FN(block_conv_packed_size)(const ck_window *w) { return packed_size(w); }

size_t CK_FN(block_conv_scratch_size)(const ck_window *w, bool planes) {
  return unit_kind_of(w) == UNITS_NARROW ? narrow_scratch_size(w) : scratch_size(w, planes);
}

/// Whether the kernel can read fp16 weights. Weights for `planes` and for UNITS_NARROW are always fp32.
bool CK_FN(block_conv_takes_f16)(const ck_window *w, bool planes) { return !planes && unit_kind_of(w) != UNITS_NARROW; }

size_t CK_FN(block_conv_widened_size)(const ck_window *w) {
  if (unit_kind_of(w) != UNITS_WHOLE) return 0;
  size_t groups = blocks_of(unit_group_of(w).channels), pass = pass_groups(w, false);
  return (pass < groups ? pass : groups) * CK_W * 2 * CK_W * (size_t)(w->kernel_h * w->kernel_w);
}

void CK_FN(block_conv_pack_f32)(
    const ck_window *w, bool planes, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed) {
  block_conv_pack(w, planes, WEIGHTS_F32, weights, 0, row_stride, unit_begin, unit_end, packed);
}

void CK_FN(block_conv_pack_f16)(
    const ck_window *w, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end, uint16_t *packed) {
  block_conv_pack(w, false, WEIGHTS_F16, weights, 0, row_stride, unit_begin, unit_end, packed);
}

void CK_FN(block_conv_f32)(
    const ck_window *w, bool planes, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  if (unit_kind_of(w) == UNITS_NARROW) {
    narrow_conv(w, in, packed, epilogue, add, out, scratch, unit_begin, unit_end, row_begin, row_end);
    return;
  }
  block_conv(w, planes, WEIGHTS_F32, in, packed, NULL, NULL, epilogue, add, out, scratch, unit_begin, unit_end, row_begin, row_end);
}

void CK_FN(block_conv_f16w_f32)(
    const ck_window *w, const float *in, const uint16_t *packed, float *widened, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  if (unit_kind_of(w) != UNITS_WHOLE) widened = NULL;
  block_conv(w, false, WEIGHTS_F16, in, packed, widened, NULL, epilogue, add, out, scratch, unit_begin, unit_end, row_begin, row_end);
}
#endif
