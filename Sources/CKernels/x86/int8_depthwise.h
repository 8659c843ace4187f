// int8 depthwise convolution over uint8 NCHWc blocks. The kernel interleaves four input rows (four vertical taps)
// channel by channel. One dot-product instruction then adds four products per channel. For each output row the kernel
// builds one line of interleaved columns. All windows that contain a column read it from that line.
//
// The interleave instructions work within 16-byte lanes. The accumulators of a position are therefore four vectors of
// permuted channels. Packing the results to bytes restores the channel order.
#include "int8_dot.h"

/// BYTES: channels of a uint8 block. DEPTHWISE_STRIP: output positions of a register tile.
enum { BYTES = 4 * CK_W, DEPTHWISE_STRIP = 4 };

/// The channel of the block in lane `lane` of accumulator vector `vector`.
CK_INLINE size_t channel_of(size_t vector, size_t lane) { return lane / 4 * 16 + vector * 4 + lane % 4; }

CK_INLINE size_t int8_from_rows(const ck_window *w) { return ((size_t)w->kernel_h + 3) / 4; }
CK_INLINE size_t int8_blocks(const ck_window *w) { return ((size_t)w->in_channels + BYTES - 1) / BYTES; }
CK_INLINE size_t columns_of(const ck_window *w) {
  return (size_t)((w->out_w - 1) * w->stride_w + (w->kernel_w - 1) * w->dilation_w + 1);
}

size_t CK_FN(int8_depthwise_packed_size)(const ck_window *w) {
  return int8_blocks(w) * int8_from_rows(w) * (size_t)w->kernel_w * 4 * BYTES;
}

size_t CK_FN(int8_depthwise_scratch_size)(const ck_window *w) { return int8_from_rows(w) * columns_of(w) * 4 * BYTES; }

void CK_FN(int8_depthwise_pack)(const ck_window *w, const float *weights, ptrdiff_t row_stride, int8_t *packed) {
  for (size_t block = 0; block < int8_blocks(w); block++) {
    for (size_t four = 0; four < int8_from_rows(w); four++) {
      for (ptrdiff_t x = 0; x < w->kernel_w; x++) {
        for (size_t i = 0; i < BYTES; i++) {
          size_t channel = block * BYTES + channel_of(i / CK_W, i % CK_W);
          for (ptrdiff_t y = (ptrdiff_t)four * 4; y < (ptrdiff_t)four * 4 + 4; y++) {
            bool reads = channel < (size_t)w->in_channels && y < w->kernel_h;
            *packed++ = reads ? (int8_t)weights[(ptrdiff_t)channel * row_stride + y * w->kernel_w + x] : 0;
          }
        }
      }
    }
  }
}

/// Loads the bytes of position x of an input row. `row` is NULL for a row of padding.
CK_INLINE __m512i bytes_at(const uint8_t *row, ptrdiff_t x, __m512i pad) { return row ? _mm512_loadu_si512(row + x * BYTES) : pad; }

/// Stores four vectors of 64 channels so that the four bytes of each channel are adjacent.
CK_INLINE void interleave(__m512i a, __m512i b, __m512i c, __m512i d, uint8_t *to) {
  __m512i ab = _mm512_unpacklo_epi8(a, b), cd = _mm512_unpacklo_epi8(c, d);
  _mm512_storeu_si512(to, _mm512_unpacklo_epi16(ab, cd));
  _mm512_storeu_si512(to + BYTES, _mm512_unpackhi_epi16(ab, cd));
  ab = _mm512_unpackhi_epi8(a, b), cd = _mm512_unpackhi_epi8(c, d);
  _mm512_storeu_si512(to + 2 * BYTES, _mm512_unpacklo_epi16(ab, cd));
  _mm512_storeu_si512(to + 3 * BYTES, _mm512_unpackhi_epi16(ab, cd));
}

/// Interleaves the columns that output row y reads, with padding. `plane` is the input of one channel block. `line` has
/// one line of columns for each four rows of taps.
static void interleave_line(const ck_window *w, const uint8_t *plane, uint8_t pad, ptrdiff_t y, uint8_t *line) {
  size_t columns = columns_of(w);
  __m512i padding = _mm512_set1_epi8((char)pad);
  ptrdiff_t top = y * w->stride_h - w->pad_h;
  ptrdiff_t begin = w->pad_w < (ptrdiff_t)columns ? w->pad_w : (ptrdiff_t)columns, end = w->in_w + w->pad_w;
  if (end > (ptrdiff_t)columns) end = (ptrdiff_t)columns;
  for (size_t four = 0; four < int8_from_rows(w); four++, line += columns * 4 * BYTES) {
    const uint8_t *rows[4];
    for (ptrdiff_t i = 0; i < 4; i++) {
      ptrdiff_t tap = (ptrdiff_t)four * 4 + i, at = top + tap * w->dilation_h;
      rows[i] = tap < w->kernel_h && at >= 0 && at < w->in_h ? plane + at * w->in_w * BYTES : NULL;
    }
    for (ptrdiff_t x = 0; x < begin; x++) interleave(padding, padding, padding, padding, line + x * 4 * BYTES);
    for (ptrdiff_t x = begin; x < end; x++) {
      ptrdiff_t from = x - w->pad_w;
      interleave(
          bytes_at(rows[0], from, padding), bytes_at(rows[1], from, padding), bytes_at(rows[2], from, padding),
          bytes_at(rows[3], from, padding), line + x * 4 * BYTES);
    }
    for (ptrdiff_t x = end > begin ? end : begin; x < (ptrdiff_t)columns; x++) {
      interleave(padding, padding, padding, padding, line + x * 4 * BYTES);
    }
  }
}

/// Epilogue parameters of a block's channels, in accumulator order.
struct int8_ending {
  vi starts[4];
  vf scales[4], shifts[4];
  ck_int8_quantization steps;
};

/// Converts int32 accumulators of vector `v` to quantized integers.
CK_INLINE __m512i steps_of(__m512i sum, const struct int8_ending *e, int v) {
  return nearest_steps(vf_fma(__builtin_convertvector((vi)sum, vf), e->scales[v], e->shifts[v]), e->steps);
}

/// Computes P positions of an output line.
CK_INLINE void depthwise_strip(
    int P, const ck_window *w, const struct int8_ending *e, const uint8_t *line, const int8_t *packed, uint8_t *out) {
  __m512i sum[DEPTHWISE_STRIP][4];
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) {
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; v++) sum[p][v] = (__m512i)e->starts[v];
  }
  size_t columns = columns_of(w), quads = int8_from_rows(w);
  for (size_t four = 0; four < quads; four++, line += columns * 4 * BYTES) {
    const uint8_t *from = line;
    for (ptrdiff_t x = 0; x < w->kernel_w; x++, from += w->dilation_w * 4 * BYTES, packed += 4 * BYTES) {
#pragma clang loop unroll(full)
      for (int v = 0; v < 4; v++) {
        __m512i weights = _mm512_loadu_si512(packed + v * BYTES);
#pragma clang loop unroll(full)
        for (int p = 0; p < P; p++) {
          __m512i numbers = _mm512_loadu_si512(from + (p * w->stride_w * 4 + v) * BYTES);
          sum[p][v] = _mm512_dpbusd_epi32(sum[p][v], numbers, weights);
        }
      }
    }
  }
  // The subtraction of `low` comes before the unsigned saturation, because quantized integers may be negative.
  const __m512i low = _mm512_set1_epi16((short)e->steps.low);
#pragma clang loop unroll(full)
  for (int p = 0; p < P; p++) {
    __m512i first = _mm512_packs_epi32(steps_of(sum[p][0], e, 0), steps_of(sum[p][1], e, 1));
    __m512i second = _mm512_packs_epi32(steps_of(sum[p][2], e, 2), steps_of(sum[p][3], e, 3));
    __m512i bytes = _mm512_packus_epi16(_mm512_sub_epi16(first, low), _mm512_sub_epi16(second, low));
    _mm512_storeu_si512(out + p * BYTES, e->steps.table ? look_up(e->steps.table, bytes) : bytes);
  }
}

void CK_FN(int8_depthwise)(
    const ck_window *w, const uint8_t *in, uint8_t pad, const int8_t *packed, const ck_int8_accumulators *sums, ck_int8_quantization steps,
    uint8_t *out, uint8_t *scratch, size_t block_begin, size_t block_end, size_t row_begin, size_t row_end) {
  size_t unit = int8_from_rows(w) * (size_t)w->kernel_w * 4 * BYTES, width = (size_t)w->out_w;
  for (size_t block = block_begin; block < block_end; block++) {
    struct int8_ending e = {.steps = steps};
    for (size_t i = 0; i < BYTES; i++) {
      size_t channel = block * BYTES + channel_of(i / CK_W, i % CK_W);
      e.starts[i / CK_W][i % CK_W] = sums->starts[channel];
      e.scales[i / CK_W][i % CK_W] = sums->scales[channel];
      e.shifts[i / CK_W][i % CK_W] = sums->shifts[channel];
    }
    const uint8_t *plane = in + block * (size_t)(w->in_h * w->in_w) * BYTES;
    for (size_t y = row_begin; y < row_end; y++) {
      interleave_line(w, plane, pad, (ptrdiff_t)y, scratch);
      uint8_t *to = out + (block * (size_t)w->out_h + y) * width * BYTES;
      size_t x = 0;
      for (; x + DEPTHWISE_STRIP <= width; x += DEPTHWISE_STRIP) {
        depthwise_strip(DEPTHWISE_STRIP, w, &e, scratch + x * (size_t)w->stride_w * 4 * BYTES, packed + block * unit, to + x * BYTES);
      }
      for (; x < width; x++) {
        depthwise_strip(1, w, &e, scratch + x * (size_t)w->stride_w * 4 * BYTES, packed + block * unit, to + x * BYTES);
      }
    }
  }
}
