// Lines of [outer, axis, inner] along the middle axis in order.
//
//   ck_sort_f32 / _i32   (ascending, in, values, places i32, outer, axis, inner, keep, scratch)
//   ck_sort_scratch      (axis, keep)
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// The first `keep` of each line in order, to [outer, keep, inner]: their values, their places in the line, or both; what is null is not
/// written. Equal numbers (and the two zeros) stay in the order of their places; NaN is greater than every number, and all are equal. The axis
/// is at most INT32_MAX long, `keep` at most `axis`. `scratch` holds `ck_sort_scratch(axis, keep)` elements; no argument may alias another.
void ck_sort_f32(
    bool ascending, const float *in, float *_Nullable values, int32_t *_Nullable places, size_t outer, size_t axis, size_t inner,
    size_t keep, uint64_t *scratch);
void ck_sort_i32(
    bool ascending, const int32_t *in, int32_t *_Nullable values, int32_t *_Nullable places, size_t outer, size_t axis, size_t inner,
    size_t keep, uint64_t *scratch);

size_t ck_sort_scratch(size_t axis, size_t keep);

#pragma clang assume_nonnull end
