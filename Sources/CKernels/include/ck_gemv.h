// GEMV: products of a few rows with a weight matrix, bound by the bandwidth of reading the weights. fp32 arithmetic.
//
// y[i, j] = bias[j] + sum over l of x[i, l] w[j, l], for i below m and j below n. Rows are ldw, ldx, ldy elements
// apart. Any m works; the kernel reads the weights once per 4 rows of x. To share the work, give each thread its rows
// of w: w + j * ldw, bias + j, y + j. `bias` has n elements, or is NULL. `y` aliases no other argument. fp16 weights
// give bit-identical results to ck_gemv_f32 with the same values.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// fp32 weights.
CK_KERNEL(base) void ck_gemv_f32(
    const float *w, size_t ldw, const float *x, size_t ldx, const float *_Nullable bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k);

/// fp16 weights.
CK_KERNEL(base) void ck_gemv_f16w_f32(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *_Nullable bias, float *y, size_t ldy,
    size_t m, size_t n, size_t k);

typedef enum { CK_CODES_I8, CK_CODES_U8, CK_CODES_4BIT } ck_codes;

/// A quantized matrix. Blocks of `row_block` rows by `block` columns share an entry of `scale`, `offset` and `table`.
/// Entries are stored row by row, `entries` in each row. The weight of a code is (value - offset) scale. The value is
/// the integer code or, for 4 bits, table[code]. 4-bit codes are packed two per byte, the even column in the low
/// nibble.
typedef struct ck_quantized_matrix {
  const void *codes;
  ck_codes kind;
  /// Codes from one row to the next; even for 4 bits.
  size_t ldw;
  size_t row_block;
  /// A multiple of 16, or the width of a row.
  size_t block;
  size_t entries;
  /// For 4 bits: 16 floats per entry if `has_tables`, else 16 floats for all entries.
  const float *_Nullable table;
  bool has_tables;
  const float *_Nullable scale;
  /// What is subtracted from a value before it is scaled. NULL: nothing, or no scale either.
  const float *_Nullable offset;
  /// Whether each weight is rounded to fp16.
  bool rounds;
  /// Whether ck_rounds_normally holds for all scales and offsets. If false, the kernel asks for those that it reads.
  bool normal;
} ck_quantized_matrix;

/// Whether every scale is 0 or an fp16 number of magnitude 2^-14 to 2^5, and every offset, if there are any, an integer
/// of magnitude 256 at most. If the values are such integers too, rounding a weight to fp16 takes fewer instructions.
CK_KERNEL(base) bool ck_rounds_normally(const float *scale, const float *_Nullable offset, size_t count);

/// Rows `first` ..< `first` + n of the matrix. `bias` and `y` begin with row `first`.
CK_KERNEL(base) void ck_gemv_quantized_f32(
    const ck_quantized_matrix *w, size_t first, const float *x, size_t ldx, const float *_Nullable bias, float *y,
    size_t ldy, size_t m, size_t n, size_t k);

/// Weights [k, n], rows ldw apart: y[i, j] = bias[j] + sum over l of x[i, l] w[l, j]. Threads share columns: w + j.
CK_KERNEL(base) void ck_gemv_kn_f32(
    const float *w, size_t ldw, const float *x, size_t ldx, const float *_Nullable bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k);

/// fp16 weights [k, n].
CK_KERNEL(base) void ck_gemv_kn_f16w_f32(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *_Nullable bias, float *y, size_t ldy,
    size_t m, size_t n, size_t k);

#pragma clang assume_nonnull end
