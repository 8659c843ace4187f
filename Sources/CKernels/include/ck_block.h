// Convolutions over channels in blocks, float32, one image a call: [blocks, height, width, ck_block_size()], the last block filled up with
// zeros (see ck_move.h for how a dense tensor becomes one). Every vector holds the channels of one position.
//
//   ck_block_size              ()
//   ck_block_conv_supports     (shape, planes)
//   ck_block_conv_units        (shape)
//   ck_block_conv_packed_size  (shape)
//   ck_block_conv_pack_f32     (shape, planes, weights, row_stride, unit_begin, unit_end, packed)
//   ck_block_conv_takes_f16 (shape, planes)
//   ck_block_conv_pack_f16     (shape, weights, row_stride, unit_begin, unit_end, packed)
//   ck_block_conv_scratch_size (shape, planes)
//   ck_block_conv_f16w_f32     (shape, in, packed, epilogue, add, out, scratch, unit range, row range)
//   ck_block_conv_f32          (shape, planes, in, packed, epilogue, add, out, scratch, unit range, row range)
//   ck_winograd_packed_size    (shape, tile)
//   ck_winograd_pack_f32       (shape, tile, weights, row_stride, unit_begin, unit_end, packed)
//   ck_winograd_scratch_size   (shape, tile)
//   ck_winograd_f32            (shape, tile, in, packed, epilogue, add, out, scratch, tile range)
//   ck_winograd_fused_filter_tiles_size, ck_winograd_fused_filter_scratch_size
//   ck_winograd_fused_filter_tiles_f32 (shape, tile, in, to, first, tiles, room, block range)
//   ck_winograd_fused_filter_f32       (shape, tile, from, packed, epilogue, add, out, scratch, first, tiles, room, unit range)
//   ck_winograd_fused_filter_f16w_f32  (as ck_winograd_fused_filter_f32)
//   ck_block_depthwise_pack_f32, ck_block_depthwise_f32
//   ck_block_small_output_most, ck_block_small_output_pack_f32, ck_block_small_output_f32
//   ck_block_pool_f32          (op, shape, in, out, block range)
//   ck_block_channels_binary_f32, ck_block_affine_f32, ck_block_reduce_f32, ck_block_resize_f32, ck_block_move_f32
//
// 2-D windows only (depth 1). Weights are [out_channels, in_channels / groups, kernel_h, kernel_w]. A unit is one or two blocks of output
// channels, which share each number of the input that is read; packed weights depend on the instruction set.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_conv.h"
#include "ck_elementwise.h"
#include "ck_move.h"
#pragma clang assume_nonnull begin

/// Channels of a block: the lanes of a vector.
size_t ck_block_size(void);

/// Whether ck_block_conv_f32 takes a shape: two dimensions; with `planes` the input is dense, and of one group. Groups of whole blocks, and
/// groups of as many input as output channels of which a block holds a whole number, take no more products than they have; of others each
/// block of the output is multiplied with all inputs of its groups.
bool ck_block_conv_supports(const ck_window *shape, bool planes);

size_t ck_block_conv_units(const ck_window *shape);

/// Floats of all units' weights.
size_t ck_block_conv_packed_size(const ck_window *shape);

/// Packs units unit_begin ..< unit_end; with `planes` for a dense input. `weights` points to the first output channel of the first of them, channels lie row_stride apart;
/// `packed` is the start of the whole.
void ck_block_conv_pack_f32(
    const ck_window *shape, bool planes, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed);

/// Whether ck_block_conv_f16w_f32 takes a shape that ck_block_conv_f32 takes.
bool ck_block_conv_takes_f16(const ck_window *shape, bool planes);

/// The same for a blocked input, as halves: for weights that are nothing else.
void ck_block_conv_pack_f16(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end, uint16_t *packed);

/// The first output channel of a unit (of the number of units: all channels).
size_t ck_block_conv_unit_channel(const ck_window *shape, size_t unit);

/// Floats of scratch memory for each caller at the same time.
size_t ck_block_conv_scratch_size(const ck_window *shape, bool planes);

/// Computes rows row_begin ..< row_end of the output channels of units unit_begin ..< unit_end. `out` is blocked, and so is `add`, what is added
/// before the activation, if it is not NULL; `in` is blocked or, with `planes`, dense. Pointers are to channel 0 of the image.
void ck_block_conv_f32(
    const ck_window *shape, bool planes, const float *in, const float *packed, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin,
    size_t row_end);

/// Floats of the room in which weights that many positions share are widened once, a part at a time; none for a shape whose weights are not.
size_t ck_block_conv_widened_size(const ck_window *shape);

/// The same, bit by bit, of a blocked input and weights that ck_block_conv_pack_f16 packed: they are widened in that room, each caller's own,
/// or without it in registers.
void ck_block_conv_f16w_f32(
    const ck_window *shape, const float *in, const uint16_t *packed, float *_Nullable widened, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end);

/// Winograd's convolution F(tile, 3) with tile 2, 4 or 6, for kernels of 3 x 3, stride and dilation 1, one group: 2.25, 4 and 5.06 times fewer
/// products, and rounding that grows with the tile.
size_t ck_winograd_packed_size(const ck_window *shape, size_t tile);
void ck_winograd_pack_f32(
    const ck_window *shape, size_t tile, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed);
size_t ck_winograd_scratch_size(const ck_window *shape, size_t tile);

/// Computes tiles tile_begin ..< tile_end of ceil(out_h / tile) * ceil(out_w / tile), row-major, for all output channels.
void ck_winograd_f32(
    const ck_window *shape, size_t tile, const float *in, const float *packed, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, float *scratch, size_t tile_begin, size_t tile_end);

/// The same with kernels as ck_block_conv_pack_f32 packs them for a blocked input, which are transformed when they are multiplied: a ninth of
/// the memory for a tile of 6, a quarter for a tile of 4. Worth it where tiles are few. Tiles are counted over all images, which lie one after
/// the other in `in`, `add` and `out`; `tiles` of them from `first` on, `room` at most, are worked on at once, in two steps.
///
/// Floats of the transformed tiles of `room`, and of scratch memory for `units` units of output channels.
size_t ck_winograd_fused_filter_tiles_size(const ck_window *shape, size_t tile, size_t room);
size_t ck_winograd_fused_filter_scratch_size(const ck_window *shape, size_t tile, size_t room, size_t units);

/// Transforms the tiles for blocks block_begin ..< block_end of input channels.
void ck_winograd_fused_filter_tiles_f32(
    const ck_window *shape, size_t tile, const float *in, float *to, size_t first, size_t tiles, size_t room,
    size_t block_begin, size_t block_end);

/// Computes the outputs of these tiles for units unit_begin ..< unit_end once all blocks are transformed.
void ck_winograd_fused_filter_f32(
    const ck_window *shape, size_t tile, const float *from, const float *packed, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, float *scratch, size_t first, size_t tiles, size_t room, size_t unit_begin,
    size_t unit_end);

/// The same, bit by bit, of kernels that ck_block_conv_pack_f16 packed.
void ck_winograd_fused_filter_f16w_f32(
    const ck_window *shape, size_t tile, const float *from, const uint16_t *packed, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, float *scratch, size_t first, size_t tiles, size_t room, size_t unit_begin,
    size_t unit_end);

/// Depthwise convolution, one output channel for each input channel: weights [channels, kernel_h, kernel_w] become [blocks, kernel_h, kernel_w,
/// block].
void ck_block_depthwise_pack_f32(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t block_begin, size_t block_end, float *packed);
void ck_block_depthwise_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue, const float *_Nullable add,
    float *out, size_t block_begin, size_t block_end, size_t row_begin, size_t row_end);

/// Convolution of one group to few outputs, ck_block_small_output_most() at most, which come out dense: [out_channels, out_h, out_w]. Packed weights are
/// [blocks, kernel_h, kernel_w, out_channels, block]; one output's are packed at a time, from [in_channels, kernel_h, kernel_w].
size_t ck_block_small_output_most(void);
void ck_block_small_output_pack_f32(const ck_window *shape, const float *weights, size_t channel, float *packed);
void ck_block_small_output_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue, float *out, size_t row_begin,
    size_t row_end);

/// Pooling as in ck_conv.h, in 2-D.
typedef enum ck_block_pool { CK_BLOCK_POOL_MAX, CK_BLOCK_POOL_AVERAGE, CK_BLOCK_POOL_AVERAGE_INSIDE } ck_block_pool;
void ck_block_pool_f32(
    ck_block_pool op, const ck_window *shape, const float *in, float *out, size_t block_begin, size_t block_end,
    size_t row_begin, size_t row_end);

/// out[c, i] = in[c, i] op vector[c], or vector[c] op in[c, i] where `vector_first`: add, sub, mul, div, max or min. `vector` is dense
/// [channels]; out may be in.
void ck_block_channels_binary_f32(
    ck_binary_op op, bool vector_first, const float *in, const float *vector, float *out, size_t channels, size_t area,
    size_t block_begin, size_t block_end);

/// The mean or the greatest of each channel's area, dense [channels].
void ck_block_reduce_f32(
    bool greatest, const float *in, float *out, size_t channels, size_t area, size_t block_begin, size_t block_end);

/// Positions resampled by taps as in ck_resize_bilinear_f32; where weights are 0 they are copied.
void ck_block_resize_f32(
    const float *in, size_t in_h, size_t in_w, const ck_tap *ytaps, const ck_tap *xtaps, float *out, size_t out_h, size_t out_w,
    size_t block_begin, size_t block_end);

/// Positions begin ..< end of an image: [blocks, area, size] to [area, channels], and back (with zeros in what the last block has too much).
void ck_blocks_to_rows_f32(
    const float *in, size_t channels, size_t area, size_t size, float *out, size_t begin, size_t end);
void ck_rows_to_blocks_f32(
    const float *in, size_t channels, size_t area, size_t size, float *out, size_t begin, size_t end);
/// out[c, i] = (in[c, i] - mean[c]) scale[c] + shift[c]; `mean`, `scale` and `shift` are dense [channels]; out may be in.
void ck_block_affine_f32(
    const float *in, const float *mean, const float *scale, const float *shift, float *out, size_t channels, size_t area,
    size_t block_begin, size_t block_end);

/// What a block gets of a block `in`: lane i is its lane lanes[i], where that is not negative.
typedef struct ck_block_part {
  const float *_Nullable in;
  int32_t lanes[16];
} ck_block_part;

/// One block of `area` positions put together from `count` parts; lanes that none of them has are 0.
void ck_block_move_f32(const ck_block_part *parts, size_t count, float *out, size_t area);

/// Makes what the last block has too much zero again.
void ck_block_clear_f32(float *tensor, size_t channels, size_t area);

#pragma clang assume_nonnull end
