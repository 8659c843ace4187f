// bf16 GEMM, convolution and attention with fp32 accumulators, for callers that allow low precision and processors with
// a bf16 dot-product instruction. bf16 has the exponent of fp32 and an eight-bit significand. Two consecutive elements
// along K form a pair that takes one 32-bit lane, so every layout is that of fp32 with K / 2. Packed sizes are in
// floats.
#pragma once
#include "ck_block.h"
#include "ck_gemm_prepacked.h"
#include "ck_gemv.h"
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// Whether the active instruction set has these functions. If not, no other function of this header may be called.
bool ck_low_precision_supported(void);

/// As ck_gemm_prepacked_pack_f32, ck_gemm_prepacked_pack_weights_f32 and ck_gemm_prepacked_product_f32. Packed operands
/// have the sizes of (k + 1) / 2 floats. `k_begin` is even; for a product it is a multiple of twice the block size.
/// `ck_gemm_prepacked_pass` counts pairs.
CK_KERNEL(avx512bf16) void ck_gemm_prepacked_pack_bf16(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, size_t row_begin, size_t row_end, float *packed);
CK_KERNEL(avx512bf16) void ck_gemm_prepacked_pack_weights_bf16(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed);
CK_KERNEL(avx512bf16) void ck_gemm_prepacked_product_bf16_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *packed_x, const float *packed_w,
    const ck_epilogue *epilogue, const float *_Nullable add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo,
    size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end);

/// Converts an NCHWc image to blocks of bf16 channel pairs. There are half as many of these as NCHWc blocks;
/// block_begin ..< block_end counts them.
CK_KERNEL(avx512bf16) void ck_block_interleave_bf16(
    const float *in, size_t channels, size_t area, float *out, size_t block_begin, size_t block_end);

/// As in ck_block.h, for one group and an input of ck_block_interleave_bf16. `add` and `out` are NCHWc fp32.
CK_KERNEL(avx512bf16) size_t ck_block_conv_bf16_packed_size(const ck_window *shape);
CK_KERNEL(avx512bf16) size_t ck_block_conv_bf16_scratch_size(const ck_window *shape);
CK_KERNEL(avx512bf16) void ck_block_conv_pack_bf16(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed);
CK_KERNEL(avx512bf16) void ck_block_conv_bf16_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin,
    size_t row_end);

/// Rounds n elements to nearest.
CK_KERNEL(avx512bf16) void ck_f32_to_bf16(const float *in, uint16_t *out, size_t n);

/// As the fp16-weight functions of ck_gemv.h. Only the weights are rounded.
CK_KERNEL(avx512bf16) void ck_gemv_bf16w_f32(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *_Nullable bias, float *y, size_t ldy,
    size_t m, size_t n, size_t k);
CK_KERNEL(avx512bf16) void ck_gemv_kn_bf16w_f32(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *_Nullable bias, float *y, size_t ldy,
    size_t m, size_t n, size_t k);

/// As the functions of ck_gemm_prepacked.h without bf16 in their names. Scaled queries, keys, values and attention
/// weights are rounded to bf16. Scores, masks and the softmax are fp32. The softmax denominator is the sum of the
/// weights before rounding.
CK_KERNEL(avx512bf16) size_t ck_attention_bf16_packed_size(const ck_attention *shape);
CK_KERNEL(avx512bf16) size_t ck_attention_bf16_scratch_size(const ck_attention *shape);
CK_KERNEL(avx512bf16) void ck_attention_pack_bf16(
    const ck_attention *shape, const float *keys, const float *values, float *packed);
CK_KERNEL(avx512bf16) void ck_attention_bf16_f32(
    const ck_attention *shape, const float *queries, const float *packed, const ck_score_mask *_Nullable masks,
    size_t mask_count, float *out, float *scratch, size_t query_begin, size_t query_end);

#pragma clang assume_nonnull end
