// Direct convolution over channels in blocks.
#include "block_strip.h"

enum { BAND_FLOATS = 1 << 16 };  // of the input that is worked on while all its weights pass: it stays in the second-level cache

size_t CK_FN(block_size)(void) { return CK_W; }

bool CK_FN(block_conv_supports)(const ck_window *w, bool planes) {
  if (w->in_d != 1 || w->out_d != 1 || w->kernel_d != 1) return false;
  if (w->groups == 1) return true;
  ptrdiff_t in = w->in_channels / w->groups, out = w->out_channels / w->groups;
  if (planes) return false;
  return (in % CK_W == 0 && out % CK_W == 0) || (in == out && CK_W % in == 0 && w->in_channels % CK_W == 0);
}

size_t CK_FN(block_conv_units)(const ck_window *w) {
  struct unit_group g = unit_group_of(w);
  return blocks_of((size_t)w->out_channels) / g.blocks * g.units;
}

size_t CK_FN(block_conv_unit_channel)(const ck_window *w, size_t unit) {
  size_t channels = (size_t)w->out_channels, first = unit_at(w, 1, unit).out_block * CK_W;
  return first < channels ? first : channels;
}

size_t CK_FN(block_conv_packed_size)(const ck_window *w) {
  return blocks_of((size_t)w->out_channels) * CK_W * unit_group_of(w).channels * (size_t)(w->kernel_h * w->kernel_w);
}

void CK_FN(block_conv_pack_f32)(
    const ck_window *w, bool planes, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed) {
  size_t taps = (size_t)(w->kernel_h * w->kernel_w), width = planes ? 1 : CK_W, first = CK_FN(block_conv_unit_channel)(w, unit_begin);
  size_t filter = (size_t)(w->in_channels / w->groups), outputs = (size_t)w->out_channels;
  bool narrow = has_narrow_groups(w);
  for (size_t index = unit_begin; index < unit_end; index++) {
    struct unit u = unit_at(w, taps, index);
    size_t lanes = u.blocks * CK_W;
    float *to = packed + u.offset;
    for (size_t block = 0; block < u.channels; block += width) {
      size_t channels = u.channels - block < width ? u.channels - block : width;
      for (size_t tap = 0; tap < taps; tap++) {
        for (size_t i = block; i < block + channels; i++, to += lanes) {
          for (size_t lane = 0; lane < lanes; lane++) {
            size_t out = u.out_block * CK_W + lane;
            // Of a narrow group: which of its own input channels this one is, if it is one.
            bool reads = out < outputs && (!narrow || i / filter == lane / filter);
            to[lane] = reads ? weights[(ptrdiff_t)(out - first) * row_stride + (ptrdiff_t)((i % filter) * taps + tap)] : 0;
          }
        }
      }
    }
  }
}

/// How a call reads its input: where it is, or rows of it copied between zeros.
struct reading {
  bool flat;             // positions are one row: a kernel of one element over whole planes
  bool copies;           // windows reach outside
  size_t rows, columns;  // of the input that `band` rows of the output read
  size_t band;
};

CK_INLINE struct reading reading_of(const ck_window *w, bool planes, size_t channels) {
  struct reading r = {0};
  size_t reach_y = (size_t)((w->kernel_h - 1) * w->dilation_h + 1);
  r.columns = (size_t)((w->out_w - 1) * w->stride_w + (w->kernel_w - 1) * w->dilation_w + 1);
  bool inside = w->pad_h == 0 && w->pad_w == 0 && r.columns <= (size_t)w->in_w &&
                (size_t)((w->out_h - 1) * w->stride_h) + reach_y <= (size_t)w->in_h;
  r.flat = inside && w->kernel_h == 1 && w->kernel_w == 1 && w->stride_h == 1 && w->stride_w == 1 && w->in_h == w->out_h &&
           w->in_w == w->out_w;
  r.copies = !inside;
  size_t row = r.columns * (planes ? channels : blocks_of(channels) * CK_W);
  size_t rows = BAND_FLOATS / row, least = reach_y;
  rows = rows > least ? rows : least;
  r.band = (rows - reach_y) / (size_t)w->stride_h + 1;
  if (r.band > (size_t)w->out_h) r.band = (size_t)w->out_h;
  r.rows = (r.band - 1) * (size_t)w->stride_h + reach_y;
  return r;
}

/// Input channels that the units of a call may read.
CK_INLINE size_t channels_read(const ck_window *w) { return (size_t)w->in_channels; }

size_t CK_FN(block_conv_scratch_size)(const ck_window *w, bool planes) {
  struct reading r = reading_of(w, planes, channels_read(w));
  if (!r.copies) return 0;
  return r.rows * r.columns * (planes ? (size_t)w->in_channels : blocks_of((size_t)w->in_channels) * CK_W);
}

/// Copies rows of planes of `lanes` floats a position, with zeros where there are none.
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

void CK_FN(block_conv_f32)(
    const ck_window *w, bool planes, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  struct reading r = reading_of(w, planes, channels_read(w));
  size_t taps = (size_t)(w->kernel_h * w->kernel_w), lanes = planes ? 1 : CK_W;
  size_t area = (size_t)(w->out_h * w->out_w), outputs = blocks_of((size_t)w->out_channels);
  ptrdiff_t in_row = (r.copies ? (ptrdiff_t)r.columns : w->in_w) * (ptrdiff_t)lanes;
  ptrdiff_t in_plane = (r.copies ? (ptrdiff_t)r.rows : w->in_h) * in_row;
  struct strip s = {
      .width = planes ? 1 : CK_W, .group = in_plane, .taps_y = w->kernel_h, .taps_x = w->kernel_w,
      .tap_y = w->dilation_h * in_row, .tap_x = w->dilation_w * (ptrdiff_t)lanes,
      .position = w->stride_w * (ptrdiff_t)lanes, .out_block = (ptrdiff_t)(area * CK_W)};
  struct ending e = ending_of(epilogue);
  float bias[2 * CK_W];
  for (size_t y0 = row_begin; y0 < row_end; y0 += r.band) {
    size_t rows = row_end - y0 < r.band ? row_end - y0 : r.band;
    const float *from;
    if (r.copies) {
      size_t needed = (rows - 1) * (size_t)w->stride_h + (r.rows - (r.band - 1) * (size_t)w->stride_h);
      ptrdiff_t top = (ptrdiff_t)y0 * w->stride_h - w->pad_h;
      copy_band(w, &r, in, planes ? (size_t)w->in_channels : blocks_of((size_t)w->in_channels), lanes, top, needed, scratch);
      from = scratch;
    } else {
      from = in + (ptrdiff_t)y0 * w->stride_h * in_row;
    }
    for (size_t index = unit_begin; index < unit_end; index++) {
      struct unit u = unit_at(w, taps, index);
      s.weights = packed + u.offset;
      s.groups = planes ? u.channels : blocks_of(u.channels);
      s.last = planes ? 1 : u.channels - (s.groups - 1) * CK_W;
      e.lanes = CK_W, e.bias = NULL;
      if (u.out_block + u.blocks == outputs) e.lanes = (size_t)w->out_channels - (outputs - 1) * CK_W;
      if (epilogue->bias) {
        for (size_t i = 0; i < u.blocks * CK_W; i++) {
          size_t channel = u.out_block * CK_W + i;
          bias[i] = channel < (size_t)w->out_channels ? epilogue->bias[channel] : 0;
        }
        e.bias = bias;
      }
      const strip_function *f = strips_for(s.position, u.blocks);
      const float *source = from + (ptrdiff_t)u.in_block * in_plane;
      size_t place = (u.out_block * area + y0 * (size_t)w->out_w) * CK_W;
      size_t lines = r.flat ? 1 : rows, length = r.flat ? rows * (size_t)w->out_w : (size_t)w->out_w;
      for (size_t y = 0; y < lines; y++, place += length * CK_W) {
        e.add = add ? add + place : NULL;
        strips_run(f, &s, &e, source + (ptrdiff_t)y * w->stride_h * in_row, out + place, length);
      }
    }
  }
}
