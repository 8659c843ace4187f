// Images of bytes over channels in blocks, one image a call: [blocks, height, width, ck_int8_block_size()]. A byte is a whole multiple of a
// scale, less the least of them (`low`); what the last block has too much is nothing that anybody reads. Only where ck_int8_supported().
//
//   ck_int8_block_size         ()
//   ck_int8_conv_is_plain      (shape)
//   ck_int8_conv_image         (shape, in, pad, image, row range)
//   ck_int8_planes_size        (shape)
//   ck_int8_planes             (shape, in, flip, pad, image, row range)
//   ck_int8_conv               (shape, planes, image, packed, sums, steps, out, unit range, row range)
//   ck_int8_depthwise_packed_size, ck_int8_depthwise_scratch_size (shape)
//   ck_int8_depthwise_pack     (shape, weights, row_stride, packed)
//   ck_int8_depthwise          (shape, in, pad, packed, sums, steps, out, scratch, block range, row range)
//   ck_int8_add                (x, y, flip, sum, steps, out, n)
//   ck_int8_lookup             (x, flip_x, table, flip, out, n)
//   ck_int8_max_pool           (shape, in, out, block range, row range)
//   ck_int8_quantize           (in, channels, area, scale, steps, out, block range)
//   ck_int8_dequantize         (in, channels, area, scale, low, out, block range)
//   ck_int8_block, ck_int8_unblock (dense, channels, area, flip, blocked)
#pragma once
#include "ck_int8.h"
#pragma clang assume_nonnull begin

/// Channels of a block: four times ck_block_size(), which is that of the floats that bytes are made of and become.
size_t ck_int8_block_size(void);

/// What results become: the nearest multiple (ties to even), no less than `least` and no more than `greatest`, as the byte that is it less `low`;
/// and what `table` has for that byte, where there is one of 256 bytes.
typedef struct {
  int32_t low, least, greatest;
  const uint8_t *_Nullable table;
} ck_int8_quantization;

/// For every output, padded to whole blocks of bytes: what its sum begins with (see ck_integer_sums), and what it is multiplied by and what is
/// added then so that it is in steps of the result.
typedef struct {
  const int32_t *starts;
  const float *scales;
  const float *shifts;
} ck_int8_accumulators;

/// Whether the image that ck_int8_conv reads is the input as it lies: windows of one element, all of them.
bool ck_int8_conv_is_plain(const ck_window *shape);

/// As ck_block_conv_i8_image, from bytes: rows of the image with what it is padded with around it. Sizes, rows and packed weights are those of
/// ck_bytes.h.
void ck_int8_conv_image(
    const ck_window *shape, const uint8_t *in, uint8_t pad, float *image, size_t row_begin, size_t row_end);

/// The same of a dense image of few channels, as planes of fours of these, ck_int8_planes_size(shape) floats: `flip` is added to every byte without
/// a carry. Rows are those of all planes, one for four channels.
size_t ck_int8_planes_size(const ck_window *shape);
void ck_int8_planes(
    const ck_window *shape, const uint8_t *in, uint8_t flip, uint8_t pad, float *image, size_t row_begin, size_t row_end);

/// As ck_block_conv_i8_f32, to bytes; with `planes` of an image and of weights that are such.
void ck_int8_conv(
    const ck_window *shape, bool planes, const float *image, const float *packed, const ck_int8_accumulators *sums, ck_int8_quantization steps, uint8_t *out,
    size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end);

/// Depthwise convolution, as many outputs as inputs. Sizes are in bytes; weights are whole numbers from -128 to 127, channels row_stride apart.
size_t ck_int8_depthwise_packed_size(const ck_window *shape);
size_t ck_int8_depthwise_scratch_size(const ck_window *shape);
void ck_int8_depthwise_pack(const ck_window *shape, const float *weights, ptrdiff_t row_stride, int8_t *packed);
void ck_int8_depthwise(
    const ck_window *shape, const uint8_t *in, uint8_t pad, const int8_t *packed, const ck_int8_accumulators *sums, ck_int8_quantization steps,
    uint8_t *out, uint8_t *scratch, size_t block_begin, size_t block_end, size_t row_begin, size_t row_end);

/// x scale_x + y scale_y + shift of the bytes as they are, in steps of the result. `flip` is added to every byte without a carry, before and after.
typedef struct {
  float scale_x, scale_y, shift;
} ck_int8_sum;
void ck_int8_add(
    const uint8_t *x, const uint8_t *y, uint8_t flip, ck_int8_sum sum, ck_int8_quantization steps, uint8_t *out, size_t n);

/// What a table of 256 bytes has for every byte: both with what is added to them without a carry.
void ck_int8_lookup(
    const uint8_t *x, uint8_t flip_x, const uint8_t *table, uint8_t flip, uint8_t *out, size_t n);

/// The greatest byte of every window; each has some of its input.
void ck_int8_max_pool(
    const ck_window *shape, const uint8_t *in, uint8_t *out, size_t block_begin, size_t block_end, size_t row_begin,
    size_t row_end);

/// Blocks of floats as blocks of bytes and back; the ranges are of blocks of bytes. What is no number is as 0.
void ck_int8_quantize(
    const float *in, size_t channels, size_t area, float scale, ck_int8_quantization steps, uint8_t *out, size_t block_begin,
    size_t block_end);
void ck_int8_dequantize(
    const uint8_t *in, size_t channels, size_t area, float scale, int32_t low, float *out, size_t block_begin, size_t block_end);

/// One block of up to ck_int8_block_size() dense channels, and back; `flip` is added to every byte without a carry.
void ck_int8_block(const uint8_t *dense, size_t channels, size_t area, uint8_t flip, uint8_t *blocked);
void ck_int8_unblock(const uint8_t *blocked, size_t channels, size_t area, uint8_t flip, uint8_t *dense);

#pragma clang assume_nonnull end
