// GEMM with constant prepacked weights, and attention, fp32. Weights are packed in units of two vectors of columns.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_conv.h"
#include "ck_gemv.h"
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// Strides of a matrix in elements: from row to row, and from column to column.
typedef struct ck_strides {
  ptrdiff_t row, column;
} ck_strides;

/// One head of attention: softmax(masks over scale * Q K^T) V.
typedef struct ck_attention {
  size_t queries, keys;
  size_t depth, width;  // head size of queries and keys; head size of values
  ck_strides query, key, value, out;
  float scale;
} ck_attention;

/// A mask over the scaled scores, [queries, keys], applied before the softmax.
typedef struct ck_score_mask {
  const float *numbers;
  ptrdiff_t row;  // stride between rows; 0: one row for all queries
  bool replaces;  // true: a mask element that is not NaN replaces the score; false: the mask is added
} ck_score_mask;

/// How fp32 operands are stored in memory: as fp32, as fp16, or as fp32 values that the kernel rounds to fp16.
typedef enum ck_stored { CK_STORED_F32, CK_STORED_F16, CK_STORED_F32_ROUNDED } ck_stored;

/// Keys and values of one consecutive range of the sources, for ck_attention_few_f32.
typedef struct ck_attention_part {
  const void *keys, *values;
  ck_strides key, value;
  size_t count;
  ck_stored key_stored, value_stored;
} ck_attention_part;

CK_KERNEL(base) size_t ck_gemm_prepacked_units(size_t n);

/// Size in floats of packed x [rows, k], and of packed weights [k, n].
CK_KERNEL(base) size_t ck_gemm_prepacked_packed_size(size_t rows, size_t k);
CK_KERNEL(base) size_t ck_gemm_prepacked_packed_weights_size(size_t k, size_t n);

/// Packs rows row_begin ..< row_end of x, multiplied by `scale`. `packed` is the start of the whole buffer.
CK_KERNEL(base) void ck_gemm_prepacked_pack_f32(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, float scale, size_t row_begin, size_t row_end, float *packed);

/// Packs rows k_begin ..< k_end of the columns of units unit_begin ..< unit_end. Element (k_begin + l, first column +
/// j) is w[l * row_stride + j * column_stride].
CK_KERNEL(base) void ck_gemm_prepacked_pack_weights_f32(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed);

/// The recommended length of a K block, the part of K that one product call covers: a multiple of the block size. With
/// this length a unit's weights stay in a cache, and so do the elements of one or two hundred rows.
CK_KERNEL(base) size_t ck_gemm_prepacked_pass(size_t k);

/// out [rows, n] = activation(x [rows, k] w [k, n] + bias [n] + add), for rows row_begin ..< row_end and the columns of
/// units unit_begin ..< unit_end.
///
/// Several calls, one per K block in ascending order, make one product. k_begin is a multiple of the block size, and
/// `out` holds the partial result between calls. `x` begins with element k_begin of row 0. If `ldx` is 0, x is in the
/// layout that ck_gemm_prepacked_pack_f32 writes for k_begin ..< k_end. Otherwise x has plain rows, `ldx` elements
/// apart.
CK_KERNEL(base) void ck_gemm_prepacked_product_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const float *packed_w, const ck_epilogue *epilogue, const float *_Nullable add, ptrdiff_t ldadd, float *out,
    ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end);

/// As above with fp16 weights; the packed element count is the same. The weights must be exact in fp16; then results
/// are bit-identical to fp32 weights.
CK_KERNEL(base) void ck_gemm_prepacked_pack_weights_f16(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, uint16_t *packed);
/// If `widened` is not NULL it has ck_gemm_prepacked_widened_size floats, one buffer per concurrent caller. The kernel
/// converts weights there once for many rows; then a call covers at most ck_gemm_prepacked_pass elements of K. If it is
/// NULL, the kernel converts weights in registers.
CK_KERNEL(base) size_t ck_gemm_prepacked_widened_size(size_t k);
CK_KERNEL(base) void ck_gemm_prepacked_product_f16w_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const uint16_t *packed_w, float *_Nullable widened, const ck_epilogue *epilogue, const float *_Nullable add,
    ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end);

/// As above with a quantized matrix [n, k], decoded in parts to `decoded`, which has ck_gemm_prepacked_decoded_size
/// floats, one buffer per concurrent caller. A call covers at most ck_gemm_prepacked_pass elements of K. Rows of codes are
/// a multiple of four bytes apart. If there are several tables, each serves all rows, or a multiple of ck_block_size()
/// rows. Results are bit-identical to fp32 weights.
CK_KERNEL(base) size_t ck_gemm_prepacked_decoded_size(size_t k);
CK_KERNEL(base) void ck_gemm_prepacked_product_quantized_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const ck_quantized_matrix *w, float *decoded, const ck_epilogue *epilogue, const float *_Nullable add,
    ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end);

/// Size in floats of packed keys and values, and of the scratch memory of each concurrent caller.
CK_KERNEL(base) size_t ck_attention_packed_size(const ck_attention *shape);
CK_KERNEL(base) size_t ck_attention_scratch_size(const ck_attention *shape);
CK_KERNEL(base) void ck_attention_pack_f32(
    const ck_attention *shape, const float *keys, const float *values, float *packed);

/// Applies the masks to the scores in their order. Computes queries query_begin ..< query_end.
CK_KERNEL(base) void ck_attention_f32(
    const ck_attention *shape, const float *queries, const float *packed, const ck_score_mask *_Nullable masks,
    size_t mask_count, float *out, float *scratch, size_t query_begin, size_t query_end);

/// Attention of one query over keys and values that are not packed. `number` is the query's row in the masks. The
/// parts' keys follow each other. `query` and `out` are the query's own rows. `scratch` holds the scores of all keys,
/// rounded up to whole vectors (ck_attention_few_scratch_size).
CK_KERNEL(base) void ck_attention_few_f32(
    const ck_attention *shape, const float *query, const ck_attention_part *parts, size_t part_count,
    const ck_score_mask *_Nullable masks, size_t mask_count, size_t number, float *out, float *scratch);
CK_KERNEL(base) size_t ck_attention_few_scratch_size(const ck_attention *shape);

#pragma clang assume_nonnull end
