// Reductions of [outer, axis, inner] along the middle axis to [outer, inner], and cumulative sums along it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// Sums are accumulated in blocks whose totals are kept in double, so the error does not grow with the axis. MAX and
/// MIN return NaN if any value is NaN. An axis of 0 gives the neutral element: SUM 0, PROD 1, MAX -inf, MIN +inf, MEAN
/// NaN, LOG_SUM and LOG_SUM_EXP -inf (int32: MAX INT32_MIN, MIN INT32_MAX, MEAN 0).
typedef enum ck_reduce_op {
  CK_REDUCE_SUM,
  CK_REDUCE_MEAN,         // int32: toward zero
  CK_REDUCE_MAX,
  CK_REDUCE_MIN,
  CK_REDUCE_PROD,
  CK_REDUCE_L1,           // sum |x|
  CK_REDUCE_L2,           // sqrt(sum x^2)
  CK_REDUCE_SUM_SQUARE,   // sum x^2
  CK_REDUCE_LOG_SUM,      // log(sum x)
  CK_REDUCE_LOG_SUM_EXP,  // log(sum exp(x)), without overflow
  CK_REDUCE_COUNT
} ck_reduce_op;

CK_KERNEL(base) void ck_reduce_f32(
    ck_reduce_op op, const float *in, float *out, size_t outer, size_t axis, size_t inner);

/// int32: SUM, MEAN, MAX, MIN, PROD, L1, SUM_SQUARE, wrapping on overflow. Returns false and writes nothing for any
/// other op.
CK_KERNEL(base) bool ck_reduce_i32(
    ck_reduce_op op, const int32_t *in, int32_t *out, size_t outer, size_t axis, size_t inner);

typedef enum ck_arg_op { CK_ARG_MAX, CK_ARG_MIN } ck_arg_op;

/// The position along the axis of the maximum or minimum, the first of equal ones. NaN counts as both maximum and
/// minimum: the first NaN's position is returned. The axis must be 1 ... INT32_MAX long.
CK_KERNEL(base) void ck_reduce_arg_f32(
    ck_arg_op op, const float *in, int32_t *out, size_t outer, size_t axis, size_t inner);
CK_KERNEL(base) void ck_reduce_arg_i32(
    ck_arg_op op, const int32_t *in, int32_t *out, size_t outer, size_t axis, size_t inner);

/// Cumulative sums along the axis, from its end if `reverse`. `exclusive` leaves out the element itself. Float sums are
/// accumulated in double; the order is unspecified. A NaN or an infinity affects only the sums that contain it. int32
/// wraps. `out` ([outer, axis, inner]) may alias `in`.
CK_KERNEL(base) void ck_cumsum_f32(
    const float *in, float *out, size_t outer, size_t axis, size_t inner, bool exclusive, bool reverse);
CK_KERNEL(base) void ck_cumsum_i32(
    const int32_t *in, int32_t *out, size_t outer, size_t axis, size_t inner, bool exclusive, bool reverse);

#pragma clang assume_nonnull end
