// int8 GEMM and convolution with int32 accumulators, for processors with a dot-product instruction (VNNI). Four
// consecutive int8 values along K share one 32-bit lane, so every layout is that of fp32 with K / 4. Packed sizes are
// in floats.
//
// Inputs are fp32 values that are quantized already: integer multiples of a scale, within the rounding of their
// product. The multiples are `low` to `low + 255`; the kernels store the multiple minus `low` as uint8. Weights are
// integers in -128 ... 127.
#pragma once
#include "ck_block.h"
#include "ck_gemm_prepacked.h"
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// Whether the active instruction set has these functions. If not, no other function of this header may be called.
bool ck_int8_supported(void);

/// Per output channel, padded to whole blocks of ck_block_size(). `starts`: initial value of the accumulator, `low`
/// times the sum of the channel's weights, which corrects for the stored offset. `scales`: factor of the accumulator
/// before the epilogue.
typedef struct {
  const int32_t *starts;
  const float *scales;
} ck_integer_sums;

/// As ck_gemm_prepacked_pack_f32, ck_gemm_prepacked_pack_weights_f32 and ck_gemm_prepacked_product_f32. Packed operands
/// have the sizes of (k + 3) / 4 floats. `k_begin` is a multiple of four. `inverse` is 1 / quantization scale. The
/// caller guarantees that accumulators do not overflow int32.
CK_KERNEL(avx512vnni) void ck_gemm_prepacked_pack_i8(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, float inverse, int32_t low, size_t row_begin, size_t row_end,
    float *packed);
CK_KERNEL(avx512vnni) void ck_gemm_prepacked_pack_weights_i8(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed);
CK_KERNEL(avx512vnni) void ck_gemm_prepacked_product_i8_f32(
    size_t rows, size_t n, size_t k, const float *packed_x, const float *packed_w, const ck_integer_sums *sums,
    const ck_epilogue *epilogue, const float *_Nullable add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo,
    size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end);

/// Converts an NCHWc image to uint8 with its padding around it. The range row_begin ..< row_end counts rows of all int8
/// blocks; there are ck_block_conv_i8_rows(shape).
CK_KERNEL(avx512vnni) size_t ck_block_conv_i8_image_size(const ck_window *shape);
CK_KERNEL(avx512vnni) size_t ck_block_conv_i8_rows(const ck_window *shape);
CK_KERNEL(avx512vnni) void ck_block_conv_i8_image(
    const ck_window *shape, const float *in, float inverse, int32_t low, float *image, size_t row_begin,
    size_t row_end);

/// As in ck_block.h for one group; `add` and `out` are NCHWc fp32. With `planes` the weights are packed for an image of
/// int8x4 planes (see ck_quantized.h).
CK_KERNEL(avx512vnni) size_t ck_block_conv_i8_packed_size(const ck_window *shape);
CK_KERNEL(avx512vnni) void ck_block_conv_pack_i8(
    const ck_window *shape, bool planes, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed);
CK_KERNEL(avx512vnni) void ck_block_conv_i8_f32(
    const ck_window *shape, const float *image, const float *packed, const ck_integer_sums *sums,
    const ck_epilogue *epilogue, const float *_Nullable add, float *out, size_t unit_begin, size_t unit_end,
    size_t row_begin, size_t row_end);

#pragma clang assume_nonnull end
