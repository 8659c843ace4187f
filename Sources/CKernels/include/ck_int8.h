// Products of whole numbers of eight bits, summed in 32 bits, on processors with an instruction that adds four of them at once. Four numbers
// that lie one after the other along a sum take a float's place in every layout; packed sizes are in floats. Inputs are floats that are
// steps: whole multiples of a scale, `low` to `low + 255` of them (within what rounding of the product leaves), of which the kernels keep the
// multiple less `low`. Weights are whole numbers from -128 to 127.
//
//   ck_int8_supported           ()
//   ck_gemm_prepacked_pack_i8              (x, ldx, rows, k, inverse, low, row range, packed)
//   ck_gemm_prepacked_pack_weights_i8      (k, n, w, row_stride, column_stride, k range, unit range, packed)
//   ck_gemm_prepacked_product_i8_f32       (rows, n, k, packed_x, packed_w, sums, epilogue, add, ldadd, out, ldo, row range, unit range)
//   ck_block_conv_i8_image_size, ck_block_conv_i8_rows, ck_block_conv_i8_packed_size (shape)
//   ck_block_conv_i8_image       (shape, in, inverse, low, image, row range)
//   ck_block_conv_pack_i8        (shape, planes, weights, row_stride, unit range, packed)
//   ck_block_conv_i8_f32         (shape, image, packed, sums, epilogue, add, out, unit range, row range)
#pragma once
#include "ck_block.h"
#include "ck_gemm_prepacked.h"
#pragma clang assume_nonnull begin

/// Whether the instruction set in use has these functions: no other may be called where it has not.
bool ck_int8_supported(void);

/// For every output, padded to whole blocks of ck_block_size(): what its sum begins with (`low` times the sum of its weights, so that
/// the sum is that of the multiples themselves), and what the sum is multiplied by before anything else is done with it.
typedef struct {
  const int32_t *starts;
  const float *scales;
} ck_integer_sums;

/// As ck_gemm_prepacked_pack_f32, ck_gemm_prepacked_pack_weights_f32 and ck_gemm_prepacked_product_f32; packed operands have the sizes of those of (k + 3) / 4 floats.
/// `k_begin` is a multiple of four; `inverse` is one over the scale of the steps. Sums must fit 32 bits: that is the caller's to know.
void ck_gemm_prepacked_pack_i8(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, float inverse, int32_t low, size_t row_begin, size_t row_end,
    float *packed);
void ck_gemm_prepacked_pack_weights_i8(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed);
void ck_gemm_prepacked_product_i8_f32(
    size_t rows, size_t n, size_t k, const float *packed_x, const float *packed_w, const ck_integer_sums *sums,
    const ck_epilogue *epilogue, const float *_Nullable add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin,
    size_t row_end, size_t unit_begin, size_t unit_end);

/// A blocked image as bytes, with what it is padded with around it: rows row_begin ..< row_end of all rows of all its blocks of fours,
/// ck_block_conv_i8_rows(shape) of them.
size_t ck_block_conv_i8_image_size(const ck_window *shape);
size_t ck_block_conv_i8_rows(const ck_window *shape);
void ck_block_conv_i8_image(
    const ck_window *shape, const float *in, float inverse, int32_t low, float *image, size_t row_begin, size_t row_end);

/// As those of ck_block.h for one group; output and sum are blocked floats. With `planes` the weights are packed for an image of planes of fours
/// (see ck_quantized.h).
size_t ck_block_conv_i8_packed_size(const ck_window *shape);
void ck_block_conv_pack_i8(
    const ck_window *shape, bool planes, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end, float *packed);
void ck_block_conv_i8_f32(
    const ck_window *shape, const float *image, const float *packed, const ck_integer_sums *sums, const ck_epilogue *epilogue,
    const float *_Nullable add, float *out, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end);

#pragma clang assume_nonnull end
