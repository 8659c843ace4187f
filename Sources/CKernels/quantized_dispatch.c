// uint8 image functions that forward to the kernel table.
#include <string.h>

#include "table.h"

size_t ck_int8_block_size(void) { return ck_table()->int8_block_size(); }

bool ck_int8_conv_is_plain(const ck_window *shape) { return ck_table()->int8_conv_is_plain(shape); }

void ck_int8_conv_image(
    const ck_window *shape, const uint8_t *in, uint8_t pad, float *image, size_t row_begin, size_t row_end) {
  ck_table()->int8_conv_image(shape, in, pad, image, row_begin, row_end);
}

size_t ck_int8_planes_size(const ck_window *shape) { return ck_table()->int8_planes_size(shape); }

void ck_int8_planes(
    const ck_window *shape, const uint8_t *in, uint8_t flip, uint8_t pad, float *image, size_t row_begin, size_t row_end) {
  ck_table()->int8_planes(shape, in, flip, pad, image, row_begin, row_end);
}

void ck_int8_conv(
    const ck_window *shape, bool planes, const float *image, const float *packed, const ck_int8_accumulators *sums, ck_int8_quantization steps, uint8_t *out,
    size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  ck_table()->int8_conv(shape, planes, image, packed, sums, steps, out, unit_begin, unit_end, row_begin, row_end);
}

size_t ck_int8_depthwise_packed_size(const ck_window *shape) { return ck_table()->int8_depthwise_packed_size(shape); }

size_t ck_int8_depthwise_scratch_size(const ck_window *shape) { return ck_table()->int8_depthwise_scratch_size(shape); }

void ck_int8_depthwise_pack(const ck_window *shape, const float *weights, ptrdiff_t row_stride, int8_t *packed) {
  ck_table()->int8_depthwise_pack(shape, weights, row_stride, packed);
}

void ck_int8_depthwise(
    const ck_window *shape, const uint8_t *in, uint8_t pad, const int8_t *packed, const ck_int8_accumulators *sums, ck_int8_quantization steps,
    uint8_t *out, uint8_t *scratch, size_t block_begin, size_t block_end, size_t row_begin, size_t row_end) {
  ck_table()->int8_depthwise(
      shape, in, pad, packed, sums, steps, out, scratch, block_begin, block_end, row_begin, row_end);
}

void ck_int8_add(
    const uint8_t *x, const uint8_t *y, uint8_t flip, ck_int8_sum sum, ck_int8_quantization steps, uint8_t *out, size_t n) {
  ck_table()->int8_add(x, y, flip, sum, steps, out, n);
}

void ck_int8_lookup(
    const uint8_t *x, uint8_t flip_x, const uint8_t *table, uint8_t flip, uint8_t *out, size_t n) {
  ck_table()->int8_lookup(x, flip_x, table, flip, out, n);
}

void ck_int8_max_pool(
    const ck_window *shape, const uint8_t *in, uint8_t *out, size_t block_begin, size_t block_end, size_t row_begin,
    size_t row_end) {
  ck_table()->int8_max_pool(shape, in, out, block_begin, block_end, row_begin, row_end);
}

void ck_int8_quantize(
    const float *in, size_t channels, size_t area, float scale, ck_int8_quantization steps, uint8_t *out, size_t block_begin,
    size_t block_end) {
  ck_table()->int8_quantize(in, channels, area, scale, steps, out, block_begin, block_end);
}

void ck_int8_dequantize(
    const uint8_t *in, size_t channels, size_t area, float scale, int32_t low, float *out, size_t block_begin, size_t block_end) {
  ck_table()->int8_dequantize(in, channels, area, scale, low, out, block_begin, block_end);
}

// The conversions from and to dense bytes work with every instruction set.

enum { BYTE_BLOCK = 64 };

void ck_int8_block(const uint8_t *dense, size_t channels, size_t area, uint8_t flip, uint8_t *blocked) {
  ck_table()->transpose(1, dense, (ptrdiff_t)area, blocked, BYTE_BLOCK, channels, area);
  for (size_t i = 0; i < area; i++, blocked += BYTE_BLOCK) {
    for (size_t c = 0; c < channels; c++) blocked[c] ^= flip;
    memset(blocked + channels, 0, BYTE_BLOCK - channels);
  }
}

void ck_int8_unblock(const uint8_t *blocked, size_t channels, size_t area, uint8_t flip, uint8_t *dense) {
  ck_table()->transpose(1, blocked, BYTE_BLOCK, dense, (ptrdiff_t)area, area, channels);
  for (size_t i = 0; i < channels * area; i++) dense[i] ^= flip;
}
