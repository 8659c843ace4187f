// GEMM with constant prepacked weights, bf16. A pair of bf16 elements takes the place of one fp32 in all layouts.
#include "../x86/bf16_dot.h"
#include "gemm_prepacked.h"

void CK_FN(gemm_prepacked_pack_bf16)(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, size_t row_begin, size_t row_end, float *packed) {
  const size_t block = 2 * CK_W, stretch = PACKED_TOGETHER * block;
  for (size_t first = 0; first < k; first += stretch) {
    const size_t end = k - first < stretch ? k : first + stretch;
    for (size_t r = row_begin; r < row_end; r++) {
      const float *from = x + (ptrdiff_t)r * ldx;
      float *to = packed + (first / block * rows + r) * CK_W;
      for (size_t l = first; l < end; l += block, to += rows * CK_W) {
        size_t lanes = end - l < block ? end - l : block, low = lanes < CK_W ? lanes : CK_W;
        vf more = lanes > CK_W ? vf_load_n(from + l + CK_W, lanes - CK_W) : (vf)0.0f;
        vf_store(to, pairs_of(vf_load_n(from + l, low), more));
      }
    }
  }
}

void CK_FN(gemm_prepacked_pack_weights_bf16)(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed) {
  rows_pack_along(k, n, w, row_stride, column_stride, k_begin, k_end, unit_begin, unit_end, packed);
}

void CK_FN(gemm_prepacked_product_bf16_f32)(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *packed_x, const float *packed_w,
    const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin,
    size_t row_end, size_t unit_begin, size_t unit_end) {
  rows_product(
      rows_bf16, sizeof(float), rows, n, along(k), k_begin / 2, along(k_end), packed_x, 0, packed_w, NULL, NULL, NULL, epilogue, add,
      ldadd, out, ldo, row_begin, row_end, unit_begin, unit_end);
}
