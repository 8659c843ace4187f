// Packing of whole operands, and the epilogue as a pass of its own.
#include "table.h"

void ck_epilogue_f32(
    const ck_epilogue *epilogue, ptrdiff_t channel_begin, float *tile, size_t channels, size_t spatial, size_t stride) {
  const struct ck_table *table = ck_table();
  for (size_t c = 0; c < channels; c++, tile += stride) {
    if (epilogue->bias) {
      table->binary_f32[CK_BINARY_ADD](tile, 1, epilogue->bias + channel_begin + c, 0, tile, spatial);
    }
    if (epilogue->activation != CK_UNARY_IDENTITY) {
      table->unary_f32[epilogue->activation](epilogue->alpha, epilogue->beta, tile, tile, spatial);
    }
  }
}

size_t ck_gemm_packed_a_size(size_t m, size_t k) {
  size_t tile = ck_gemm_tile_rows();
  return (m + tile - 1) / tile * tile * k;
}

size_t ck_gemm_packed_b_size(size_t n, size_t k) {
  size_t panel = ck_gemm_panel_columns();
  return (n + panel - 1) / panel * panel * k;
}

size_t ck_gemm_k_block(void) { return 256; }  // CK_K_BLOCK of gemm_layout.h, the same for all instruction sets

void ck_gemm_pack_a_f32(
    size_t m, size_t k, const float *a, ptrdiff_t row_stride, ptrdiff_t column_stride, float *packed) {
  size_t tile = ck_gemm_tile_rows();
  ck_gemm_pack_a_part_f32(m, k, a, row_stride, column_stride, 0, (m + tile - 1) / tile, packed);
}

void ck_gemm_pack_b_f32(
    size_t k, size_t n, const float *b, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t panel_begin,
    size_t panel_end, float *packed) {
  ptrdiff_t first = (ptrdiff_t)(panel_begin * ck_gemm_panel_columns());
  ck_gemm_pack_b_part_f32(
      k, n, b + first * column_stride, row_stride, column_stride, 0, k, panel_begin, panel_end, packed);
}
