// Gathers and scatters by int32 indices.
#include <string.h>

#include "table.h"

/// The valid index that `index` denotes, or -1.
static inline ptrdiff_t resolve(ck_bounds bounds, int32_t index, size_t axis) {
  ptrdiff_t i = index, length = (ptrdiff_t)axis;
  if (i < 0 && bounds != CK_BOUNDS_STRICT) i += length;
  if (i >= 0 && i < length) return i;
  if (bounds != CK_BOUNDS_CLAMP || length == 0) return -1;
  return i < 0 ? 0 : length - 1;
}

static bool is_element_size(size_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

ptrdiff_t ck_gather(
    ck_bounds bounds, size_t element_size, const void *in, const int32_t *indices, void *out, size_t outer, size_t axis,
    size_t inner, size_t count) {
  if (!is_element_size(element_size)) return CK_INDICES_UNSUPPORTED;
  size_t row = inner * element_size;
  const char *source = in;
  char *target = out;
  for (size_t o = 0; o < outer; o++, source += axis * row) {
    for (size_t j = 0; j < count; j++, target += row) {
      ptrdiff_t i = resolve(bounds, indices[j], axis);
      if (i < 0) return (ptrdiff_t)j;
      const char *p = source + (size_t)i * row;
      if (row == 4) {
        memcpy(target, p, 4);
      } else {
        memcpy(target, p, row);
      }
    }
  }
  return CK_INDICES_VALID;
}

#define CK_GATHER_ALONG(type)                                                                                        \
  static ptrdiff_t gather_along_##type(                                                                              \
      ck_bounds bounds, const type *in, const int32_t *indices, type *out, size_t outer, size_t axis, size_t inner,  \
      size_t count) {                                                                                                \
    size_t at = 0;                                                                                                   \
    for (size_t o = 0; o < outer; o++, in += axis * inner) {                                                         \
      for (size_t j = 0; j < count; j++) {                                                                           \
        for (size_t k = 0; k < inner; k++, at++) {                                                                   \
          ptrdiff_t i = resolve(bounds, indices[at], axis);                                                          \
          if (i < 0) return (ptrdiff_t)at;                                                                           \
          out[at] = in[(size_t)i * inner + k];                                                                       \
        }                                                                                                            \
      }                                                                                                              \
    }                                                                                                                \
    return CK_INDICES_VALID;                                                                                         \
  }
CK_GATHER_ALONG(uint8_t)
CK_GATHER_ALONG(uint16_t)
CK_GATHER_ALONG(uint32_t)
CK_GATHER_ALONG(uint64_t)

ptrdiff_t ck_gather_along_axis(
    ck_bounds bounds, size_t element_size, const void *in, const int32_t *indices, void *out, size_t outer, size_t axis,
    size_t inner, size_t count) {
  switch (element_size) {
    case 1: return gather_along_uint8_t(bounds, in, indices, out, outer, axis, inner, count);
    case 2: return gather_along_uint16_t(bounds, in, indices, out, outer, axis, inner, count);
    case 4: return gather_along_uint32_t(bounds, in, indices, out, outer, axis, inner, count);
    case 8: return gather_along_uint64_t(bounds, in, indices, out, outer, axis, inner, count);
    default: return CK_INDICES_UNSUPPORTED;
  }
}

/// The row that the `depth` indices address. Returns -1 and sets *bad to the position of the first index out of bounds.
static ptrdiff_t resolve_nd(
    ck_bounds bounds, const int32_t *indices, size_t depth, const ptrdiff_t *shape, size_t *bad) {
  size_t row = 0;
  for (size_t d = 0; d < depth; d++) {
    ptrdiff_t i = resolve(bounds, indices[d], (size_t)shape[d]);
    if (i < 0) {
      *bad = d;
      return -1;
    }
    row = row * (size_t)shape[d] + (size_t)i;
  }
  return (ptrdiff_t)row;
}

ptrdiff_t ck_gather_nd(
    ck_bounds bounds, size_t element_size, const void *in, size_t depth, const ptrdiff_t *shape, size_t inner,
    const int32_t *indices, size_t count, void *out) {
  if (!is_element_size(element_size)) return CK_INDICES_UNSUPPORTED;
  size_t row_bytes = inner * element_size, bad = 0;
  for (size_t j = 0; j < count; j++) {
    ptrdiff_t row = resolve_nd(bounds, indices + j * depth, depth, shape, &bad);
    if (row < 0) return (ptrdiff_t)(j * depth + bad);
    memcpy((char *)out + j * row_bytes, (const char *)in + (size_t)row * row_bytes, row_bytes);
  }
  return CK_INDICES_VALID;
}

// Scatters.

static inline float combine_f32(ck_scatter_mode mode, float old, float update) {
  switch (mode) {
    case CK_SCATTER_ADD: return old + update;
    case CK_SCATTER_SUB: return old - update;
    case CK_SCATTER_MUL: return old * update;
    case CK_SCATTER_DIV: return old / update;
    case CK_SCATTER_MAX: return update > old || update != update ? update : old;
    case CK_SCATTER_MIN: return update < old || update != update ? update : old;
    default: return update;
  }
}

static inline int32_t combine_i32(ck_scatter_mode mode, int32_t old, int32_t update) {
  switch (mode) {
    case CK_SCATTER_ADD: return (int32_t)((uint32_t)old + (uint32_t)update);
    case CK_SCATTER_SUB: return (int32_t)((uint32_t)old - (uint32_t)update);
    case CK_SCATTER_MUL: return (int32_t)((uint32_t)old * (uint32_t)update);
    case CK_SCATTER_DIV:
      if (update == 0) return 0;
      return update == -1 ? (int32_t)(0u - (uint32_t)old) : old / update;
    case CK_SCATTER_MAX: return update > old ? update : old;
    case CK_SCATTER_MIN: return update < old ? update : old;
    default: return update;
  }
}

#define CK_SCATTER(name, type)                                                                                       \
  static void scatter_row_##name(ck_scatter_mode mode, type *restrict data, const type *restrict updates, size_t n) { \
    switch (mode) {                                                                                                  \
      case CK_SCATTER_UPDATE: memcpy(data, updates, n * sizeof *data); break;                                        \
      case CK_SCATTER_ADD:                                                                                           \
        for (size_t i = 0; i < n; i++) data[i] = combine_##name(CK_SCATTER_ADD, data[i], updates[i]);                \
        break;                                                                                                       \
      default:                                                                                                       \
        for (size_t i = 0; i < n; i++) data[i] = combine_##name(mode, data[i], updates[i]);                          \
    }                                                                                                                \
  }                                                                                                                  \
  ptrdiff_t ck_scatter_##name(                                                                                       \
      ck_scatter_mode mode, ck_bounds bounds, type *data, const int32_t *indices, const type *updates, size_t outer, \
      size_t axis, size_t inner, size_t count) {                                                                     \
    for (size_t o = 0; o < outer; o++, data += axis * inner) {                                                       \
      for (size_t j = 0; j < count; j++, updates += inner) {                                                         \
        ptrdiff_t i = resolve(bounds, indices[j], axis);                                                             \
        if (i < 0) return (ptrdiff_t)j;                                                                              \
        scatter_row_##name(mode, data + (size_t)i * inner, updates, inner);                                          \
      }                                                                                                              \
    }                                                                                                                \
    return CK_INDICES_VALID;                                                                                         \
  }                                                                                                                  \
  ptrdiff_t ck_scatter_along_axis_##name(                                                                            \
      ck_scatter_mode mode, ck_bounds bounds, type *data, const int32_t *indices, const type *updates, size_t outer, \
      size_t axis, size_t inner, size_t count) {                                                                     \
    size_t at = 0;                                                                                                   \
    for (size_t o = 0; o < outer; o++, data += axis * inner) {                                                       \
      for (size_t j = 0; j < count; j++) {                                                                           \
        for (size_t k = 0; k < inner; k++, at++) {                                                                   \
          ptrdiff_t i = resolve(bounds, indices[at], axis);                                                          \
          if (i < 0) return (ptrdiff_t)at;                                                                           \
          type *p = data + (size_t)i * inner + k;                                                                    \
          *p = combine_##name(mode, *p, updates[at]);                                                                \
        }                                                                                                            \
      }                                                                                                              \
    }                                                                                                                \
    return CK_INDICES_VALID;                                                                                         \
  }                                                                                                                  \
  ptrdiff_t ck_scatter_nd_##name(                                                                                    \
      ck_scatter_mode mode, ck_bounds bounds, type *data, size_t depth, const ptrdiff_t *shape, size_t inner,        \
      const int32_t *indices, size_t count, const type *updates) {                                                   \
    size_t bad = 0;                                                                                                  \
    for (size_t j = 0; j < count; j++) {                                                                             \
      ptrdiff_t row = resolve_nd(bounds, indices + j * depth, depth, shape, &bad);                                   \
      if (row < 0) return (ptrdiff_t)(j * depth + bad);                                                              \
      scatter_row_##name(mode, data + (size_t)row * inner, updates + j * inner, inner);                              \
    }                                                                                                                \
    return CK_INDICES_VALID;                                                                                         \
  }
CK_SCATTER(f32, float)
CK_SCATTER(i32, int32_t)
