// Products in brain floating point (bfloat16: the exponent of a float, eight bits of its significand), with sums in single
// precision: for who allows it, on processors with an instruction that adds two such products at once. Two numbers that lie one after the
// other along a sum are a pair, which takes a float's place in every layout; packed sizes are in floats.
//
//   ck_low_precision_supported   ()
//   ck_gemm_prepacked_pack_bf16            (x, ldx, rows, k, row range, packed)
//   ck_gemm_prepacked_pack_weights_bf16    (k, n, w, row_stride, column_stride, k range, unit range, packed)
//   ck_gemm_prepacked_product_bf16_f32     (rows, n, k, k range, packed_x, packed_w, epilogue, add, ldadd, out, ldo, row range, unit range)
//   ck_block_interleave_bf16          (in, channels, area, out, block range)
//   ck_block_conv_bf16_packed_size, ck_block_conv_bf16_scratch_size (shape)
//   ck_block_conv_pack_bf16      (shape, weights, row_stride, unit range, packed)
//   ck_block_conv_bf16_f32       (shape, in, packed, epilogue, add, out, scratch, unit range, row range)
//   ck_f32_to_bf16               (in, out, n)
//   ck_gemv_bf16w_f32, ck_gemv_kn_bf16w_f32 (w, ldw, x, ldx, bias[n]?, y, ldy, m, n, k)
//   ck_attention_bf16_packed_size, ck_attention_bf16_scratch_size (shape)
//   ck_attention_pack_bf16       (shape, keys, values, packed)
//   ck_attention_bf16_f32        (shape, queries, packed, masks, out, scratch, query range)
#pragma once
#include "ck_block.h"
#include "ck_gemv.h"
#include "ck_gemm_prepacked.h"
#pragma clang assume_nonnull begin

/// Whether the instruction set in use has these functions: no other may be called where it has not.
bool ck_low_precision_supported(void);

/// As ck_gemm_prepacked_pack_f32, ck_gemm_prepacked_pack_weights_f32 and ck_gemm_prepacked_product_f32; packed operands have the sizes of those of (k + 1) / 2 floats.
/// `k_begin` is even, that of a product a multiple of twice the block's size: `ck_gemm_prepacked_pass` counts pairs.
void ck_gemm_prepacked_pack_bf16(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, size_t row_begin, size_t row_end, float *packed);
void ck_gemm_prepacked_pack_weights_bf16(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed);
void ck_gemm_prepacked_product_bf16_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *packed_x, const float *packed_w,
    const ck_epilogue *epilogue, const float *_Nullable add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin,
    size_t row_end, size_t unit_begin, size_t unit_end);

/// A blocked image as blocks of pairs of channels, half as many as blocks of channels: block_begin ..< block_end of those.
void ck_block_interleave_bf16(const float *in, size_t channels, size_t area, float *out, size_t block_begin, size_t block_end);

/// As those of ck_block.h for a blocked input of one group, which ck_block_interleave_bf16 made; output and sum are blocked floats.
size_t ck_block_conv_bf16_packed_size(const ck_window *shape);
size_t ck_block_conv_bf16_scratch_size(const ck_window *shape);
void ck_block_conv_pack_bf16(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end, float *packed);
void ck_block_conv_bf16_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue, const float *_Nullable add,
    float *out, float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end);

/// n numbers, rounded to nearest.
void ck_f32_to_bf16(const float *in, uint16_t *out, size_t n);

/// As those of ck_gemv.h with weights as halves: nothing but the weights is rounded.
void ck_gemv_bf16w_f32(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *_Nullable bias, float *y, size_t ldy,
    size_t m, size_t n, size_t k);
void ck_gemv_kn_bf16w_f32(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *_Nullable bias, float *y, size_t ldy,
    size_t m, size_t n, size_t k);

/// As those of ck_rows.h without bf16 in their names: scaled queries, keys, values and the shares of keys are rounded; scores, masks and the
/// softmax are floats, and its sum is that of the shares before they are rounded.
size_t ck_attention_bf16_packed_size(const ck_attention *shape);
size_t ck_attention_bf16_scratch_size(const ck_attention *shape);
void ck_attention_pack_bf16(const ck_attention *shape, const float *keys, const float *values, float *packed);
void ck_attention_bf16_f32(
    const ck_attention *shape, const float *queries, const float *packed, const ck_score_mask *_Nullable masks,
    size_t mask_count, float *out, float *scratch, size_t query_begin, size_t query_end);

#pragma clang assume_nonnull end
