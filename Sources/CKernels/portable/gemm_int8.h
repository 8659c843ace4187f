// GEMM with constant prepacked weights, int8. Four int8 elements take the place of one fp32 in all layouts.
#include "../x86/int8_dot.h"
#include "gemm_prepacked.h"

void CK_FN(gemm_prepacked_pack_i8)(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, float inverse, int32_t low, size_t row_begin, size_t row_end,
    float *packed) {
  struct steps s = {inverse, low};
  const size_t block = 4 * CK_W, stretch = PACKED_TOGETHER * block;
  for (size_t first = 0; first < k; first += stretch) {
    const size_t end = k - first < stretch ? k : first + stretch;
    for (size_t r = row_begin; r < row_end; r++) {
      const float *from = x + (ptrdiff_t)r * ldx;
      uint8_t *to = (uint8_t *)(packed + (first / block * rows + r) * CK_W);
      for (size_t l = first; l < end; l += block, to += rows * block) {
        for (size_t i = 0; i < block; i += CK_W) {
          size_t place = l + i;
          vf numbers = place + CK_W <= end ? vf_load(from + place)
                       : place < end       ? vf_load_n(from + place, end - place)
                                           : (vf)0.0f;
          store_bytes(to + i, numbers, s);
        }
      }
    }
  }
}

void CK_FN(gemm_prepacked_pack_weights_i8)(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed) {
  rows_pack_along(k, n, w, row_stride, column_stride, k_begin, k_end, unit_begin, unit_end, packed);
}

void CK_FN(gemm_prepacked_product_i8_f32)(
    size_t rows, size_t n, size_t k, const float *packed_x, const float *packed_w, const ck_integer_sums *sums,
    const ck_epilogue *epilogue, const float *add, ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin,
    size_t row_end, size_t unit_begin, size_t unit_end) {
  rows_product(
      rows_int8, sizeof(float), rows, n, along(k), 0, along(k), packed_x, 0, packed_w, NULL, NULL, sums, epilogue, add, ldadd, out,
      ldo, row_begin, row_end, unit_begin, unit_end);
}
