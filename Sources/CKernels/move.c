// Strided copies and padding.
#include <string.h>

#include "dims.h"
#include "table.h"

static bool is_element_size(size_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

/// Copies rows x columns elements with arbitrary strides.
#define CK_COPY_PLANE(type)                                                                                          \
  static void copy_plane_##type(                                                                                     \
      const type *in, ptrdiff_t si1, ptrdiff_t si0, type *out, ptrdiff_t so1, ptrdiff_t so0, ptrdiff_t rows,         \
      ptrdiff_t columns) {                                                                                           \
    for (ptrdiff_t r = 0; r < rows; r++, in += si1, out += so1) {                                                    \
      if (so0 == 1 && si0 == 1) {                                                                                    \
        if (columns * (ptrdiff_t)sizeof(type) >= 64) {                                                               \
          memcpy(out, in, (size_t)columns * sizeof(type));                                                           \
        } else {                                                                                                     \
          _Pragma("clang loop vectorize(disable) unroll(disable)") for (ptrdiff_t c = 0; c < columns; c++) out[c] =  \
              in[c];                                                                                                 \
        }                                                                                                            \
      } else if (so0 == 1 && si0 == 0) {                                                                             \
        type value = *in;                                                                                            \
        for (ptrdiff_t c = 0; c < columns; c++) out[c] = value;                                                      \
      } else if (so0 == 1 && si0 == -1) {                                                                            \
        for (ptrdiff_t c = 0; c < columns; c++) out[c] = in[-c];                                                     \
      } else if (so0 == 1 && si0 == 2) {                                                                             \
        for (ptrdiff_t c = 0; c < columns; c++) out[c] = in[2 * c];                                                  \
      } else {                                                                                                       \
        for (ptrdiff_t c = 0; c < columns; c++) out[c * so0] = in[c * si0];                                          \
      }                                                                                                              \
    }                                                                                                                \
  }
CK_COPY_PLANE(uint8_t)
CK_COPY_PLANE(uint16_t)
CK_COPY_PLANE(uint32_t)
CK_COPY_PLANE(uint64_t)

static ptrdiff_t magnitude(ptrdiff_t x) { return x < 0 ? -x : x; }

/// Moves axis `from` to position `to` and keeps the order of the others.
static void move_axis(struct ck_dims *dims, size_t from, size_t to) {
  while (from != to) {
    size_t next = from < to ? from + 1 : from - 1;
    ptrdiff_t t = dims->shape[from];
    dims->shape[from] = dims->shape[next], dims->shape[next] = t;
    for (size_t k = 0; k < 2; k++) {
      t = dims->stride[k][from];
      dims->stride[k][from] = dims->stride[k][next], dims->stride[k][next] = t;
    }
    from = next;
  }
}

/// Sorts the axes by the output's strides, the smallest last, so that writes are sequential.
static bool make_ordered(
    struct ck_dims *dims, size_t rank, const ptrdiff_t *shape, const ptrdiff_t *strides_in,
    const ptrdiff_t *strides_out) {
  ptrdiff_t s[CK_MAX_RANK], in[CK_MAX_RANK], out[CK_MAX_RANK];
  for (size_t d = 0; d < rank; d++) {
    if (shape[d] <= 0) return false;
    size_t at = d;
    for (; at > 0 && magnitude(out[at - 1]) < magnitude(strides_out[d]); at--) {
      s[at] = s[at - 1], in[at] = in[at - 1], out[at] = out[at - 1];
    }
    s[at] = shape[d], in[at] = strides_in[d], out[at] = strides_out[d];
  }
  const ptrdiff_t *strides[2] = {in, out};
  return ck_dims_make(dims, rank, s, 2, strides);
}

bool ck_copy_strided(
    size_t element_size, size_t rank, const ptrdiff_t *shape, const void *in, const ptrdiff_t *strides_in, void *out,
    const ptrdiff_t *strides_out) {
  if (rank > CK_MAX_RANK || !is_element_size(element_size)) return false;
  struct ck_dims dims;
  if (!make_ordered(&dims, rank, shape, strides_in, strides_out)) return true;
  if (dims.rank == 1) {  // a plane of one row
    dims.shape[1] = dims.shape[0], dims.shape[0] = 1;
    for (size_t k = 0; k < 2; k++) dims.stride[k][1] = dims.stride[k][0], dims.stride[k][0] = 0;
    dims.rank = 2;
  }
  size_t last = dims.rank - 1;
  bool transposed = false;
  if (dims.stride[1][last] == 1 && dims.stride[0][last] != 1 && dims.stride[0][last] != 0) {
    for (size_t d = last; d-- > 0 && !transposed;) {
      if (dims.stride[0][d] != 1) continue;
      move_axis(&dims, d, last - 1);
      transposed = true;
    }
  }
  ptrdiff_t rows = dims.shape[last - 1], columns = dims.shape[last];
  ptrdiff_t si1 = dims.stride[0][last - 1], si0 = dims.stride[0][last];
  ptrdiff_t so1 = dims.stride[1][last - 1], so0 = dims.stride[1][last];
  ptrdiff_t index[CK_MAX_RANK] = {0}, offset[2] = {0, 0};
  do {
    const char *pi = (const char *)in + offset[0] * (ptrdiff_t)element_size;
    char *po = (char *)out + offset[1] * (ptrdiff_t)element_size;
    if (transposed) {
      ck_transpose(element_size, pi, si0, po, so1, (size_t)columns, (size_t)rows);
      continue;
    }
    switch (element_size) {
      case 1: copy_plane_uint8_t((const uint8_t *)pi, si1, si0, (uint8_t *)po, so1, so0, rows, columns); break;
      case 2: copy_plane_uint16_t((const uint16_t *)pi, si1, si0, (uint16_t *)po, so1, so0, rows, columns); break;
      case 4: copy_plane_uint32_t((const uint32_t *)pi, si1, si0, (uint32_t *)po, so1, so0, rows, columns); break;
      default: copy_plane_uint64_t((const uint64_t *)pi, si1, si0, (uint64_t *)po, so1, so0, rows, columns); break;
    }
  } while (ck_dims_next(&dims, 2, 2, index, offset));
  return true;
}

// Padding. Trailing axes without padding are merged into the element, which then has `unit` bytes.

static void fill(char *out, const char *value, size_t unit, size_t count) {
  if (count == 0 || unit == 0) return;
  memcpy(out, value, unit);
  for (size_t done = 1; done < count;) {  // each step doubles the filled part
    size_t n = count - done < done ? count - done : done;
    memcpy(out + done * unit, out, n * unit);
    done += n;
  }
}

/// The input index that output index i reads; -1 for the constant.
static ptrdiff_t source_index(ck_pad_mode mode, ptrdiff_t i, ptrdiff_t length) {
  if (i >= 0 && i < length) return i;
  switch (mode) {
    case CK_PAD_REFLECT: return i < 0 ? -i : 2 * (length - 1) - i;
    case CK_PAD_REPLICATE: return i < 0 ? 0 : length - 1;
    default: return -1;
  }
}

static void pad_row(
    ck_pad_mode mode, size_t unit, ptrdiff_t length, ptrdiff_t before, ptrdiff_t after, const char *value,
    const char *in, char *out) {
  for (int side = 0; side < 2; side++) {
    ptrdiff_t count = side == 0 ? before : after, first = side == 0 ? -before : length;
    char *target = out + (size_t)(side == 0 ? 0 : before + length) * unit;
    if (mode == CK_PAD_CONSTANT) {
      fill(target, value, unit, (size_t)count);
    } else {
      for (ptrdiff_t k = 0; k < count; k++) {
        memcpy(target + (size_t)k * unit, in + (size_t)source_index(mode, first + k, length) * unit, unit);
      }
    }
  }
  memcpy(out + (size_t)before * unit, in, (size_t)length * unit);
}

bool ck_pad(
    ck_pad_mode mode, size_t element_size, size_t rank, const ptrdiff_t *shape, const ptrdiff_t *before,
    const ptrdiff_t *after, const void *value, const void *in, void *out) {
  if (rank > CK_MAX_RANK || !is_element_size(element_size)) return false;
  if (mode == CK_PAD_CONSTANT && value == NULL) return false;
  for (size_t d = 0; d < rank; d++) {
    if (shape[d] < 0 || before[d] < 0 || after[d] < 0) return false;
    bool pads = before[d] > 0 || after[d] > 0;
    if (mode == CK_PAD_REFLECT && pads && (before[d] >= shape[d] || after[d] >= shape[d])) return false;
    if (mode == CK_PAD_REPLICATE && pads && shape[d] == 0) return false;
  }
  size_t unit = element_size;
  if (mode != CK_PAD_CONSTANT) {
    for (; rank > 0 && before[rank - 1] == 0 && after[rank - 1] == 0; rank--) unit *= (size_t)shape[rank - 1];
  }
  if (rank == 0) {
    memcpy(out, in, unit);
    return true;
  }
  ptrdiff_t lengths[CK_MAX_RANK], left[CK_MAX_RANK], right[CK_MAX_RANK];
  size_t r = 0;
  for (size_t d = 0; d < rank; d++) {
    // In CONSTANT mode an unpadded axis is merged into the axis before it, whose padding it multiplies.
    if (mode == CK_PAD_CONSTANT && r > 0 && before[d] == 0 && after[d] == 0) {
      lengths[r - 1] *= shape[d], left[r - 1] *= shape[d], right[r - 1] *= shape[d];
      continue;
    }
    lengths[r] = shape[d], left[r] = before[d], right[r] = after[d];
    r++;
  }
  ptrdiff_t total[CK_MAX_RANK], stride[CK_MAX_RANK], index[CK_MAX_RANK] = {0}, rows = 1;
  for (size_t d = r; d-- > 0;) {
    total[d] = left[d] + lengths[d] + right[d];
    stride[d] = d + 1 == r ? 1 : stride[d + 1] * lengths[d + 1];
    if (d + 1 < r) rows *= total[d];
  }
  size_t row_bytes = (size_t)total[r - 1] * unit;
  char *target = out;
  for (ptrdiff_t row = 0; row < rows; row++, target += row_bytes) {
    ptrdiff_t offset = 0;
    bool constant = false;
    for (size_t d = 0; d + 1 < r; d++) {
      ptrdiff_t i = source_index(mode, index[d] - left[d], lengths[d]);
      constant |= i < 0;
      offset += i * stride[d];
    }
    if (constant) {
      fill(target, value, unit, (size_t)total[r - 1]);
    } else {
      pad_row(mode, unit, lengths[r - 1], left[r - 1], right[r - 1], value, (const char *)in + offset * (ptrdiff_t)unit, target);
    }
    for (size_t d = r - 1; d-- > 0;) {
      if (++index[d] < total[d]) break;
      index[d] = 0;
    }
  }
  return true;
}
