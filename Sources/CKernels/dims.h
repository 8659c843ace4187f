// Index spaces of up to CK_MAX_RANK axes with several strided operands. They are simplified once, then iterated row by
// row.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ck_elementwise.h"

enum { CK_MAX_OPERANDS = 4 };

struct ck_dims {
  size_t rank;  // at least 1
  ptrdiff_t shape[CK_MAX_RANK];
  ptrdiff_t stride[CK_MAX_OPERANDS][CK_MAX_RANK];
};

/// Drops axes of length 1 and merges neighbors that are contiguous in every operand. Returns false if the space is
/// empty.
static inline bool ck_dims_make(
    struct ck_dims *dims, size_t rank, const ptrdiff_t *shape, size_t operands, const ptrdiff_t *const *strides) {
  size_t r = 0;
  for (size_t d = 0; d < rank; d++) {
    if (shape[d] <= 0) return false;
    if (shape[d] == 1) continue;
    bool joins = r > 0;
    for (size_t k = 0; joins && k < operands; k++) {
      ptrdiff_t span;
      joins = !__builtin_mul_overflow(strides[k][d], shape[d], &span) && span == dims->stride[k][r - 1];
    }
    ptrdiff_t length;
    if (joins && !__builtin_mul_overflow(dims->shape[r - 1], shape[d], &length)) {
      dims->shape[r - 1] = length;
      for (size_t k = 0; k < operands; k++) dims->stride[k][r - 1] = strides[k][d];
    } else {
      dims->shape[r] = shape[d];
      for (size_t k = 0; k < operands; k++) dims->stride[k][r] = strides[k][d];
      r++;
    }
  }
  if (r == 0) {
    dims->shape[0] = 1;
    for (size_t k = 0; k < operands; k++) dims->stride[k][0] = 1;
    r = 1;
  }
  dims->rank = r;
  return true;
}

/// Advances the index over all axes except the last `inner`, and the operands' offsets with it. Returns false after the
/// last index.
static inline bool ck_dims_next(
    const struct ck_dims *dims, size_t inner, size_t operands, ptrdiff_t *index, ptrdiff_t *offset) {
  for (size_t d = dims->rank - inner; d-- > 0;) {
    if (++index[d] < dims->shape[d]) {
      for (size_t k = 0; k < operands; k++) offset[k] += dims->stride[k][d];
      return true;
    }
    index[d] = 0;
    for (size_t k = 0; k < operands; k++) offset[k] -= dims->stride[k][d] * (dims->shape[d] - 1);
  }
  return false;
}
