// Products of rows by constant weights, and attention, float32. Weights are packed in units of two vectors of columns.
//
//   ck_gemm_prepacked_units              (n)
//   ck_gemm_prepacked_packed_size        (rows, k), ck_gemm_prepacked_packed_weights_size (k, n) -> floats
//   ck_gemm_prepacked_pack_f32           (x, ldx, rows, k, scale, row range, packed)
//   ck_gemm_prepacked_pack_weights_f32   (k, n, w, row_stride, column_stride, k range, unit range, packed)
//   ck_gemm_prepacked_pass               (k) -> numbers of a row
//   ck_gemm_prepacked_product_f32        (rows, n, k, k range, x, ldx, packed_w, epilogue, add, ldadd, out, ldo, row and unit range)
//   ck_gemm_prepacked_pack_weights_f16, ck_gemm_prepacked_product_f16w_f32, ck_gemm_prepacked_widened_size   the same, with weights packed as halves
//   ck_attention_packed_size, ck_attention_scratch_size   (shape) -> floats
//   ck_attention_pack_f32      (shape, keys, values, packed)
//   ck_attention_f32           (shape, queries, packed, masks, out, scratch, query range)
//   ck_attention_few_f32       (shape, query, parts, masks, number, out, scratch)
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_conv.h"
#pragma clang assume_nonnull begin

/// Numbers between the rows of a matrix, and between the numbers of a row.
typedef struct ck_steps {
  ptrdiff_t row, column;
} ck_steps;

/// One head of attention: softmax(masks over scale * Q K^T) V.
typedef struct ck_attention {
  size_t queries, keys;
  size_t depth, width;  // of queries and keys, of values
  ck_steps query, key, value, out;
  float scale;
} ck_attention;

/// What is laid over scaled scores, [queries, keys], before their softmax.
typedef struct ck_score_mask {
  const float *numbers;
  ptrdiff_t row;  // 0: one row for all queries
  bool replaces;  // the score, where it is a number; otherwise it is added
} ck_score_mask;

/// How numbers lie in memory that are floats once they are read: as floats, as halves, or as floats that are rounded to halves.
typedef enum ck_stored { CK_STORED_FLOATS, CK_STORED_HALVES, CK_STORED_ROUNDED } ck_stored;

/// Keys and values of one run of the sources, for ck_attention_few_f32.
typedef struct ck_attention_part {
  const void *keys, *values;
  ck_steps key, value;
  size_t count;
  ck_stored key_stored, value_stored;
} ck_attention_part;

size_t ck_gemm_prepacked_units(size_t n);
size_t ck_gemm_prepacked_packed_size(size_t rows, size_t k);
size_t ck_gemm_prepacked_packed_weights_size(size_t k, size_t n);

/// Rows row_begin ..< row_end of x, times `scale`. `packed` is the start of the whole.
void ck_gemm_prepacked_pack_f32(
    const float *x, ptrdiff_t ldx, size_t rows, size_t k, float scale, size_t row_begin, size_t row_end, float *packed);

/// Packs rows k_begin ..< k_end of the columns of units unit_begin ..< unit_end: element (k_begin + l, first column + j) is
/// w[l * row_stride + j * column_stride].
void ck_gemm_prepacked_pack_weights_f32(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, float *packed);

/// Of the `k` numbers of a row as many as a product should take at once, a multiple of the block's size: the weights of a unit for them, and those of
/// a hundred rows or two, stay in a cache.
size_t ck_gemm_prepacked_pass(size_t k);

/// out [rows, n] = activation(x [rows, k] w [k, n] + bias [n] + add): rows row_begin ..< row_end, columns of units unit_begin ..< unit_end. Several
/// calls add up to one, one for each part of a row's numbers, from the first to the last: k_begin is a multiple of the block's size, and what is added so
/// far waits in `out`. `x` begins with number k_begin of row 0; it is as ck_gemm_prepacked_pack_f32 packs numbers k_begin ..< k_end where `ldx` is 0, and else rows
/// as they lie, so many numbers apart.
void ck_gemm_prepacked_product_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const float *packed_w, const ck_epilogue *epilogue, const float *_Nullable add, ptrdiff_t ldadd, float *out,
    ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end);

/// The same with weights as halves, as many of them as floats: they must be halves, and the results are those of the floats, bit by bit.
void ck_gemm_prepacked_pack_weights_f16(
    size_t k, size_t n, const float *w, ptrdiff_t row_stride, ptrdiff_t column_stride, size_t k_begin, size_t k_end,
    size_t unit_begin, size_t unit_end, uint16_t *packed);
/// With room for ck_gemm_prepacked_widened_size floats, each caller its own, weights that many rows share are widened there once, of as many numbers as
/// ck_gemm_prepacked_pass has or fewer in one call; without it in registers.
size_t ck_gemm_prepacked_widened_size(size_t k);
void ck_gemm_prepacked_product_f16w_f32(
    size_t rows, size_t n, size_t k, size_t k_begin, size_t k_end, const float *x, ptrdiff_t ldx,
    const uint16_t *packed_w, float *_Nullable widened, const ck_epilogue *epilogue, const float *_Nullable add,
    ptrdiff_t ldadd, float *out, ptrdiff_t ldo, size_t row_begin, size_t row_end, size_t unit_begin, size_t unit_end);

size_t ck_attention_packed_size(const ck_attention *shape);
size_t ck_attention_scratch_size(const ck_attention *shape);
void ck_attention_pack_f32(const ck_attention *shape, const float *keys, const float *values, float *packed);

/// Masks are laid over the scores in their order. Computes queries query_begin ..< query_end.
void ck_attention_f32(
    const ck_attention *shape, const float *queries, const float *packed, const ck_score_mask *_Nullable masks,
    size_t mask_count, float *out, float *scratch, size_t query_begin, size_t query_end);

/// The same of one query, row `number` of the masks, for keys and values that nobody packed; the parts' keys follow each other. `query` and
/// `out` are the query's own rows; `scores` has room for all keys in whole vectors (ck_attention_few_scratch_size).
void ck_attention_few_f32(
    const ck_attention *shape, const float *query, const ck_attention_part *parts, size_t part_count,
    const ck_score_mask *_Nullable masks, size_t mask_count, size_t number, float *out, float *scratch);
size_t ck_attention_few_scratch_size(const ck_attention *shape);

#pragma clang assume_nonnull end
