// The kernels that exist once for every instruction set, as one table of pointers a set. features.c chooses the table.
#pragma once
#include "CKernels.h"

/// n elements of a row; strides are 0 (one value repeated) or 1.
typedef void (*ck_row2)(const void *a, size_t stride_a, const void *b, size_t stride_b, void *out, size_t n);

typedef void (*ck_unary_row)(float alpha, float beta, const float *in, float *out, size_t n);

#define CK_TABLE_FUNCTIONS(F)                                                                                          \
  F(f16_to_f32) F(f32_to_f16) F(dequantize_i8_f32) F(dequantize_u8_f32) F(quantize_f32_i8) F(quantize_f32_u8)          \
  F(lookup_f32) F(shift_scale_f32) F(shift_scale_exact_f32) F(round_half_f32) F(spread_f32) F(reduce_f32)              \
  F(reduce_i32) F(reduce_arg_f32) F(reduce_arg_i32) F(cumsum_f32) F(cumsum_i32) F(softmax_f32) F(softmax_scaled_f32)   \
  F(layer_norm_f32) F(rms_norm_f32) F(group_norm_f32) F(batch_norm_f32) F(l2_norm_f32) F(local_response_norm_f32)      \
  F(resize_bilinear_f32) F(depthwise_conv2d_f32) F(conv_direct_f32) F(conv_transpose_f32) F(im2col_f32) F(col2im_f32)  \
  F(max_pool_f32) F(average_pool_f32) F(l2_pool_f32) F(gemv_f32) F(gemv_f16w_f32) F(gemv_i8w_f32) F(gemv_lut4_f32)     \
  F(gemv_kn_f32) F(gemm_tile_rows) F(gemm_panel_columns) F(gemm_pack_a_part_f32) F(gemm_pack_b_part_f32)               \
  F(gemm_packed_f32) F(conv_gemm_scratch_size) F(conv_gemm_f32)

struct ck_table {
  const ck_unary_row *unary_f32;  // CK_UNARY_COUNT rows
  const ck_row2 *binary_f32, *binary_i32, *compare_f32, *compare_i32;
  /// out[c * stride_out + r] = in[r * stride_in + c] for `rows` r and `columns` c; strides in elements.
  void (*transpose)(
      size_t element_size, const void *in, ptrdiff_t stride_in, void *out, ptrdiff_t stride_out, size_t rows,
      size_t columns);
#define CK_TABLE_FIELD(name) __typeof__(ck_##name) *name;
  CK_TABLE_FUNCTIONS(CK_TABLE_FIELD)
#undef CK_TABLE_FIELD
};

extern const struct ck_table ck_table_generic;
#if defined(__x86_64__)
extern const struct ck_table ck_table_avx2;
extern const struct ck_table ck_table_avx512;
#endif

/// The table in use.
const struct ck_table *ck_table(void);
