// Public functions that forward to the kernel table.
#include "table.h"

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

void ck_cumsum_f32(
    const float *in, float *out, size_t outer, size_t axis, size_t inner, bool exclusive, bool reverse) {
  ck_table()->cumsum_f32(in, out, outer, axis, inner, exclusive, reverse);
}

void ck_cumsum_i32(
    const int32_t *in, int32_t *out, size_t outer, size_t axis, size_t inner, bool exclusive, bool reverse) {
  ck_table()->cumsum_i32(in, out, outer, axis, inner, exclusive, reverse);
}

void ck_softmax_f32(const float *in, float *out, size_t outer, size_t axis, size_t inner) {
  ck_table()->softmax_f32(in, out, outer, axis, inner);
}

void ck_softmax_scaled_f32(
    const float *in, float scale, const float *mask, float *out, size_t rows, size_t columns) {
  ck_table()->softmax_scaled_f32(in, scale, mask, out, rows, columns);
}

void ck_layer_norm_f32(
    const float *in, const float *gamma, const float *beta, float epsilon, float *out, size_t rows, size_t columns) {
  ck_table()->layer_norm_f32(in, gamma, beta, epsilon, out, rows, columns);
}

void ck_rms_norm_f32(
    const float *in, const float *gamma, float epsilon, float *out, size_t rows, size_t columns) {
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

void ck_resize_bilinear_f32(
    const float *in, size_t planes, size_t in_h, size_t in_w, const ck_tap *ytaps, const ck_tap *xtaps, float *scratch,
    float *out, size_t out_h, size_t out_w) {
  ck_table()->resize_bilinear_f32(in, planes, in_h, in_w, ytaps, xtaps, scratch, out, out_h, out_w);
}

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

void ck_epilogue_f32(
    const ck_epilogue *epilogue, ptrdiff_t channel_begin, float *tile, size_t channels, size_t spatial, size_t stride) {
  const struct ck_table *table = ck_table();
  for (size_t c = 0; c < channels; c++, tile += stride) {
    if (epilogue->bias) {
      table->binary_f32[CK_BINARY_ADD](tile, 1, epilogue->bias + channel_begin + c, 0, tile, spatial);
    }
    if (epilogue->activation != CK_UNARY_IDENTITY) {
      table->unary_f32[epilogue->activation](epilogue->alpha, epilogue->beta, tile, tile, spatial);
    }
  }
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

void ck_gemv_quantized_f32(
    const ck_quantized_matrix *w, size_t first, const float *x, size_t ldx, const float *bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k) {
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

size_t ck_gemm_tile_rows(void) { return ck_table()->gemm_tile_rows(); }

size_t ck_gemm_panel_columns(void) { return ck_table()->gemm_panel_columns(); }

size_t ck_gemm_packed_a_size(size_t m, size_t k) {
  size_t tile = ck_gemm_tile_rows();
  return (m + tile - 1) / tile * tile * k;
}

size_t ck_gemm_packed_b_size(size_t n, size_t k) {
  size_t panel = ck_gemm_panel_columns();
  return (n + panel - 1) / panel * panel * k;
}

size_t ck_gemm_k_block(void) { return 256; }  // CK_K_BLOCK of gemm_layout.h, the same for all instruction sets

void ck_gemm_pack_a_f32(
    size_t m, size_t k, const float *a, ptrdiff_t row_stride, ptrdiff_t column_stride, float *packed) {
  size_t tile = ck_gemm_tile_rows();
  ck_table()->gemm_pack_a_part_f32(m, k, a, row_stride, column_stride, 0, (m + tile - 1) / tile, packed);
}

void ck_gemm_pack_b_f32(
    size_t k, size_t n, const float *b, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t panel_begin,
    size_t panel_end, float *packed) {
  ptrdiff_t first = (ptrdiff_t)(panel_begin * ck_gemm_panel_columns());
  ck_table()->gemm_pack_b_part_f32(
      k, n, b + first * column_stride, row_stride, column_stride, 0, k, panel_begin, panel_end, packed);
}

void ck_gemm_pack_a_part_f32(
    size_t m, size_t k, const float *a, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t tile_begin,
    size_t tile_end, float *packed) {
  ck_table()->gemm_pack_a_part_f32(m, k, a, row_stride, column_stride, tile_begin, tile_end, packed);
}

void ck_gemm_pack_b_part_f32(
    size_t k, size_t n, const float *b, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t panel_begin, size_t panel_end, float *packed) {
  ck_table()->gemm_pack_b_part_f32(
      k, n, b, row_stride, column_stride, k_begin, k_end, panel_begin, panel_end, packed);
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

double ck_measure_fma_f32(size_t rounds, float *out) { return ck_table()->measure_fma_f32(rounds, out); }

void ck_measure_read_f32(const float *in, size_t n, float *out) { ck_table()->measure_read_f32(in, n, out); }

void ck_linear_f64(
    const double *x, const double *weight, const double *bias, double *out, size_t rows, size_t columns, size_t depth) {
  ck_table()->linear_f64(x, weight, bias, out, rows, columns, depth);
}

void ck_distances_f64(
    const double *x, const double *points, double *out, size_t rows, size_t columns, size_t depth) {
  ck_table()->distances_f64(x, points, out, rows, columns, depth);
}

void ck_sample_distances_f64(const double *x, const float *samples, double *out, size_t count, size_t depth) {
  ck_table()->sample_distances_f64(x, samples, out, count, depth);
}
