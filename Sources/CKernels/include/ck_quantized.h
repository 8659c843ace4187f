// uint8 NCHWc images, one image per call: [blocks, height, width, ck_int8_block_size()]. A byte is an integer multiple
// of a quantization scale, minus the least multiple (`low`). The padding lanes of the last block are undefined; no
// kernel's result depends on them. Only if ck_int8_supported().
#pragma once
#include "ck_int8.h"
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// Channels of a block: four times ck_block_size(), the block size of the fp32 layout that the bytes convert from and
/// to.
CK_KERNEL(avx512vnni) size_t ck_int8_block_size(void);

/// Requantization of results. Rounds to the nearest multiple (ties to even), clamps to `least` ... `greatest`, and
/// stores the multiple minus `low` as a byte. If `table` (256 bytes) is not NULL, it then maps that byte.
typedef struct {
  int32_t low, least, greatest;
  const uint8_t *_Nullable table;
} ck_int8_quantization;

/// Per output channel, padded to whole uint8 blocks. `starts`: initial value of the accumulator (see ck_integer_sums).
/// `scales` and `shifts`: factor and addend that convert the accumulator to multiples of the result's scale.
typedef struct {
  const int32_t *starts;
  const float *scales;
  const float *shifts;
} ck_int8_accumulators;

/// Whether ck_int8_conv can read the input itself as its image: every element is its own window (1 x 1, stride 1, no
/// padding).
CK_KERNEL(avx512vnni) bool ck_int8_conv_is_plain(const ck_window *shape);

/// As ck_block_conv_i8_image, from uint8: writes rows of the image with their padding. Sizes, rows and packed weights
/// are those of ck_int8.h.
CK_KERNEL(avx512vnni) void ck_int8_conv_image(
    const ck_window *shape, const uint8_t *in, uint8_t pad, float *image, size_t row_begin, size_t row_end);

/// As ck_int8_conv_image for a dense image of few channels. The result is planes of four interleaved channels,
/// ck_int8_planes_size(shape) floats. Every byte is XORed with `flip`. The row range counts the rows of all planes, one
/// plane for four channels.
CK_KERNEL(avx512vnni) size_t ck_int8_planes_size(const ck_window *shape);
CK_KERNEL(avx512vnni) void ck_int8_planes(
    const ck_window *shape, const uint8_t *in, uint8_t flip, uint8_t pad, float *image, size_t row_begin,
    size_t row_end);

/// As ck_block_conv_i8_f32 with uint8 output. With `planes`, the image and the weights are in the planes layout.
CK_KERNEL(avx512vnni) void ck_int8_conv(
    const ck_window *shape, bool planes, const float *image, const float *packed, const ck_int8_accumulators *sums,
    ck_int8_quantization steps, uint8_t *out, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end);

/// Depthwise convolution, one output channel per input channel. Sizes are in bytes. Weights are integers in -128 ...
/// 127; channels are row_stride apart.
CK_KERNEL(avx512vnni) size_t ck_int8_depthwise_packed_size(const ck_window *shape);
CK_KERNEL(avx512vnni) size_t ck_int8_depthwise_scratch_size(const ck_window *shape);
CK_KERNEL(avx512vnni) void ck_int8_depthwise_pack(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, int8_t *packed);
CK_KERNEL(avx512vnni) void ck_int8_depthwise(
    const ck_window *shape, const uint8_t *in, uint8_t pad, const int8_t *packed, const ck_int8_accumulators *sums,
    ck_int8_quantization steps, uint8_t *out, uint8_t *scratch, size_t block_begin, size_t block_end, size_t row_begin,
    size_t row_end);

/// Computes x scale_x + y scale_y + shift of the stored bytes, in multiples of the result's scale. Every byte is XORed
/// with `flip`, before and after.
typedef struct {
  float scale_x, scale_y, shift;
} ck_int8_sum;
CK_KERNEL(avx512vnni) void ck_int8_add(
    const uint8_t *x, const uint8_t *y, uint8_t flip, ck_int8_sum sum, ck_int8_quantization steps, uint8_t *out,
    size_t n);

/// out = table[x ^ flip_x] ^ flip for a table of 256 bytes.
CK_KERNEL(avx512vnni) void ck_int8_lookup(
    const uint8_t *x, uint8_t flip_x, const uint8_t *table, uint8_t flip, uint8_t *out, size_t n);

/// The maximum byte of every window. Each window must cover at least one input element.
CK_KERNEL(avx512vnni) void ck_int8_max_pool(
    const ck_window *shape, const uint8_t *in, uint8_t *out, size_t block_begin, size_t block_end, size_t row_begin,
    size_t row_end);

/// Quantizes blocked fp32 to blocked uint8, and back. The ranges count uint8 blocks. NaN is quantized as 0.
CK_KERNEL(avx512vnni) void ck_int8_quantize(
    const float *in, size_t channels, size_t area, float scale, ck_int8_quantization steps, uint8_t *out,
    size_t block_begin, size_t block_end);
CK_KERNEL(avx512vnni) void ck_int8_dequantize(
    const uint8_t *in, size_t channels, size_t area, float scale, int32_t low, float *out, size_t block_begin,
    size_t block_end);

/// Converts up to ck_int8_block_size() dense channels to one block, and back. Every byte is XORed with `flip`.
void ck_int8_block(const uint8_t *dense, size_t channels, size_t area, uint8_t flip, uint8_t *blocked);
void ck_int8_unblock(const uint8_t *blocked, size_t channels, size_t area, uint8_t flip, uint8_t *dense);

#pragma clang assume_nonnull end
