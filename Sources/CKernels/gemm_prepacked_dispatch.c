// Prepacked GEMM and attention functions that forward to the kernel table.
#include "table.h"

size_t ck_gemm_prepacked_units(size_t n) { return ck_table()->gemm_prepacked_units(n); }

size_t ck_gemm_prepacked_packed_size(size_t rows, size_t k) { return ck_table()->gemm_prepacked_packed_size(rows, k); }

size_t ck_gemm_prepacked_packed_weights_size(size_t k, size_t n) { return ck_table()->gemm_prepacked_packed_weights_size(k, n); }

size_t ck_gemm_prepacked_pass(size_t k) { return ck_table()->gemm_prepacked_pass(k); }

size_t ck_gemm_prepacked_widened_size(size_t k) { return ck_table()->gemm_prepacked_widened_size(k); }

void ck_gemm_prepacked_pack_f32(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, float scale, size_t row_begin, size_t row_end, float *packed) {
  ck_table()->gemm_prepacked_pack_f32(x, ldx, rows, k, scale, row_begin, row_end, packed);
}

void ck_gemm_prepacked_pack_weights_f32(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed) {
  ck_table()->gemm_prepacked_pack_weights_f32(k, n, w, row_stride, column_stride, k_begin, k_end, unit_begin, unit_end, packed);
}

void ck_gemm_prepacked_product_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const float *packed_w, const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo,
    size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end) {
  ck_table()->gemm_prepacked_product_f32(
      rows, n, k, k_begin, k_end, x, ldx, packed_w, epilogue, add, ldadd, out, ldo, row_begin, row_end, unit_begin, unit_end);
}

void ck_gemm_prepacked_pack_weights_f16(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, uint16_t *packed) {
  ck_table()->gemm_prepacked_pack_weights_f16(k, n, w, row_stride, column_stride, k_begin, k_end, unit_begin, unit_end, packed);
}

void ck_gemm_prepacked_product_f16w_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const uint16_t *packed_w, float *widened, const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd, float *out,
    ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end) {
  ck_table()->gemm_prepacked_product_f16w_f32(
      rows, n, k, k_begin, k_end, x, ldx, packed_w, widened, epilogue, add, ldadd, out, ldo, row_begin, row_end, unit_begin, unit_end);
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

size_t ck_attention_few_scratch_size(const ck_attention *shape) { return ck_table()->attention_few_scratch_size(shape); }
