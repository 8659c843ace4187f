// Sorts the lines of [outer, axis, inner] along the middle axis.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// Writes the first `keep` elements of each sorted line to [outer, keep, inner]: their values, their positions in the
/// line, or both. A NULL output is not written.
///
/// The sort is stable; the two zeros are equal. NaN is greater than every number, and all NaN are equal. The axis is at
/// most INT32_MAX long, `keep` at most `axis`. `scratch` holds `ck_sort_scratch(axis, keep)` elements. No argument may
/// alias another.
void ck_sort_f32(
    bool ascending, const float *in, float *_Nullable values, int32_t *_Nullable places, size_t outer, size_t axis,
    size_t inner, size_t keep, uint64_t *scratch);
void ck_sort_i32(
    bool ascending, const int32_t *in, int32_t *_Nullable values, int32_t *_Nullable places, size_t outer, size_t axis,
    size_t inner, size_t keep, uint64_t *scratch);

size_t ck_sort_scratch(size_t axis, size_t keep);

#pragma clang assume_nonnull end
