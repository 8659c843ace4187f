// The kernel table: function pointers of the kernels that exist once per instruction set. tables.c fills one table per
// set, features.c chooses one.
#pragma once
#include "CKernels.h"

/// Processes n elements of a row. Strides are 0 (one value repeated) or 1.
typedef void (*ck_row2)(const void *a, size_t stride_a, const void *b, size_t stride_b, void *out, size_t n);

typedef void (*ck_unary_row)(float alpha, float beta, const float *in, float *out, size_t n);

#define CK_TABLE_FUNCTIONS(F, set)                                                                                    \
  F(set, f16_to_f32) F(set, f32_to_f16) F(set, dequantize_i8_f32) F(set, dequantize_u8_f32)                           \
  F(set, quantize_f32_i8) F(set, quantize_f32_u8) F(set, lookup_f32) F(set, shift_scale_f32)                          \
  F(set, shift_scale_exact_f32) F(set, round_f16_f32) F(set, spread_f32) F(set, reduce_f32) F(set, reduce_i32)       \
  F(set, reduce_arg_f32) F(set, reduce_arg_i32) F(set, cumsum_f32) F(set, cumsum_i32) F(set, softmax_f32)             \
  F(set, softmax_scaled_f32) F(set, layer_norm_f32) F(set, rms_norm_f32) F(set, group_norm_f32)                       \
  F(set, batch_norm_f32) F(set, l2_norm_f32) F(set, local_response_norm_f32) F(set, resize_bilinear_f32)              \
  F(set, depthwise_conv2d_f32) F(set, conv_direct_f32) F(set, conv_transpose_f32) F(set, im2col_f32)                  \
  F(set, col2im_f32) F(set, max_pool_f32) F(set, average_pool_f32) F(set, l2_pool_f32) F(set, gemv_f32)               \
  F(set, gemv_f16w_f32) F(set, gemv_quantized_f32) F(set, gemv_kn_f32) F(set, gemv_kn_f16w_f32)                           \
  F(set, gemm_tile_rows) F(set, gemm_panel_columns) F(set, gemm_pack_a_part_f32) F(set, gemm_pack_b_part_f32)         \
  F(set, gemm_packed_f32)                                                                                             \
  F(set, conv_gemm_scratch_size) F(set, conv_gemm_f32) F(set, block_size) F(set, block_conv_supports)                 \
  F(set, block_conv_units) F(set, block_conv_unit_channel) F(set, block_conv_packed_size) F(set, block_conv_pack_f32) \
  F(set, block_conv_takes_f16) F(set, block_conv_widened_size) F(set, gemm_prepacked_widened_size) F(set, block_conv_pack_f16) F(set, block_conv_f16w_f32) F(set, winograd_fused_filter_f16w_f32) \
  F(set, block_conv_scratch_size) F(set, block_conv_f32) F(set, winograd_packed_size) F(set, winograd_pack_f32)       \
  F(set, winograd_scratch_size) F(set, winograd_f32) F(set, winograd_fused_filter_tiles_size)                                 \
  F(set, winograd_fused_filter_scratch_size) F(set, winograd_fused_filter_tiles_f32) F(set, winograd_fused_filter_f32) F(set, block_depthwise_pack_f32) \
  F(set, block_depthwise_f32) F(set, block_small_output_most) F(set, block_small_output_pack_f32) F(set, block_small_output_f32)                  \
  F(set, block_pool_f32) F(set, block_channels_binary_f32) F(set, block_reduce_f32) F(set, block_resize_f32)          \
  F(set, block_clear_f32) F(set, block_affine_f32) F(set, block_move_f32) F(set, gemm_prepacked_units)                          \
  F(set, gemm_prepacked_packed_size) F(set, gemm_prepacked_packed_weights_size) F(set, gemm_prepacked_pass)                                          \
  F(set, gemm_prepacked_pack_f32) F(set, gemm_prepacked_pack_weights_f32) F(set, gemm_prepacked_product_f32) F(set, attention_packed_size)          \
  F(set, gemm_prepacked_pack_weights_f16) F(set, gemm_prepacked_product_f16w_f32) F(set, attention_scratch_size)                          \
  F(set, attention_pack_f32) F(set, attention_f32) F(set, attention_few_f32) F(set, attention_few_scratch_size)       \
  F(set, recurrent_unit_size) F(set, recurrent_packed_size) F(set, recurrent_pack_f32) F(set, recurrent_product_f32)  \
  F(set, recurrent_step_f32) F(set, full_trees_f64)                                 \
  F(set, linear_f64) F(set, distances_f64) F(set, sample_distances_f64) F(set, measure_fma_f32) F(set, measure_read_f32)

/// int8 kernels, which only sets with a dot-product instruction have; NULL in other sets.
#define CK_INT8_FUNCTIONS(F, set)                                                                                     \
  F(set, gemm_prepacked_pack_i8) F(set, gemm_prepacked_pack_weights_i8) F(set, gemm_prepacked_product_i8_f32) F(set, block_conv_i8_image_size)      \
  F(set, block_conv_i8_rows)                                                                                          \
  F(set, block_conv_i8_image) F(set, block_conv_i8_packed_size) F(set, block_conv_pack_i8) F(set, block_conv_i8_f32) \
  F(set, int8_block_size) F(set, int8_conv_is_plain) F(set, int8_conv_image) F(set, int8_planes_size)                 \
  F(set, int8_planes) F(set, int8_conv) F(set, int8_depthwise_packed_size) F(set, int8_depthwise_scratch_size)        \
  F(set, int8_depthwise_pack) F(set, int8_depthwise) F(set, int8_add) F(set, int8_lookup) F(set, int8_max_pool)       \
  F(set, int8_quantize) F(set, int8_dequantize) F(set, uint8_trees_f64)

/// bf16 kernels, which only sets with a bf16 dot product have; NULL in other sets.
#define CK_LOW_PRECISION_FUNCTIONS(F, set)                                                                            \
  F(set, gemm_prepacked_pack_bf16) F(set, gemm_prepacked_pack_weights_bf16) F(set, gemm_prepacked_product_bf16_f32) F(set, block_interleave_bf16)        \
  F(set, block_conv_bf16_packed_size) F(set, block_conv_bf16_scratch_size) F(set, block_conv_pack_bf16)               \
  F(set, block_conv_bf16_f32) F(set, attention_bf16_packed_size) F(set, attention_bf16_scratch_size)                  \
  F(set, attention_pack_bf16) F(set, attention_bf16_f32) F(set, f32_to_bf16) F(set, gemv_bf16w_f32)                    \
  F(set, gemv_kn_bf16w_f32)

struct ck_table {
  const ck_unary_row *unary_f32;  // CK_UNARY_COUNT row functions
  const ck_row2 *binary_f32, *binary_i32, *compare_f32, *compare_i32;
  /// out[c * stride_out + r] = in[r * stride_in + c] for `rows` r and `columns` c; strides in elements.
  void (*transpose)(
      size_t element_size, const void *in, ptrdiff_t stride_in, void *out, ptrdiff_t stride_out, size_t rows,
      size_t columns);
#define CK_TABLE_FIELD(set, name) __typeof__(ck_##name) *name;
  CK_TABLE_FUNCTIONS(CK_TABLE_FIELD, )
  CK_INT8_FUNCTIONS(CK_TABLE_FIELD, )
  CK_LOW_PRECISION_FUNCTIONS(CK_TABLE_FIELD, )
#undef CK_TABLE_FIELD
};

/// One instruction set's table, and the set that it extends (`base`). `table` is NULL if the set belongs to another
/// architecture.
struct ck_tier {
  ck_isa isa;
  const char *name;
  const struct ck_table *table, *base;
};

/// Indexed by ck_isa.
extern const struct ck_tier ck_tiers[CK_ISA_COUNT];

/// The active table.
const struct ck_table *ck_table(void);
