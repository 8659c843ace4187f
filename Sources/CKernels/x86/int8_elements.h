// Operations on uint8 NCHWc blocks: addition, table lookup, max pooling, and conversion from and to fp32. XOR with
// `flip` (0 or 0x80) converts between int8 and uint8 storage.
#include "int8_dot.h"

enum { BYTES = 4 * CK_W };

CK_INLINE vf floats_of_bytes(const uint8_t *from, uint8_t flip) {
  __m128i bytes = _mm_xor_si128(_mm_loadu_si128((const __m128i *)from), _mm_set1_epi8((char)flip));
  return (vf)_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
}

/// out = table[x ^ flip_x] ^ flip.
CK_INLINE void look_up_all(const uint8_t *x, uint8_t flip_x, const uint8_t *table, uint8_t flip, uint8_t *out, size_t n) {
  __m512i before = _mm512_set1_epi8((char)flip_x), after = _mm512_set1_epi8((char)flip);
  for (size_t i = 0; i < n; i += BYTES) {
    __mmask64 mask = (__mmask64)_bzhi_u64(~0ull, (unsigned)(n - i < BYTES ? n - i : BYTES));
    __m512i bytes = look_up(table, _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, x + i), before));
    _mm512_mask_storeu_epi8(out + i, mask, _mm512_xor_si512(bytes, after));
  }
}

void CK_FN(int8_lookup)(
    const uint8_t *x, uint8_t flip_x, const uint8_t *table, uint8_t flip, uint8_t *out, size_t n) {
  look_up_all(x, flip_x, table, flip, out, n);
}

CK_INLINE void add_bytes(
    const uint8_t *x, const uint8_t *y, uint8_t flip, ck_int8_sum s, ck_int8_quantization steps, uint8_t *out) {
  vf sum = vf_fma(floats_of_bytes(y, flip), (vf)s.scale_y, (vf)s.shift);
  __m128i bytes = bytes_of_steps(vf_fma(floats_of_bytes(x, flip), (vf)s.scale_x, sum), steps);
  _mm_storeu_si128((__m128i *)out, _mm_xor_si128(bytes, _mm_set1_epi8((char)flip)));
}

CK_INLINE void add_piece(
    const uint8_t *x, const uint8_t *y, uint8_t flip, ck_int8_sum s, ck_int8_quantization steps, uint8_t *out) {
#pragma clang loop unroll(full)
  for (size_t i = 0; i < BYTES; i += CK_W) add_bytes(x + i, y + i, flip, s, steps, out + i);
  if (steps.table) look_up_all(out, flip, steps.table, flip, out, BYTES);
}

void CK_FN(int8_add)(
    const uint8_t *x, const uint8_t *y, uint8_t flip, ck_int8_sum s, ck_int8_quantization steps, uint8_t *out, size_t n) {
  size_t i = 0;
  for (; i + BYTES <= n; i += BYTES) add_piece(x + i, y + i, flip, s, steps, out + i);
  if (i == n) return;
  uint8_t last[3][BYTES] = {{0}};
  memcpy(last[0], x + i, n - i);
  memcpy(last[1], y + i, n - i);
  add_piece(last[0], last[1], flip, s, steps, last[2]);
  memcpy(out + i, last[2], n - i);
}

void CK_FN(int8_max_pool)(
    const ck_window *w, const uint8_t *in, uint8_t *out, size_t block_begin, size_t block_end, size_t row_begin,
    size_t row_end) {
  for (size_t block = block_begin; block < block_end; block++) {
    const uint8_t *plane = in + block * (size_t)(w->in_h * w->in_w) * BYTES;
    for (size_t y = row_begin; y < row_end; y++) {
      ptrdiff_t top = (ptrdiff_t)y * w->stride_h - w->pad_h;
      struct taps rows = taps_inside(top, w->dilation_h, w->kernel_h, w->in_h);
      uint8_t *to = out + (block * (size_t)w->out_h + y) * (size_t)w->out_w * BYTES;
      for (ptrdiff_t x = 0; x < w->out_w; x++, to += BYTES) {
        ptrdiff_t left = x * w->stride_w - w->pad_w;
        struct taps columns = taps_inside(left, w->dilation_w, w->kernel_w, w->in_w);
        __m512i greatest = _mm512_setzero_si512();
        for (ptrdiff_t i = rows.begin; i < rows.end; i++) {
          const uint8_t *row = plane + ((top + i * w->dilation_h) * w->in_w + left) * BYTES;
          for (ptrdiff_t k = columns.begin; k < columns.end; k++) {
            greatest = _mm512_max_epu8(greatest, _mm512_loadu_si512(row + k * w->dilation_w * BYTES));
          }
        }
        _mm512_storeu_si512(to, greatest);
      }
    }
  }
}

/// The number of fp32 blocks (1 to 4) that uint8 block `block` covers.
CK_INLINE size_t parts_of(size_t channels, size_t block) {
  size_t left = (channels + CK_W - 1) / CK_W - block * 4;
  return left < 4 ? left : 4;
}

/// x / scale, correctly rounded, for x clamped to the quantized range; NaN becomes 0. The product with the inverse is
/// corrected by its exact remainder (Markstein, IA-64 and Elementary Functions, 2000).
CK_INLINE vf quotient(vf x, float scale, float inverse, ck_int8_quantization s) {
  x = x == x ? x : (vf)0.0f;
  x = vf_clamp_nan(x, (float)s.least * scale, (float)s.greatest * scale);
  vf first = x * (vf)inverse;
  return vf_fma(vf_fma(-first, (vf)scale, x), (vf)inverse, first);
}

void CK_FN(int8_quantize)(
    const float *in, size_t channels, size_t area, float scale, ck_int8_quantization steps, uint8_t *out, size_t block_begin,
    size_t block_end) {
  for (size_t block = block_begin; block < block_end; block++) {
    const float *from = in + block * 4 * area * CK_W;
    uint8_t *to = out + block * area * BYTES;
    size_t parts = parts_of(channels, block);
    float inverse = 1 / scale;
    for (size_t i = 0; i < area; i++, to += BYTES) {
      for (size_t part = 0; part < parts; part++) {
        vf quotients = quotient(vf_load(from + (part * area + i) * CK_W), scale, inverse, steps);
        _mm_storeu_si128((__m128i *)(to + part * CK_W), bytes_from(steps.low, _mm512_cvtps_epi32((__m512)quotients)));
      }
    }
  }
}

void CK_FN(int8_dequantize)(
    const uint8_t *in, size_t channels, size_t area, float scale, int32_t low, float *out, size_t block_begin,
    size_t block_end) {
  for (size_t block = block_begin; block < block_end; block++) {
    const uint8_t *from = in + block * area * BYTES;
    float *to = out + block * 4 * area * CK_W;
    size_t parts = parts_of(channels, block);
    for (size_t part = 0; part < parts; part++) {
      size_t left = channels - (block * 4 + part) * CK_W, lanes = left < CK_W ? left : CK_W;
      for (size_t i = 0; i < area; i++) {
        __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(from + i * BYTES + part * CK_W)));
        vf v = (vf)_mm512_cvtepi32_ps(_mm512_add_epi32(bytes, _mm512_set1_epi32(low))) * (vf)scale;
        vf_store(to + (part * area + i) * CK_W, lanes < CK_W ? vf_keep_n(v, lanes, 0) : v);
      }
    }
  }
}
