// NCHWc convolutions, fp32, one image per call. The layout is [blocks, height, width, ck_block_size()]; zeros pad the
// last block. Each vector holds the channels of one position. See ck_move.h for the conversion from a dense tensor.
//
// 2-D windows only (depth 1). Weights are [out_channels, in_channels / groups, kernel_h, kernel_w]. A unit is one or
// two channel blocks of the output that share each loaded input element. The layout of packed weights depends on the
// instruction set.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_conv.h"
#include "ck_elementwise.h"
#include "ck_kernel.h"
#include "ck_move.h"
#pragma clang assume_nonnull begin

/// Channels of a block: the number of fp32 lanes of a vector.
CK_KERNEL(base) size_t ck_block_size(void);

/// Whether ck_block_conv_f32 supports a shape. The shape must be 2-D. With `planes` the input is dense and there is one
/// group.
///
/// A grouped convolution does no extra work in two cases:
/// - Each group has whole blocks.
/// - Each group has as many input as output channels, and their number divides the block size.
///
/// Otherwise the kernel multiplies each output block with all inputs of the groups in it.
CK_KERNEL(base) bool ck_block_conv_supports(const ck_window *shape, bool planes);

CK_KERNEL(base) size_t ck_block_conv_units(const ck_window *shape);

/// Size of the packed weights of all units, in floats.
CK_KERNEL(base) size_t ck_block_conv_packed_size(const ck_window *shape);

/// Packs units unit_begin ..< unit_end, for a dense input if `planes`. `weights` points to the first output channel of
/// unit unit_begin; channels are row_stride elements apart. `packed` is the start of the whole buffer.
CK_KERNEL(base) void ck_block_conv_pack_f32(
    const ck_window *shape, bool planes, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed);

/// Whether ck_block_conv_f16w_f32 supports a shape that ck_block_conv_f32 supports.
CK_KERNEL(base) bool ck_block_conv_takes_f16(const ck_window *shape, bool planes);

/// Packs fp16 weights for an NCHWc input. The weights must be exact in fp16.
CK_KERNEL(base) void ck_block_conv_pack_f16(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    uint16_t *packed);

/// The first output channel of a unit. The number of units gives the number of channels.
CK_KERNEL(base) size_t ck_block_conv_unit_channel(const ck_window *shape, size_t unit);

/// Scratch floats for each concurrent caller.
CK_KERNEL(base) size_t ck_block_conv_scratch_size(const ck_window *shape, bool planes);

/// Computes rows row_begin ..< row_end of the output channels of units unit_begin ..< unit_end. `out` is NCHWc. `add`,
/// if not NULL, is NCHWc too; the kernel adds it before the activation. `in` is NCHWc or, with `planes`, dense.
/// Pointers are to channel 0 of the image.
CK_KERNEL(base) void ck_block_conv_f32(
    const ck_window *shape, bool planes, const float *in, const float *packed, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin,
    size_t row_end);

/// Size in floats of the `widened` buffer of ck_block_conv_f16w_f32. The kernel converts weights there once, part by
/// part, for all positions that share them. 0 for a shape that does not share converted weights.
CK_KERNEL(base) size_t ck_block_conv_widened_size(const ck_window *shape);

/// As ck_block_conv_f32 with NCHWc input and weights of ck_block_conv_pack_f16; the result is bit-identical. Each
/// concurrent caller has its own `widened` buffer. If it is NULL, the kernel converts the weights in registers.
CK_KERNEL(base) void ck_block_conv_f16w_f32(
    const ck_window *shape, const float *in, const uint16_t *packed, float *_Nullable widened,
    const ck_epilogue *epilogue, const float *_Nullable add, float *out, float *scratch, size_t unit_begin,
    size_t unit_end, size_t row_begin, size_t row_end);

/// Winograd convolution F(tile, 3) with tile 2, 4 or 6, for 3 x 3 kernels with stride 1, dilation 1 and one group. It
/// needs 2.25, 4 and 5.06 times fewer multiplications. The rounding error grows with the tile. Sizes are in floats.
CK_KERNEL(base) size_t ck_winograd_packed_size(const ck_window *shape, size_t tile);
CK_KERNEL(base) void ck_winograd_pack_f32(
    const ck_window *shape, size_t tile, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed);
CK_KERNEL(base) size_t ck_winograd_scratch_size(const ck_window *shape, size_t tile);

/// Computes tiles tile_begin ..< tile_end of ceil(out_h / tile) * ceil(out_w / tile), row-major, for all output
/// channels.
CK_KERNEL(base) void ck_winograd_f32(
    const ck_window *shape, size_t tile, const float *in, const float *packed, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, float *scratch, size_t tile_begin, size_t tile_end);

/// Winograd with on-the-fly filter transform. The weights are those of ck_block_conv_pack_f32 for an NCHWc input; the
/// kernel transforms them when it multiplies. Weights take 9 instead of (tile + 2)^2 elements: a seventh of the memory
/// for tile 6, a quarter for tile 4. This is faster where there are few tiles.
///
/// Tiles are numbered over all images, which are stored one after the other in `in`, `add` and `out`. Two steps process
/// `tiles` tiles at a time, from tile `first` on. `tiles` is at most `room`.
///
/// These two return the floats of the transformed tiles for `room`, and the scratch floats for `units` units of output
/// channels.
CK_KERNEL(base) size_t ck_winograd_fused_filter_tiles_size(const ck_window *shape, size_t tile, size_t room);
CK_KERNEL(base) size_t ck_winograd_fused_filter_scratch_size(
    const ck_window *shape, size_t tile, size_t room, size_t units);

/// Transforms the tiles for blocks block_begin ..< block_end of input channels.
CK_KERNEL(base) void ck_winograd_fused_filter_tiles_f32(
    const ck_window *shape, size_t tile, const float *in, float *to, size_t first, size_t tiles, size_t room,
    size_t block_begin, size_t block_end);

/// Computes the outputs of these tiles for units unit_begin ..< unit_end. All blocks must be transformed before.
CK_KERNEL(base) void ck_winograd_fused_filter_f32(
    const ck_window *shape, size_t tile, const float *from, const float *packed, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, float *scratch, size_t first, size_t tiles, size_t room, size_t unit_begin,
    size_t unit_end);

/// As ck_winograd_fused_filter_f32 with weights of ck_block_conv_pack_f16; the result is bit-identical.
CK_KERNEL(base) void ck_winograd_fused_filter_f16w_f32(
    const ck_window *shape, size_t tile, const float *from, const uint16_t *packed, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, float *scratch, size_t first, size_t tiles, size_t room, size_t unit_begin,
    size_t unit_end);

/// Depthwise convolution, one output channel for each input channel. Weights [channels, kernel_h, kernel_w] are packed
/// to [blocks, kernel_h, kernel_w, block].
CK_KERNEL(base) void ck_block_depthwise_pack_f32(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t block_begin, size_t block_end,
    float *packed);
CK_KERNEL(base) void ck_block_depthwise_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, size_t block_begin, size_t block_end, size_t row_begin, size_t row_end);

/// Small-output convolution of one group with at most ck_block_small_output_most() output channels. The output is
/// dense: [out_channels, out_h, out_w]. Packed weights are [blocks, kernel_h, kernel_w, out_channels, block]. Each pack
/// call packs one output channel, from [in_channels, kernel_h, kernel_w].
CK_KERNEL(base) size_t ck_block_small_output_most(void);
CK_KERNEL(base) void ck_block_small_output_pack_f32(
    const ck_window *shape, const float *weights, size_t channel, float *packed);
CK_KERNEL(base) void ck_block_small_output_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue, float *out,
    size_t row_begin, size_t row_end);

/// Pooling as in ck_conv.h, in 2-D.
typedef enum ck_block_pool { CK_BLOCK_POOL_MAX, CK_BLOCK_POOL_AVERAGE, CK_BLOCK_POOL_AVERAGE_INSIDE } ck_block_pool;
CK_KERNEL(base) void ck_block_pool_f32(
    ck_block_pool op, const ck_window *shape, const float *in, float *out, size_t block_begin, size_t block_end,
    size_t row_begin, size_t row_end);

/// out[c, i] = in[c, i] op vector[c], or vector[c] op in[c, i] if `vector_first`. `op` is add, sub, mul, div, max or
/// min. `vector` is dense [channels]. `out` may alias `in`.
CK_KERNEL(base) void ck_block_channels_binary_f32(
    ck_binary_op op, bool vector_first, const float *in, const float *vector, float *out, size_t channels, size_t area,
    size_t block_begin, size_t block_end);

/// The mean or the maximum of each channel over its area, dense [channels].
CK_KERNEL(base) void ck_block_reduce_f32(
    bool greatest, const float *in, float *out, size_t channels, size_t area, size_t block_begin, size_t block_end);

/// Resamples positions by taps as in ck_resize_bilinear_f32. Where a weight is 0, the kernel copies.
CK_KERNEL(base) void ck_block_resize_f32(
    const float *in, size_t in_h, size_t in_w, const ck_tap *ytaps, const ck_tap *xtaps, float *out, size_t out_h,
    size_t out_w, size_t block_begin, size_t block_end);

/// Converts positions begin ..< end of an image: [blocks, area, size] to [area, channels], and back. The way back fills
/// the padding lanes of the last block with zeros.
void ck_blocks_to_rows_f32(
    const float *in, size_t channels, size_t area, size_t size, float *out, size_t begin, size_t end);
void ck_rows_to_blocks_f32(
    const float *in, size_t channels, size_t area, size_t size, float *out, size_t begin, size_t end);
/// out[c, i] = (in[c, i] - mean[c]) scale[c] + shift[c]. `mean`, `scale` and `shift` are dense [channels]. `out` may
/// alias `in`.
CK_KERNEL(base) void ck_block_affine_f32(
    const float *in, const float *mean, const float *scale, const float *shift, float *out, size_t channels,
    size_t area, size_t block_begin, size_t block_end);

/// Part of an output block: lane i is lane lanes[i] of block `in`. A negative lanes[i] means that the part does not
/// supply lane i.
typedef struct ck_block_part {
  const float *_Nullable in;
  int32_t lanes[16];
} ck_block_part;

/// Assembles one block of `area` positions from `count` parts. Lanes that no part supplies are 0.
CK_KERNEL(base) void ck_block_move_f32(const ck_block_part *parts, size_t count, float *out, size_t area);

/// Zeroes the padding lanes of the last block.
CK_KERNEL(base) void ck_block_clear_f32(float *tensor, size_t channels, size_t area);

#pragma clang assume_nonnull end
