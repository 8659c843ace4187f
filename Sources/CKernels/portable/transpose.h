// Transposition of a plane: squares of 8 x 8 elements in registers, inside blocks that stay in L1.
#include "../vector.h"

typedef __attribute__((ext_vector_type(8))) uint8_t v8x1;
typedef __attribute__((ext_vector_type(8))) uint16_t v8x2;
typedef __attribute__((ext_vector_type(8))) uint32_t v8x4;
typedef __attribute__((ext_vector_type(8))) uint64_t v8x8;

// Three rounds that interleave row i with row i + 4 transpose a square. For vectors of one 128-bit lane.
#define CK_ZIP_ROUND(from, to)                                                                                        \
  for (int i = 0; i < 4; i++) {                                                                                       \
    to[2 * i] = __builtin_shufflevector(from[i], from[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);                              \
    to[2 * i + 1] = __builtin_shufflevector(from[i], from[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);                        \
  }
#define CK_SQUARE_ZIP(a, b) CK_ZIP_ROUND(a, b) CK_ZIP_ROUND(b, a) CK_ZIP_ROUND(a, b)

// As above for wider vectors: two rounds within 128-bit lanes of four elements, then one that swaps lanes.
#define CK_SQUARE_LANES(a, b)                                                                                         \
  for (int i = 0; i < 8; i += 2) {                                                                                    \
    b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);                                         \
    b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);                                   \
  }                                                                                                                   \
  for (int i = 0; i < 8; i += 4) {                                                                                    \
    for (int k = 0; k < 2; k++) {                                                                                     \
      a[i + 2 * k] = __builtin_shufflevector(b[i + k], b[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);                       \
      a[i + 2 * k + 1] = __builtin_shufflevector(b[i + k], b[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);                 \
    }                                                                                                                 \
  }                                                                                                                   \
  for (int i = 0; i < 4; i++) {                                                                                       \
    b[i] = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);                                         \
    b[i + 4] = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);                                   \
  }

enum { TRANSPOSE_BLOCK = 64 };

#define CK_TRANSPOSE(size, type, square)                                                                              \
  static void transpose_##size(                                                                                       \
      const type *in, ptrdiff_t si, type *out, ptrdiff_t so, size_t rows, size_t columns) {                           \
    for (size_t r0 = 0; r0 < rows; r0 += TRANSPOSE_BLOCK) {                                                           \
      size_t r1 = rows - r0 < TRANSPOSE_BLOCK ? rows : r0 + TRANSPOSE_BLOCK, r8 = r0 + ((r1 - r0) & ~(size_t)7);      \
      for (size_t c0 = 0; c0 < columns; c0 += 8) {                                                                    \
        size_t c1 = columns - c0 < 8 ? columns : c0 + 8, r = r0;                                                      \
        if (c1 - c0 == 8) {                                                                                           \
          for (; r < r8; r += 8) {                                                                                    \
            v8x##size a[8], b[8];                                                                                     \
            for (int i = 0; i < 8; i++) memcpy(&a[i], in + (ptrdiff_t)(r + (size_t)i) * si + (ptrdiff_t)c0, 8 * size); \
            square(a, b);                                                                                             \
            for (int i = 0; i < 8; i++)                                                                               \
              memcpy(out + (ptrdiff_t)(c0 + (size_t)i) * so + (ptrdiff_t)r, &b[i], 8 * size);                         \
          }                                                                                                           \
        }                                                                                                             \
        for (size_t c = c0; c < c1; c++) {                                                                            \
          for (size_t k = r; k < r1; k++)                                                                             \
            out[(ptrdiff_t)c * so + (ptrdiff_t)k] = in[(ptrdiff_t)k * si + (ptrdiff_t)c];                             \
        }                                                                                                             \
      }                                                                                                               \
    }                                                                                                                 \
  }
CK_TRANSPOSE(1, uint8_t, CK_SQUARE_ZIP)
CK_TRANSPOSE(2, uint16_t, CK_SQUARE_ZIP)
CK_TRANSPOSE(4, uint32_t, CK_SQUARE_LANES)
CK_TRANSPOSE(8, uint64_t, CK_SQUARE_LANES)

// Interleaves two to four lines element by element, and back: planes and pixels of an image, pixel shuffle. Compilers
// generate shuffle instructions if the number of lines is a constant.
#define CK_NARROW(n)                                                                                                  \
  static void interleave_##n(const uint32_t *restrict in, ptrdiff_t si, uint32_t *restrict out, size_t columns) {      \
    for (size_t c = 0; c < columns; c++) {                                                                            \
      for (ptrdiff_t r = 0; r < n; r++) out[c * n + (size_t)r] = in[r * si + (ptrdiff_t)c];                            \
    }                                                                                                                 \
  }                                                                                                                   \
  static void separate_##n(const uint32_t *restrict in, uint32_t *restrict out, ptrdiff_t so, size_t rows) {           \
    for (size_t r = 0; r < rows; r++) {                                                                               \
      for (ptrdiff_t c = 0; c < n; c++) out[c * so + (ptrdiff_t)r] = in[r * n + (size_t)c];                            \
    }                                                                                                                 \
  }
CK_NARROW(2) CK_NARROW(3) CK_NARROW(4)

static bool transpose_narrow(
    const uint32_t *in, ptrdiff_t si, uint32_t *out, ptrdiff_t so, size_t rows, size_t columns) {
  if (so == (ptrdiff_t)rows && columns >= rows) {
    switch (rows) {
      case 2: interleave_2(in, si, out, columns); return true;
      case 3: interleave_3(in, si, out, columns); return true;
      case 4: interleave_4(in, si, out, columns); return true;
    }
  }
  if (si != (ptrdiff_t)columns) return false;
  switch (columns) {
    case 2: separate_2(in, out, so, rows); return true;
    case 3: separate_3(in, out, so, rows); return true;
    case 4: separate_4(in, out, so, rows); return true;
  }
  return false;
}

void CK_FN(transpose)(
    size_t element_size, const void *in, ptrdiff_t stride_in, void *out, ptrdiff_t stride_out, size_t rows,
    size_t columns) {
  switch (element_size) {
    case 1: transpose_1(in, stride_in, out, stride_out, rows, columns); break;
    case 2: transpose_2(in, stride_in, out, stride_out, rows, columns); break;
    case 4:
      if (!transpose_narrow(in, stride_in, out, stride_out, rows, columns)) {
        transpose_4(in, stride_in, out, stride_out, rows, columns);
      }
      break;
    default: transpose_8(in, stride_in, out, stride_out, rows, columns); break;
  }
}
