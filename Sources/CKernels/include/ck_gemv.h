// Products of a few rows with a weight matrix: bound by reading the weights once. float32 arithmetic.
//
//   ck_gemv_f32       (w, ldw, x, ldx, bias[n]?, y, ldy, m, n, k)            weights f32
//   ck_gemv_f16w_f32  (w, ldw, x, ldx, bias[n]?, y, ldy, m, n, k)            weights f16
//   ck_gemv_i8w_f32   (w, ldw, scale[n], zero_point[n]?, x, ldx, bias[n]?, y, ldy, m, n, k)   weights int8
//   ck_gemv_lut4_f32  (w, ldw, table, x, ldx, bias[n]?, y, ldy, m, n, k)     weights 4-bit indices into 16 values
//   ck_gemv_kn_f32    (w, ldw, x, ldx, bias[n]?, y, ldy, m, n, k)            weights [k, n]
//
// y[i, j] = bias[j] + sum over l of x[i, l] w[j, l], for i below m and j below n. Rows are ldw, ldx, ldy elements apart. Any m
// works; the weights are read once for every 4 rows of x. To share the work, give each thread its rows of w: w + j * ldw,
// bias + j, y + j. `y` aliases nothing.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

void ck_gemv_f32(
    const float *w, size_t ldw, const float *x, size_t ldx, const float *_Nullable bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k);

void ck_gemv_f16w_f32(
    const uint16_t *w, size_t ldw, const float *x, size_t ldx, const float *_Nullable bias, float *y, size_t ldy,
    size_t m, size_t n, size_t k);

/// Weight j, l is (w[j, l] - zero_point[j]) scale[j]; zero_point NULL: 0.
void ck_gemv_i8w_f32(
    const int8_t *w, size_t ldw, const float *scale, const int8_t *_Nullable zero_point, const float *x, size_t ldx,
    const float *_Nullable bias, float *y, size_t ldy, size_t m, size_t n, size_t k);

/// Weight j, l is table[index]: two indices a byte, the even l in the low half. ldw counts indices and is even.
void ck_gemv_lut4_f32(
    const uint8_t *w, size_t ldw, const float *table, const float *x, size_t ldx, const float *_Nullable bias, float *y,
    size_t ldy, size_t m, size_t n, size_t k);

/// Weights [k, n], rows ldw apart: y[i, j] = bias[j] + sum over l of x[i, l] w[l, j]. Threads share columns: w + j.
void ck_gemv_kn_f32(
    const float *w, size_t ldw, const float *x, size_t ldx, const float *_Nullable bias, float *y, size_t ldy, size_t m,
    size_t n, size_t k);

#pragma clang assume_nonnull end
