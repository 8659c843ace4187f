// bf16 functions that forward to the kernel table.
#include "table.h"

bool ck_low_precision_supported(void) { return ck_table()->gemm_prepacked_product_bf16_f32 != NULL; }

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
      rows, n, k, k_begin, k_end, packed_x, packed_w, epilogue, add, ldadd, out, ldo, row_begin, row_end, unit_begin, unit_end);
}

void ck_block_interleave_bf16(const float *in, size_t channels, size_t area, float *out, size_t block_begin, size_t block_end) {
  ck_table()->block_interleave_bf16(in, channels, area, out, block_begin, block_end);
}

size_t ck_block_conv_bf16_packed_size(const ck_window *shape) { return ck_table()->block_conv_bf16_packed_size(shape); }

size_t ck_block_conv_bf16_scratch_size(const ck_window *shape) { return ck_table()->block_conv_bf16_scratch_size(shape); }

void ck_block_conv_pack_bf16(
    const ck_window *shape, const float *weights, ptrdiff_t row_stride, size_t unit_begin, size_t unit_end, float *packed) {
  ck_table()->block_conv_pack_bf16(shape, weights, row_stride, unit_begin, unit_end, packed);
}

void ck_block_conv_bf16_f32(
    const ck_window *shape, const float *in, const float *packed, const ck_epilogue *epilogue, const float *add, float *out,
    float *scratch, size_t unit_begin, size_t unit_end, size_t row_begin, size_t row_end) {
  ck_table()->block_conv_bf16_f32(
      shape, in, packed, epilogue, add, out, scratch, unit_begin, unit_end, row_begin, row_end);
}

size_t ck_attention_bf16_packed_size(const ck_attention *shape) { return ck_table()->attention_bf16_packed_size(shape); }

size_t ck_attention_bf16_scratch_size(const ck_attention *shape) { return ck_table()->attention_bf16_scratch_size(shape); }

void ck_attention_pack_bf16(const ck_attention *shape, const float *keys, const float *values, float *packed) {
  ck_table()->attention_pack_bf16(shape, keys, values, packed);
}

void ck_attention_bf16_f32(
    const ck_attention *shape, const float *queries, const float *packed, const ck_score_mask *masks, size_t mask_count,
    float *out, float *scratch, size_t query_begin, size_t query_end) {
  ck_table()->attention_bf16_f32(shape, queries, packed, masks, mask_count, out, scratch, query_begin, query_end);
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
