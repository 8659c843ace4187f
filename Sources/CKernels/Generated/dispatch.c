// Written by tools/make-dispatch. Do not edit: change the declaration in the header, and run it again.
#include "../table.h"

// ck_block.h

size_t ck_block_size(void) { return ck_table()->block_size(); }

bool ck_block_conv_supports(const ck_window *shape, bool planes) {
  return ck_table()->block_conv_supports(shape, planes);
}

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
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    uint16_t *packed) {
  ck_table()->block_conv_pack_f16(shape, weights, row_stride, unit_begin, unit_end, packed);
}

size_t ck_block_conv_unit_channel(const ck_window *shape, size_t unit) {
  return ck_table()->block_conv_unit_channel(shape, unit);
}

size_t ck_block_conv_scratch_size(const ck_window *shape, bool planes) {
  return ck_table()->block_conv_scratch_size(shape, planes);
}

void ck_block_conv_f32(
    const ck_window *shape, bool planes, const float *in, const float *packed, const ck_epilogue *epilogue,
    const float *add, float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin,
    size_t row_end) {
  ck_table()->block_conv_f32(
      shape, planes, in, packed, epilogue, add, out, scratch, unit_begin, unit_end, row_begin, row_end);
}

size_t ck_block_conv_widened_size(const ck_window *shape) { return ck_table()->block_conv_widened_size(shape); }

void ck_block_conv_f16w_f32(
    const ck_window *shape, const float *in, const uint16_t *packed, float *widened, const ck_epilogue *epilogue,
    const float *add, float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin,
    size_t row_end) {
  ck_table()->block_conv_f16w_f32(
      shape, in, packed, widened, epilogue, add, out, scratch, unit_begin, unit_end, row_begin, row_end);
}

size_t ck_winograd_packed_size(const ck_window *shape, size_t tile) {
  return ck_table()->winograd_packed_size(shape, tile);
}

void ck_winograd_pack_f32(
    const ck_window *shape, size_t tile, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed) {
  ck_table()->winograd_pack_f32(shape, tile, weights, row_stride, unit_begin, unit_end, packed);
}

size_t ck_winograd_scratch_size(const ck_window *shape, size_t tile) {
  return ck_table()->winograd_scratch_size(shape, tile);
}

void ck_winograd_f32(
    const ck_window *shape, size_t tile, const float *in, const float *packed, const ck_epilogue *epilogue,
    const float *add, float *out, float *scratch, size_t tile_begin, size_t tile_end) {
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

void ck_winograd_fused_filter_f32(
    const ck_window *shape, size_t tile, const float *from, const float *packed, const ck_epilogue *epilogue,
    const float *add, float *out, float *scratch, size_t first, size_t tiles, size_t room, size_t unit_begin,
    size_t unit_end) {
  ck_table()->winograd_fused_filter_f32(
      shape, tile, from, packed, epilogue, add, out, scratch, first, tiles, room, unit_begin, unit_end);
}

void ck_winograd_fused_filter_f16w_f32(
    const ck_window *shape, size_t tile, const float *from, const uint16_t *packed, const ck_epilogue *epilogue,
    const float *add, float *out, float *scratch, size_t first, size_t tiles, size_t room, size_t unit_begin,
    size_t unit_end) {
  ck_table()->winograd_fused_filter_f16w_f32(
      shape, tile, from, packed, epilogue, add, out, scratch, first, tiles, room, unit_begin, unit_end);
}

void ck_block_depthwise_pack_f32(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t block_begin, size_t block_end,
    float *packed) {
  ck_table()->block_depthwise_pack_f32(shape, weights, row_stride, block_begin, block_end, packed);
}

void ck_block_depthwise_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add,
    float *out, size_t block_begin, size_t block_end, size_t row_begin, size_t row_end) {
  ck_table()->block_depthwise_f32(shape, in, packed, epilogue, add, out, block_begin, block_end, row_begin, row_end);
}

size_t ck_block_small_output_most(void) { return ck_table()->block_small_output_most(); }

void ck_block_small_output_pack_f32(const ck_window *shape, const float *weights, size_t channel, float *packed) {
  ck_table()->block_small_output_pack_f32(shape, weights, channel, packed);
}

void ck_block_small_output_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue, float *out,
    size_t row_begin, size_t row_end) {
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

void ck_block_affine_f32(
    const float *in, const float *mean, const float *scale, const float *shift, float *out, size_t channels,
    size_t area, size_t block_begin, size_t block_end) {
  ck_table()->block_affine_f32(in, mean, scale, shift, out, channels, area, block_begin, block_end);
}

void ck_block_move_f32(const ck_block_part *parts, size_t count, float *out, size_t area) {
  ck_table()->block_move_f32(parts, count, out, area);
}

void ck_block_clear_f32(float *tensor, size_t channels, size_t area) {
  ck_table()->block_clear_f32(tensor, channels, area);
}

// ck_cast.h

void ck_f16_to_f32(const uint16_t *in, float *out, size_t n) { ck_table()->f16_to_f32(in, out, n); }

void ck_f32_to_f16(const float *in, uint16_t *out, size_t n) { ck_table()->f32_to_f16(in, out, n); }

void ck_dequantize_i8_f32(
    const int8_t *in, const float *scale, const int8_t *zero_point, float *out, size_t outer, size_t channels,
    size_t inner) {
  ck_table()->dequantize_i8_f32(in, scale, zero_point, out, outer, channels, inner);
}

void ck_dequantize_u8_f32(
    const uint8_t *in, const float *scale, const uint8_t *zero_point, float *out, size_t outer, size_t channels,
    size_t inner) {
  ck_table()->dequantize_u8_f32(in, scale, zero_point, out, outer, channels, inner);
}

void ck_quantize_f32_i8(
    const float *in, const float *scale, const int8_t *zero_point, int8_t *out, size_t outer, size_t channels,
    size_t inner) {
  ck_table()->quantize_f32_i8(in, scale, zero_point, out, outer, channels, inner);
}

void ck_quantize_f32_u8(
    const float *in, const float *scale, const uint8_t *zero_point, uint8_t *out, size_t outer, size_t channels,
    size_t inner) {
  ck_table()->quantize_f32_u8(in, scale, zero_point, out, outer, channels, inner);
}

bool ck_lookup_f32(size_t bits, const uint8_t *indices, const float *table, float *out, size_t n) {
  return ck_table()->lookup_f32(bits, indices, table, out, n);
}

void ck_shift_scale_f32(float *x, const float *scale, const float *offset, size_t run, size_t first, size_t n) {
  ck_table()->shift_scale_f32(x, scale, offset, run, first, n);
}

void ck_shift_scale_exact_f32(float *x, const float *scale, const float *offset, size_t run, size_t first, size_t n) {
  ck_table()->shift_scale_exact_f32(x, scale, offset, run, first, n);
}

void ck_round_f16_f32(float *x, size_t n) { ck_table()->round_f16_f32(x, n); }

size_t ck_spread_f32(const uint8_t *mask, size_t first, const float *values, float *out, size_t n) {
  return ck_table()->spread_f32(mask, first, values, out, n);
}

// ck_conv.h

void ck_depthwise_conv2d_f32(
    const ck_window *shape, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  ck_table()->depthwise_conv2d_f32(shape, in, weights, epilogue, out, channel_begin, channel_end);
}

void ck_conv_direct_f32(
    const ck_window *shape, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  ck_table()->conv_direct_f32(shape, in, weights, epilogue, out, channel_begin, channel_end);
}

void ck_conv_transpose_f32(
    const ck_window *shape, const float *in, const float *weights, const ck_epilogue *epilogue, float *out,
    ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  ck_table()->conv_transpose_f32(shape, in, weights, epilogue, out, channel_begin, channel_end);
}

void ck_im2col_f32(
    const ck_window *shape, const float *in, ptrdiff_t channel_begin, ptrdiff_t channel_end, ptrdiff_t row_begin,
    ptrdiff_t row_end, float *columns) {
  ck_table()->im2col_f32(shape, in, channel_begin, channel_end, row_begin, row_end, columns);
}

void ck_col2im_f32(
    const ck_window *shape, const float *columns, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  ck_table()->col2im_f32(shape, columns, out, channel_begin, channel_end);
}

void ck_max_pool_f32(
    const ck_window *shape, const float *in, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  ck_table()->max_pool_f32(shape, in, out, channel_begin, channel_end);
}

void ck_average_pool_f32(
    const ck_window *shape, bool exclude_padding, const float *in, float *out, ptrdiff_t channel_begin,
    ptrdiff_t channel_end) {
  ck_table()->average_pool_f32(shape, exclude_padding, in, out, channel_begin, channel_end);
}

void ck_l2_pool_f32(
    const ck_window *shape, const float *in, float *out, ptrdiff_t channel_begin, ptrdiff_t channel_end) {
  ck_table()->l2_pool_f32(shape, in, out, channel_begin, channel_end);
}

// ck_double.h

void ck_linear_f64(
    const double *x, const double *weight, const double *bias, double *out, size_t rows, size_t columns, size_t depth) {
  ck_table()->linear_f64(x, weight, bias, out, rows, columns, depth);
}

void ck_distances_f64(const double *x, const double *points, double *out, size_t rows, size_t columns, size_t depth) {
  ck_table()->distances_f64(x, points, out, rows, columns, depth);
}

void ck_sample_distances_f64(const double *x, const float *samples, double *out, size_t count, size_t depth) {
  ck_table()->sample_distances_f64(x, samples, out, count, depth);
}

// ck_gemm.h

size_t ck_gemm_tile_rows(void) { return ck_table()->gemm_tile_rows(); }

size_t ck_gemm_panel_columns(void) { return ck_table()->gemm_panel_columns(); }

void ck_gemm_pack_a_part_f32(
    size_t m, size_t k, const float *a, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t tile_begin,
    size_t tile_end, float *packed) {
  ck_table()->gemm_pack_a_part_f32(m, k, a, row_stride, column_stride, tile_begin, tile_end, packed);
}

void ck_gemm_pack_b_part_f32(
    size_t k, size_t n, const float *b, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t panel_begin, size_t panel_end, float *packed) {
  ck_table()->gemm_pack_b_part_f32(k, n, b, row_stride, column_stride, k_begin, k_end, panel_begin, panel_end, packed);
}

void ck_gemm_packed_f32(
    size_t m, size_t n, size_t k, const float *packed_a, const float *packed_b, ck_bias_axis bias_axis,
    const ck_epilogue *epilogue, float *c, size_t ldc, size_t tile_begin, size_t tile_end, size_t panel_begin,
    size_t panel_end) {
  ck_table()->gemm_packed_f32(
      m, n, k, packed_a, packed_b, bias_axis, epilogue, c, ldc, tile_begin, tile_end, panel_begin, panel_end);
}

size_t ck_conv_gemm_scratch_size(void) { return ck_table()->conv_gemm_scratch_size(); }

void ck_conv_gemm_f32(
    const ck_window *shape, ptrdiff_t group, const float *in, const float *packed_weights, const ck_epilogue *epilogue,
    float *out, float *scratch, size_t panel_begin, size_t panel_end) {
  ck_table()->conv_gemm_f32(shape, group, in, packed_weights, epilogue, out, scratch, panel_begin, panel_end);
}

// ck_gemm_prepacked.h

size_t ck_gemm_prepacked_units(size_t n) { return ck_table()->gemm_prepacked_units(n); }

size_t ck_gemm_prepacked_packed_size(size_t rows, size_t k) { return ck_table()->gemm_prepacked_packed_size(rows, k); }

size_t ck_gemm_prepacked_packed_weights_size(size_t k, size_t n) {
  return ck_table()->gemm_prepacked_packed_weights_size(k, n);
}

void ck_gemm_prepacked_pack_f32(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, float scale, size_t row_begin, size_t row_end,
    float *packed) {
  ck_table()->gemm_prepacked_pack_f32(x, ldx, rows, k, scale, row_begin, row_end, packed);
}

void ck_gemm_prepacked_pack_weights_f32(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed) {
  ck_table()->gemm_prepacked_pack_weights_f32(
      k, n, w, row_stride, column_stride, k_begin, k_end, unit_begin, unit_end, packed);
}

size_t ck_gemm_prepacked_pass(size_t k) { return ck_table()->gemm_prepacked_pass(k); }

void ck_gemm_prepacked_product_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx, const float *packed_w,
    const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin,
    size_t row_end, size_t unit_begin, size_t unit_end) {
  ck_table()->gemm_prepacked_product_f32(
      rows, n, k, k_begin, k_end, x, ldx, packed_w, epilogue, add, ldadd, out, ldo, row_begin, row_end, unit_begin,
      unit_end);
}

void ck_gemm_prepacked_pack_weights_f16(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, uint16_t *packed) {
  ck_table()->gemm_prepacked_pack_weights_f16(
      k, n, w, row_stride, column_stride, k_begin, k_end, unit_begin, unit_end, packed);
}

size_t ck_gemm_prepacked_widened_size(size_t k) { return ck_table()->gemm_prepacked_widened_size(k); }

void ck_gemm_prepacked_product_f16w_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const uint16_t *packed_w, float *widened, const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd,
    float *out, ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end) {
  ck_table()->gemm_prepacked_product_f16w_f32(
      rows, n, k, k_begin, k_end, x, ldx, packed_w, widened, epilogue, add, ldadd, out, ldo, row_begin, row_end,
      unit_begin, unit_end);
}

size_t ck_gemm_prepacked_decoded_size(size_t k) { return ck_table()->gemm_prepacked_decoded_size(k); }

void ck_gemm_prepacked_product_quantized_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const ck_quantized_matrix *w, float *decoded, const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd,
    float *out, ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end) {
  ck_table()->gemm_prepacked_product_quantized_f32(
      rows, n, k, k_begin, k_end, x, ldx, w, decoded, epilogue, add, ldadd, out, ldo, row_begin, row_end, unit_begin,
      unit_end);
}

size_t ck_attention_packed_size(const ck_attention *shape) { return ck_table()->attention_packed_size(shape); }

size_t ck_attention_scratch_size(const ck_attention *shape) { return ck_table()->attention_scratch_size(shape); }

void ck_attention_pack_f32(const ck_attention *shape, const float *keys, const float *values, float *packed) {
  ck_table()->attention_pack_f32(shape, keys, values, packed);
}

void ck_attention_f32(
    const ck_attention *shape, const float *queries, const float *packed, const ck_score_mask *masks, size_t mask_count,
    float *out, float *scratch, size_t query_begin, size_t query_end) {
  ck_table()->attention_f32(shape, queries, packed, masks, mask_count, out, scratch, query_begin, query_end);
}

void ck_attention_few_f32(
    const ck_attention *shape, const float *query, const ck_attention_part *parts, size_t part_count,
    const ck_score_mask *masks, size_t mask_count, size_t number, float *out, float *scratch) {
  ck_table()->attention_few_f32(shape, query, parts, part_count, masks, mask_count, number, out, scratch);
}

size_t ck_attention_few_scratch_size(const ck_attention *shape) {
  return ck_table()->attention_few_scratch_size(shape);
}

// ck_gemv.h

void ck_gemv_f32(
    const float *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m, size_t n,
    size_t k) {
  ck_table()->gemv_f32(w, ldw, x, ldx, bias, y, ldy, m, n, k);
}

void ck_gemv_f16w_f32(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k) {
  ck_table()->gemv_f16w_f32(w, ldw, x, ldx, bias, y, ldy, m, n, k);
}

bool ck_rounds_normally(const float *scale, const float *offset, size_t count) {
  return ck_table()->rounds_normally(scale, offset, count);
}

void ck_gemv_quantized_f32(
    const ck_quantized_matrix *w, size_t first, const float *x, size_t ldx, const float *bias, float *y, size_t ldy,
    size_t m, size_t n, size_t k) {
  ck_table()->gemv_quantized_f32(w, first, x, ldx, bias, y, ldy, m, n, k);
}

void ck_gemv_kn_f32(
    const float *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m, size_t n,
    size_t k) {
  ck_table()->gemv_kn_f32(w, ldw, x, ldx, bias, y, ldy, m, n, k);
}

void ck_gemv_kn_f16w_f32(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k) {
  ck_table()->gemv_kn_f16w_f32(w, ldw, x, ldx, bias, y, ldy, m, n, k);
}

// ck_int8.h

void ck_gemm_prepacked_pack_i8(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, float inverse, int32_t low, size_t row_begin, size_t row_end,
    float *packed) {
  ck_table()->gemm_prepacked_pack_i8(x, ldx, rows, k, inverse, low, row_begin, row_end, packed);
}

void ck_gemm_prepacked_pack_weights_i8(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed) {
  ck_table()->gemm_prepacked_pack_weights_i8(
      k, n, w, row_stride, column_stride, k_begin, k_end, unit_begin, unit_end, packed);
}

void ck_gemm_prepacked_product_i8_f32(
    size_t rows, size_t n, size_t k, const float *packed_x, const float *packed_w, const ck_integer_sums *sums,
    const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin,
    size_t row_end, size_t unit_begin, size_t unit_end) {
  ck_table()->gemm_prepacked_product_i8_f32(
      rows, n, k, packed_x, packed_w, sums, epilogue, add, ldadd, out, ldo, row_begin, row_end, unit_begin, unit_end);
}

size_t ck_block_conv_i8_image_size(const ck_window *shape) { return ck_table()->block_conv_i8_image_size(shape); }

size_t ck_block_conv_i8_rows(const ck_window *shape) { return ck_table()->block_conv_i8_rows(shape); }

void ck_block_conv_i8_image(
    const ck_window *shape, const float *in, float inverse, int32_t low, float *image, size_t row_begin,
    size_t row_end) {
  ck_table()->block_conv_i8_image(shape, in, inverse, low, image, row_begin, row_end);
}

size_t ck_block_conv_i8_packed_size(const ck_window *shape) { return ck_table()->block_conv_i8_packed_size(shape); }

void ck_block_conv_pack_i8(
    const ck_window *shape, bool planes, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed) {
  ck_table()->block_conv_pack_i8(shape, planes, weights, row_stride, unit_begin, unit_end, packed);
}

void ck_block_conv_i8_f32(
    const ck_window *shape, const float *image, const float *packed, const ck_integer_sums *sums,
    const ck_epilogue *epilogue, const float *add, float *out, size_t unit_begin, size_t unit_end, size_t row_begin,
    size_t row_end) {
  ck_table()->block_conv_i8_f32(
      shape, image, packed, sums, epilogue, add, out, unit_begin, unit_end, row_begin, row_end);
}

// ck_low_precision.h

void ck_gemm_prepacked_pack_bf16(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, size_t row_begin, size_t row_end, float *packed) {
  ck_table()->gemm_prepacked_pack_bf16(x, ldx, rows, k, row_begin, row_end, packed);
}

void ck_gemm_prepacked_pack_weights_bf16(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed) {
  ck_table()->gemm_prepacked_pack_weights_bf16(
      k, n, w, row_stride, column_stride, k_begin, k_end, unit_begin, unit_end, packed);
}

void ck_gemm_prepacked_product_bf16_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *packed_x, const float *packed_w,
    const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin,
    size_t row_end, size_t unit_begin, size_t unit_end) {
  ck_table()->gemm_prepacked_product_bf16_f32(
      rows, n, k, k_begin, k_end, packed_x, packed_w, epilogue, add, ldadd, out, ldo, row_begin, row_end, unit_begin,
      unit_end);
}

void ck_block_interleave_bf16(
    const float *in, size_t channels, size_t area, float *out, size_t block_begin, size_t block_end) {
  ck_table()->block_interleave_bf16(in, channels, area, out, block_begin, block_end);
}

size_t ck_block_conv_bf16_packed_size(const ck_window *shape) { return ck_table()->block_conv_bf16_packed_size(shape); }

size_t ck_block_conv_bf16_scratch_size(const ck_window *shape) {
  return ck_table()->block_conv_bf16_scratch_size(shape);
}

void ck_block_conv_pack_bf16(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed) {
  ck_table()->block_conv_pack_bf16(shape, weights, row_stride, unit_begin, unit_end, packed);
}

void ck_block_conv_bf16_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add,
    float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  ck_table()->block_conv_bf16_f32(
      shape, in, packed, epilogue, add, out, scratch, unit_begin, unit_end, row_begin, row_end);
}

void ck_f32_to_bf16(const float *in, uint16_t *out, size_t n) { ck_table()->f32_to_bf16(in, out, n); }

void ck_gemv_bf16w_f32(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k) {
  ck_table()->gemv_bf16w_f32(w, ldw, x, ldx, bias, y, ldy, m, n, k);
}

void ck_gemv_kn_bf16w_f32(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k) {
  ck_table()->gemv_kn_bf16w_f32(w, ldw, x, ldx, bias, y, ldy, m, n, k);
}

size_t ck_attention_bf16_packed_size(const ck_attention *shape) {
  return ck_table()->attention_bf16_packed_size(shape);
}

size_t ck_attention_bf16_scratch_size(const ck_attention *shape) {
  return ck_table()->attention_bf16_scratch_size(shape);
}

void ck_attention_pack_bf16(const ck_attention *shape, const float *keys, const float *values, float *packed) {
  ck_table()->attention_pack_bf16(shape, keys, values, packed);
}

void ck_attention_bf16_f32(
    const ck_attention *shape, const float *queries, const float *packed, const ck_score_mask *masks, size_t mask_count,
    float *out, float *scratch, size_t query_begin, size_t query_end) {
  ck_table()->attention_bf16_f32(shape, queries, packed, masks, mask_count, out, scratch, query_begin, query_end);
}

// ck_measure.h

double ck_measure_fma_f32(size_t rounds, float *out) { return ck_table()->measure_fma_f32(rounds, out); }

void ck_measure_read_f32(const float *in, size_t n, float *out) { ck_table()->measure_read_f32(in, n, out); }

// ck_move.h

void ck_resize_bilinear_f32(
    const float *in, size_t planes, size_t in_h, size_t in_w, const ck_tap *ytaps, const ck_tap *xtaps, float *scratch,
    float *out, size_t out_h, size_t out_w) {
  ck_table()->resize_bilinear_f32(in, planes, in_h, in_w, ytaps, xtaps, scratch, out, out_h, out_w);
}

// ck_normalize.h

void ck_softmax_f32(const float *in, float *out, size_t outer, size_t axis, size_t inner) {
  ck_table()->softmax_f32(in, out, outer, axis, inner);
}

void ck_softmax_scaled_f32(const float *in, float scale, const float *mask, float *out, size_t rows, size_t columns) {
  ck_table()->softmax_scaled_f32(in, scale, mask, out, rows, columns);
}

void ck_layer_norm_f32(
    const float *in, const float *gamma, const float *beta, float epsilon, float *out, size_t rows, size_t columns) {
  ck_table()->layer_norm_f32(in, gamma, beta, epsilon, out, rows, columns);
}

void ck_rms_norm_f32(const float *in, const float *gamma, float epsilon, float *out, size_t rows, size_t columns) {
  ck_table()->rms_norm_f32(in, gamma, epsilon, out, rows, columns);
}

void ck_group_norm_f32(
    const float *in, const float *gamma, const float *beta, float epsilon, float *out, size_t batch, size_t channels,
    size_t groups, size_t spatial) {
  ck_table()->group_norm_f32(in, gamma, beta, epsilon, out, batch, channels, groups, spatial);
}

void ck_batch_norm_f32(
    const float *in, const float *mean, const float *variance, const float *gamma, const float *beta, float epsilon,
    float *out, size_t batch, size_t channels, size_t spatial) {
  ck_table()->batch_norm_f32(in, mean, variance, gamma, beta, epsilon, out, batch, channels, spatial);
}

void ck_l2_norm_f32(const float *in, float epsilon, float *out, size_t rows, size_t columns) {
  ck_table()->l2_norm_f32(in, epsilon, out, rows, columns);
}

void ck_local_response_norm_f32(
    const float *in, size_t size, float alpha, float beta, float k, float *out, size_t batch, size_t channels,
    size_t spatial) {
  ck_table()->local_response_norm_f32(in, size, alpha, beta, k, out, batch, channels, spatial);
}

// ck_quantized.h

size_t ck_int8_block_size(void) { return ck_table()->int8_block_size(); }

bool ck_int8_conv_is_plain(const ck_window *shape) { return ck_table()->int8_conv_is_plain(shape); }

void ck_int8_conv_image(
    const ck_window *shape, const uint8_t *in, uint8_t pad, float *image, size_t row_begin, size_t row_end) {
  ck_table()->int8_conv_image(shape, in, pad, image, row_begin, row_end);
}

size_t ck_int8_planes_size(const ck_window *shape) { return ck_table()->int8_planes_size(shape); }

void ck_int8_planes(
    const ck_window *shape, const uint8_t *in, uint8_t flip, uint8_t pad, float *image, size_t row_begin,
    size_t row_end) {
  ck_table()->int8_planes(shape, in, flip, pad, image, row_begin, row_end);
}

void ck_int8_conv(
    const ck_window *shape, bool planes, const float *image, const float *packed, const ck_int8_accumulators *sums,
    ck_int8_quantization steps, uint8_t *out, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  ck_table()->int8_conv(shape, planes, image, packed, sums, steps, out, unit_begin, unit_end, row_begin, row_end);
}

size_t ck_int8_depthwise_packed_size(const ck_window *shape) { return ck_table()->int8_depthwise_packed_size(shape); }

size_t ck_int8_depthwise_scratch_size(const ck_window *shape) { return ck_table()->int8_depthwise_scratch_size(shape); }

void ck_int8_depthwise_pack(const ck_window *shape, const float *weights, ptrdiff_t row_stride, int8_t *packed) {
  ck_table()->int8_depthwise_pack(shape, weights, row_stride, packed);
}

void ck_int8_depthwise(
    const ck_window *shape, const uint8_t *in, uint8_t pad, const int8_t *packed, const ck_int8_accumulators *sums,
    ck_int8_quantization steps, uint8_t *out, uint8_t *scratch, size_t block_begin, size_t block_end, size_t row_begin,
    size_t row_end) {
  ck_table()->int8_depthwise(
      shape, in, pad, packed, sums, steps, out, scratch, block_begin, block_end, row_begin, row_end);
}

void ck_int8_add(
    const uint8_t *x, const uint8_t *y, uint8_t flip, ck_int8_sum sum, ck_int8_quantization steps, uint8_t *out,
    size_t n) {
  ck_table()->int8_add(x, y, flip, sum, steps, out, n);
}

void ck_int8_lookup(const uint8_t *x, uint8_t flip_x, const uint8_t *table, uint8_t flip, uint8_t *out, size_t n) {
  ck_table()->int8_lookup(x, flip_x, table, flip, out, n);
}

void ck_int8_max_pool(
    const ck_window *shape, const uint8_t *in, uint8_t *out, size_t block_begin, size_t block_end, size_t row_begin,
    size_t row_end) {
  ck_table()->int8_max_pool(shape, in, out, block_begin, block_end, row_begin, row_end);
}

void ck_int8_quantize(
    const float *in, size_t channels, size_t area, float scale, ck_int8_quantization steps, uint8_t *out,
    size_t block_begin, size_t block_end) {
  ck_table()->int8_quantize(in, channels, area, scale, steps, out, block_begin, block_end);
}

void ck_int8_dequantize(
    const uint8_t *in, size_t channels, size_t area, float scale, int32_t low, float *out, size_t block_begin,
    size_t block_end) {
  ck_table()->int8_dequantize(in, channels, area, scale, low, out, block_begin, block_end);
}

// ck_recurrent.h

size_t ck_recurrent_unit_size(size_t gates) { return ck_table()->recurrent_unit_size(gates); }

size_t ck_recurrent_packed_size(size_t gates, size_t hidden, size_t depth) {
  return ck_table()->recurrent_packed_size(gates, hidden, depth);
}

void ck_recurrent_pack_f32(
    size_t gates, size_t hidden, size_t depth, const float *w, size_t ldw, size_t gate, size_t unit, bool f16,
    void *packed) {
  ck_table()->recurrent_pack_f32(gates, hidden, depth, w, ldw, gate, unit, f16, packed);
}

void ck_recurrent_product_f32(
    const ck_recurrent_weights *weights, size_t rows, const float *x, size_t ldx, const float *bias, float *out,
    size_t ldo, size_t unit_begin, size_t unit_end) {
  ck_table()->recurrent_product_f32(weights, rows, x, ldx, bias, out, ldo, unit_begin, unit_end);
}

void ck_recurrent_step_f32(const ck_recurrent_step *step, size_t unit_begin, size_t unit_end, bool backward) {
  ck_table()->recurrent_step_f32(step, unit_begin, unit_end, backward);
}

// ck_reduce.h

void ck_reduce_f32(ck_reduce_op op, const float *in, float *out, size_t outer, size_t axis, size_t inner) {
  ck_table()->reduce_f32(op, in, out, outer, axis, inner);
}

bool ck_reduce_i32(ck_reduce_op op, const int32_t *in, int32_t *out, size_t outer, size_t axis, size_t inner) {
  return ck_table()->reduce_i32(op, in, out, outer, axis, inner);
}

void ck_reduce_arg_f32(ck_arg_op op, const float *in, int32_t *out, size_t outer, size_t axis, size_t inner) {
  ck_table()->reduce_arg_f32(op, in, out, outer, axis, inner);
}

void ck_reduce_arg_i32(ck_arg_op op, const int32_t *in, int32_t *out, size_t outer, size_t axis, size_t inner) {
  ck_table()->reduce_arg_i32(op, in, out, outer, axis, inner);
}

void ck_cumsum_f32(const float *in, float *out, size_t outer, size_t axis, size_t inner, bool exclusive, bool reverse) {
  ck_table()->cumsum_f32(in, out, outer, axis, inner, exclusive, reverse);
}

void ck_cumsum_i32(
    const int32_t *in, int32_t *out, size_t outer, size_t axis, size_t inner, bool exclusive, bool reverse) {
  ck_table()->cumsum_i32(in, out, outer, axis, inner, exclusive, reverse);
}

// ck_trees.h

void ck_full_trees_f64(const ck_full_trees *trees, const double *x, size_t rows, void *room, double *sums) {
  ck_table()->full_trees_f64(trees, x, rows, room, sums);
}

void ck_uint8_trees_f64(const ck_uint8_trees *trees, const double *x, size_t rows, double *sums) {
  ck_table()->uint8_trees_f64(trees, x, rows, sums);
}

// table.h

void ck_transpose(
    size_t element_size, const void *in, ptrdiff_t stride_in, void *out, ptrdiff_t stride_out, size_t rows,
    size_t columns) {
  ck_table()->transpose(element_size, in, stride_in, out, stride_out, rows, columns);
}
