// GEMM and convolution over packed operands, fp32, with a bias and activation epilogue.
//
// C [m, n] = A [m, k] B [k, n]. A is cut into tiles of ck_gemm_tile_rows() rows, B into panels of
// ck_gemm_panel_columns() columns; zeros pad the last ones. Both widths, and so the packed layout, depend on the
// instruction set. Operands packed under one instruction set (and kept in a file, say) are invalid under another.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_conv.h"
#include "ck_elementwise.h"
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

CK_KERNEL(base) size_t ck_gemm_tile_rows(void);
CK_KERNEL(base) size_t ck_gemm_panel_columns(void);

/// Size of packed A [m, k] and of packed B [k, n], in floats.
size_t ck_gemm_packed_a_size(size_t m, size_t k);
size_t ck_gemm_packed_b_size(size_t n, size_t k);

/// Element (i, l) of A is a[i * row_stride + l * column_stride].
void ck_gemm_pack_a_f32(
    size_t m, size_t k, const float *a, ptrdiff_t row_stride, ptrdiff_t column_stride, float *packed);

/// Element (l, j) of B is b[l * row_stride + j * column_stride] (weights [n, k]: strides 1 and k). Packs panels
/// panel_begin ..< panel_end. `packed` is the start of the whole buffer.
void ck_gemm_pack_b_f32(
    size_t k, size_t n, const float *b, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t panel_begin,
    size_t panel_end, float *packed);

/// Length of the K blocks in which both operands are packed.
size_t ck_gemm_k_block(void);

/// Packs the rows of tiles tile_begin ..< tile_end of A. Element (tile_begin * tile rows + i, l) is a[i * row_stride +
/// l * column_stride]. `packed` is the start of the whole buffer.
CK_KERNEL(base) void ck_gemm_pack_a_part_f32(
    size_t m, size_t k, const float *a, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t tile_begin,
    size_t tile_end, float *packed);

/// Packs rows k_begin ..< k_end of panels panel_begin ..< panel_end of B. k_begin is a multiple of ck_gemm_k_block(),
/// and so is k_end unless it is k. Element (k_begin + l, panel_begin * panel columns + j) is b[l * row_stride + j *
/// column_stride].
CK_KERNEL(base) void ck_gemm_pack_b_part_f32(
    size_t k, size_t n, const float *b, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t panel_begin, size_t panel_end, float *packed);

/// Which axis of C the bias runs along.
typedef enum ck_bias_axis { CK_BIAS_ROWS, CK_BIAS_COLUMNS } ck_bias_axis;

/// Computes the rows of tiles tile_begin ..< tile_end and the columns of panels panel_begin ..< panel_end of C. Rows of
/// C are ldc apart; `c` is the start of the whole matrix. k = 0 gives the bias. C aliases no other argument.
CK_KERNEL(base) void ck_gemm_packed_f32(
    size_t m, size_t n, size_t k, const float *packed_a, const float *packed_b, ck_bias_axis bias_axis,
    const ck_epilogue *epilogue, float *c, size_t ldc, size_t tile_begin, size_t tile_end, size_t panel_begin,
    size_t panel_end);

/// Scratch floats of ck_conv_gemm_f32, the same for every shape.
CK_KERNEL(base) size_t ck_conv_gemm_scratch_size(void);

/// Convolution, 1-D to 3-D, of one image and one group, as a GEMM that packs panels of input patches when it uses them.
/// packed_weights is ck_gemm_pack_a_f32 of the group's [out_channels / groups, in_channels / groups * kernel].
///
/// A panel is ck_gemm_panel_columns() output positions (of out_d * out_h * out_w, row-major). Computes panels
/// panel_begin ..< panel_end for all output channels of the group. `in`, `out` and the bias point to channel 0 of the
/// image. An input plane has at most INT32_MAX elements.
CK_KERNEL(base) void ck_conv_gemm_f32(
    const ck_window *shape, ptrdiff_t group, const float *in, const float *packed_weights, const ck_epilogue *epilogue,
    float *out, float *scratch, size_t panel_begin, size_t panel_end);

#pragma clang assume_nonnull end
