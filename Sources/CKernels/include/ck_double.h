// Products and distances of float64 rows, for classical models. The result of a row does not depend on the other rows
// of the batch.
#pragma once
#include <stddef.h>
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// out [rows, columns] = x [rows, depth] times the transpose of weight [columns, depth], + bias [columns].
CK_KERNEL(base) void ck_linear_f64(
    const double *x, const double *weight, const double *_Nullable bias, double *out, size_t rows, size_t columns,
    size_t depth);

/// The squared Euclidean distance of each row of x to each of points [columns, depth].
CK_KERNEL(base) void ck_distances_f64(
    const double *x, const double *points, double *out, size_t rows, size_t columns, size_t depth);

/// The squared Euclidean distance of x [depth] to each of samples [count, depth].
CK_KERNEL(base) void ck_sample_distances_f64(
    const double *x, const float *samples, double *out, size_t count, size_t depth);

#pragma clang assume_nonnull end
