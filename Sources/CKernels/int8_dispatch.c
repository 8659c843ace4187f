// int8 functions that forward to the kernel table.
#include "table.h"

bool ck_int8_supported(void) { return ck_table()->gemm_prepacked_product_i8_f32 != NULL; }

void ck_gemm_prepacked_pack_i8(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, float inverse, int32_t low, size_t row_begin, size_t row_end,
    float *packed) {
  ck_table()->gemm_prepacked_pack_i8(x, ldx, rows, k, inverse, low, row_begin, row_end, packed);
}

void ck_gemm_prepacked_pack_weights_i8(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed) {
  ck_table()->gemm_prepacked_pack_weights_i8(k, n, w, row_stride, column_stride, k_begin, k_end, unit_begin, unit_end, packed);
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
    const ck_window *shape, const float *in, float inverse, int32_t low, float *image, size_t row_begin, size_t row_end) {
  ck_table()->block_conv_i8_image(shape, in, inverse, low, image, row_begin, row_end);
}

size_t ck_block_conv_i8_packed_size(const ck_window *shape) { return ck_table()->block_conv_i8_packed_size(shape); }

void ck_block_conv_pack_i8(
    const ck_window *shape, bool planes, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end,
    float *packed) {
  ck_table()->block_conv_pack_i8(shape, planes, weights, row_stride, unit_begin, unit_end, packed);
}

void ck_block_conv_i8_f32(
    const ck_window *shape, const float *image, const float *packed, const ck_integer_sums *sums, const ck_epilogue *epilogue,
    const float *add, float *out, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  ck_table()->block_conv_i8_f32(
      shape, image, packed, sums, epilogue, add, out, unit_begin, unit_end, row_begin, row_end);
}
