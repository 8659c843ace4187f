// Moves elements of 1, 2, 4 or 8 bytes. Functions that return bool return false and write nothing for another element
// size, a rank above CK_MAX_RANK, or arguments that their comments list as refused. `out` never aliases an input.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ck_kernel.h"
#pragma clang assume_nonnull begin

/// out[i * strides_out] = in[i * strides_in] for every i of `shape`. Covers transpose, slice, reverse (negative
/// strides; pointers then address the element of index 0), tile and broadcast (strides_in 0). One call per input makes
/// concat and split. Elements of `out` must be distinct.
bool ck_copy_strided(
    size_t element_size, size_t rank, const ptrdiff_t *shape, const void *in, const ptrdiff_t *strides_in, void *out,
    const ptrdiff_t *strides_out);

/// One NCHWc block: in[channel * area + i] to out[i * block + channel]. `channels` is 1 ... block; zeros fill the other
/// lanes.
void ck_block_channels_f32(const float *in, size_t channels, size_t area, size_t block, float *out);

/// The inverse of ck_block_channels_f32.
void ck_unblock_channels_f32(const float *in, size_t channels, size_t area, size_t block, float *out);

typedef enum ck_pad_mode {
  CK_PAD_CONSTANT,
  CK_PAD_REFLECT,    // without repeating the edge; amounts must be below the axis's length
  CK_PAD_REPLICATE,  // repeats the edge
} ck_pad_mode;

/// Pads `in` (shape, contiguous) by before[d] and after[d] elements into contiguous `out`. Amounts are not negative.
/// `value` points to one element (CONSTANT only, else ignored). Refused: negative amounts, reflection of an axis that
/// is too short, reflection or replication of an empty axis, CONSTANT without a value.
bool ck_pad(
    ck_pad_mode mode, size_t element_size, size_t rank, const ptrdiff_t *shape, const ptrdiff_t *before,
    const ptrdiff_t *after, const void *_Nullable value, const void *in, void *out);

/// How a function treats an index outside -axis ..< axis. Indices in -axis ..< 0 count from the end.
typedef enum ck_bounds {
  CK_BOUNDS_CHECK,  // stops and returns the position of that index in `indices`; parts may be written
  CK_BOUNDS_CLAMP,  // uses the nearest valid index; still stops on an axis of 0
  CK_BOUNDS_STRICT,  // as CK_BOUNDS_CHECK; negative indices are outside too
} ck_bounds;

/// Return values of gathers and scatters that are not the position of a bad index.
enum { CK_INDICES_VALID = -1, CK_INDICES_UNSUPPORTED = -2 };

/// [outer, axis, inner] -> [outer, count, inner]: out[o, j, :] = in[o, indices[j], :]. Returns CK_INDICES_VALID, the
/// position of a bad index, or CK_INDICES_UNSUPPORTED for another element size.
ptrdiff_t ck_gather(
    ck_bounds bounds, size_t element_size, const void *in, const int32_t *indices, void *out, size_t outer, size_t axis,
    size_t inner, size_t count);

/// [outer, axis, inner] with indices of the output's shape [outer, count, inner]: out[o, j, i] = in[o, indices[o, j, i], i].
ptrdiff_t ck_gather_along_axis(
    ck_bounds bounds, size_t element_size, const void *in, const int32_t *indices, void *out, size_t outer, size_t axis,
    size_t inner, size_t count);

/// in: shape[0] x ... x shape[depth - 1] x inner; indices [count, depth]; out [count, inner]: out[j, :] = in[indices[j, :], :].
ptrdiff_t ck_gather_nd(
    ck_bounds bounds, size_t element_size, const void *in, size_t depth, const ptrdiff_t *shape, size_t inner,
    const int32_t *indices, size_t count, void *out);

/// How a scatter combines the old value with the update. Updates are applied in order.
typedef enum ck_scatter_mode {
  CK_SCATTER_UPDATE,
  CK_SCATTER_ADD,
  CK_SCATTER_SUB,
  CK_SCATTER_MUL,
  CK_SCATTER_DIV,
  CK_SCATTER_MAX,
  CK_SCATTER_MIN,
} ck_scatter_mode;

/// data[o, indices[j], :] op= updates[o, j, :]: data [outer, axis, inner], updates [outer, count, inner].
ptrdiff_t ck_scatter_f32(
    ck_scatter_mode mode, ck_bounds bounds, float *data, const int32_t *indices, const float *updates, size_t outer,
    size_t axis, size_t inner, size_t count);
ptrdiff_t ck_scatter_i32(
    ck_scatter_mode mode, ck_bounds bounds, int32_t *data, const int32_t *indices, const int32_t *updates, size_t outer,
    size_t axis, size_t inner, size_t count);

/// data[o, indices[o, j, i], i] op= updates[o, j, i]: data [outer, axis, inner], indices and updates [outer, count, inner].
ptrdiff_t ck_scatter_along_axis_f32(
    ck_scatter_mode mode, ck_bounds bounds, float *data, const int32_t *indices, const float *updates, size_t outer,
    size_t axis, size_t inner, size_t count);
ptrdiff_t ck_scatter_along_axis_i32(
    ck_scatter_mode mode, ck_bounds bounds, int32_t *data, const int32_t *indices, const int32_t *updates, size_t outer,
    size_t axis, size_t inner, size_t count);

/// data[indices[j, :], :] op= updates[j, :]: data shape[0] x ... x shape[depth - 1] x inner, updates [count, inner].
ptrdiff_t ck_scatter_nd_f32(
    ck_scatter_mode mode, ck_bounds bounds, float *data, size_t depth, const ptrdiff_t *shape, size_t inner,
    const int32_t *indices, size_t count, const float *updates);
ptrdiff_t ck_scatter_nd_i32(
    ck_scatter_mode mode, ck_bounds bounds, int32_t *data, size_t depth, const ptrdiff_t *shape, size_t inner,
    const int32_t *indices, size_t count, const int32_t *updates);

/// [planes, in_h, in_w] -> [planes, out_h, out_w]: out[p, y, x] = in[p, rows[y], columns[x]]. The caller makes the
/// tables, so that every sampling rule is possible, and guarantees that they stay inside.
void ck_resize_nearest_f32(
    const float *in, size_t planes, size_t in_h, size_t in_w, const int32_t *rows, const int32_t *columns, float *out,
    size_t out_h, size_t out_w);

/// One output position of linear interpolation: in[low] + weight (in[high] - in[low]).
typedef struct ck_tap {
  int32_t low, high;
  float weight;
} ck_tap;

/// [planes, in_h, in_w] -> [planes, out_h, out_w] by the taps ytaps[out_h], xtaps[out_w], which must stay inside.
/// `scratch` holds max(in_w, 2 * out_w) floats. Supports every sampling rule (align corners, half pixel, crop and
/// resize).
CK_KERNEL(base) void ck_resize_bilinear_f32(
    const float *in, size_t planes, size_t in_h, size_t in_w, const ck_tap *ytaps, const ck_tap *xtaps, float *scratch,
    float *out, size_t out_h, size_t out_w);

#pragma clang assume_nonnull end
