// Public NCHWc functions that forward to the kernel table.
#include "table.h"

size_t ck_block_size(void) { return ck_table()->block_size(); }

bool ck_block_conv_supports(const ck_window *shape, bool planes) { return ck_table()->block_conv_supports(shape, planes); }

size_t ck_block_conv_units(const ck_window *shape) { return ck_table()->block_conv_units(shape); }

size_t ck_block_conv_packed_size(const ck_window *shape) { return ck_table()->block_conv_packed_size(shape); }

void ck_block_conv_pack_f32(
    const ck_window *shape, bool planes, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed) {
  ck_table()->block_conv_pack_f32(shape, planes, weights, row_stride, unit_begin, unit_end, packed);
}

bool ck_block_conv_takes_f16(const ck_window *shape, bool planes) {
  return ck_table()->block_conv_takes_f16(shape, planes);
}

void ck_block_conv_pack_f16(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end, uint16_t *packed) {
  ck_table()->block_conv_pack_f16(shape, weights, row_stride, unit_begin, unit_end, packed);
}

size_t ck_block_conv_widened_size(const ck_window *shape) { return ck_table()->block_conv_widened_size(shape); }

void ck_block_conv_f16w_f32(
    const ck_window *shape, const float *in, const uint16_t *packed, float *widened, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  ck_table()->block_conv_f16w_f32(
      shape, in, packed, widened, epilogue, add, out, scratch, unit_begin, unit_end, row_begin, row_end);
}

size_t ck_block_conv_unit_channel(const ck_window *shape, size_t unit) {
  return ck_table()->block_conv_unit_channel(shape, unit);
}

size_t ck_block_conv_scratch_size(const ck_window *shape, bool planes) {
  return ck_table()->block_conv_scratch_size(shape, planes);
}

void ck_block_conv_f32(
    const ck_window *shape, bool planes, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  ck_table()->block_conv_f32(shape, planes, in, packed, epilogue, add, out, scratch, unit_begin, unit_end, row_begin, row_end);
}

size_t ck_winograd_packed_size(const ck_window *shape, size_t tile) { return ck_table()->winograd_packed_size(shape, tile); }

void ck_winograd_pack_f32(
    const ck_window *shape, size_t tile, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed) {
  ck_table()->winograd_pack_f32(shape, tile, weights, row_stride, unit_begin, unit_end, packed);
}

size_t ck_winograd_scratch_size(const ck_window *shape, size_t tile) {
  return ck_table()->winograd_scratch_size(shape, tile);
}

void ck_winograd_f32(
    const ck_window *shape, size_t tile, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t tile_begin, size_t tile_end) {
  ck_table()->winograd_f32(shape, tile, in, packed, epilogue, add, out, scratch, tile_begin, tile_end);
}

size_t ck_winograd_fused_filter_tiles_size(const ck_window *shape, size_t tile, size_t room) {
  return ck_table()->winograd_fused_filter_tiles_size(shape, tile, room);
}

size_t ck_winograd_fused_filter_scratch_size(const ck_window *shape, size_t tile, size_t room, size_t units) {
  return ck_table()->winograd_fused_filter_scratch_size(shape, tile, room, units);
}

void ck_winograd_fused_filter_tiles_f32(
    const ck_window *shape, size_t tile, const float *in, float *to, size_t first, size_t tiles, size_t room,
    size_t block_begin, size_t block_end) {
  ck_table()->winograd_fused_filter_tiles_f32(shape, tile, in, to, first, tiles, room, block_begin, block_end);
}

void ck_winograd_fused_filter_f16w_f32(
    const ck_window *shape, size_t tile, const float *from, const uint16_t *packed, const ck_epilogue *epilogue,
    const float *add, float *out, float *scratch, size_t first, size_t tiles, size_t room, size_t unit_begin, size_t unit_end) {
  ck_table()->winograd_fused_filter_f16w_f32(
      shape, tile, from, packed, epilogue, add, out, scratch, first, tiles, room, unit_begin, unit_end);
}

void ck_winograd_fused_filter_f32(
    const ck_window *shape, size_t tile, const float *from, const float *packed, const ck_epilogue *epilogue,
    const float *add, float *out, float *scratch, size_t first, size_t tiles, size_t room, size_t unit_begin,
    size_t unit_end) {
  ck_table()->winograd_fused_filter_f32(
      shape, tile, from, packed, epilogue, add, out, scratch, first, tiles, room, unit_begin, unit_end);
}

void ck_block_depthwise_pack_f32(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t block_begin, size_t block_end, float *packed) {
  ck_table()->block_depthwise_pack_f32(shape, weights, row_stride, block_begin, block_end, packed);
}

void ck_block_depthwise_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add, float *out,
    size_t block_begin, size_t block_end, size_t row_begin, size_t row_end) {
  ck_table()->block_depthwise_f32(shape, in, packed, epilogue, add, out, block_begin, block_end, row_begin, row_end);
}

size_t ck_block_small_output_most(void) { return ck_table()->block_small_output_most(); }

void ck_block_small_output_pack_f32(const ck_window *shape, const float *weights, size_t channel, float *packed) {
  ck_table()->block_small_output_pack_f32(shape, weights, channel, packed);
}

void ck_block_small_output_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue, float *out, size_t row_begin,
    size_t row_end) {
  ck_table()->block_small_output_f32(shape, in, packed, epilogue, out, row_begin, row_end);
}

void ck_block_pool_f32(
    ck_block_pool op, const ck_window *shape, const float *in, float *out, size_t block_begin, size_t block_end,
    size_t row_begin, size_t row_end) {
  ck_table()->block_pool_f32(op, shape, in, out, block_begin, block_end, row_begin, row_end);
}

void ck_block_channels_binary_f32(
    ck_binary_op op, bool vector_first, const float *in, const float *vector, float *out, size_t channels, size_t area,
    size_t block_begin, size_t block_end) {
  ck_table()->block_channels_binary_f32(op, vector_first, in, vector, out, channels, area, block_begin, block_end);
}

void ck_block_reduce_f32(
    bool greatest, const float *in, float *out, size_t channels, size_t area, size_t block_begin, size_t block_end) {
  ck_table()->block_reduce_f32(greatest, in, out, channels, area, block_begin, block_end);
}

void ck_block_resize_f32(
    const float *in, size_t in_h, size_t in_w, const ck_tap *ytaps, const ck_tap *xtaps, float *out, size_t out_h,
    size_t out_w, size_t block_begin, size_t block_end) {
  ck_table()->block_resize_f32(in, in_h, in_w, ytaps, xtaps, out, out_h, out_w, block_begin, block_end);
}

void ck_block_clear_f32(float *tensor, size_t channels, size_t area) { ck_table()->block_clear_f32(tensor, channels, area); }

void ck_block_affine_f32(
    const float *in, const float *mean, const float *scale, const float *shift, float *out, size_t channels, size_t area,
    size_t block_begin, size_t block_end) {
  ck_table()->block_affine_f32(in, mean, scale, shift, out, channels, area, block_begin, block_end);
}

void ck_block_move_f32(const ck_block_part *parts, size_t count, float *out, size_t area) {
  ck_table()->block_move_f32(parts, count, out, area);
}
