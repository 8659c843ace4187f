// Drivers of elementwise operations: they iterate over rows and call the row functions of the active instruction set.
#include <string.h>

#include "dims.h"
#include "table.h"

void ck_unary_f32(ck_unary_op op, float alpha, float beta, const float *in, float *out, size_t n) {
  ck_table()->unary_f32[op](alpha, beta, in, out, n);
}

void ck_unary_per_channel_f32(
    ck_unary_op op, const float *alpha, const float *beta, const float *in, float *out, size_t outer, size_t channels,
    size_t inner) {
  ck_unary_row row = ck_table()->unary_f32[op];
  for (size_t o = 0; o < outer; o++) {
    for (size_t c = 0; c < channels; c++, in += inner, out += inner) {
      row(alpha[c], beta == NULL ? 0.0f : beta[c], in, out, inner);
    }
  }
}

bool ck_unary_i32(ck_unary_op op, int32_t alpha, int32_t beta, const int32_t *in, int32_t *out, size_t n) {
#define CK_EACH(expression)                        \
  for (size_t i = 0; i < n; i++) {                 \
    int32_t x = in[i];                             \
    uint32_t u = (uint32_t)x;                      \
    (void)u;                                       \
    out[i] = (int32_t)(expression);                \
  }                                                \
  return true
  switch (op) {
    case CK_UNARY_IDENTITY: CK_EACH(x);
    case CK_UNARY_ABS: CK_EACH(x < 0 ? 0u - u : u);
    case CK_UNARY_NEG: CK_EACH(0u - u);
    case CK_UNARY_SIGN: CK_EACH((x > 0) - (x < 0));
    case CK_UNARY_SQUARE: CK_EACH(u * u);
    case CK_UNARY_LINEAR: CK_EACH(u * (uint32_t)alpha + (uint32_t)beta);
    case CK_UNARY_CLIP: CK_EACH(x < alpha ? (alpha > beta ? beta : alpha) : (x > beta ? beta : x));
    case CK_UNARY_THRESHOLD: CK_EACH(x < alpha ? alpha : x);
    case CK_UNARY_RELU: CK_EACH(x < 0 ? 0 : x);
    default: return false;
  }
#undef CK_EACH
}

enum { BLOCK = 256 };

/// Gathers n strided elements of 1 or 4 bytes into a contiguous buffer.
static void pack(const char *in, ptrdiff_t stride, size_t size, char *out, size_t n) {
  if (size == 4) {
    for (size_t i = 0; i < n; i++) memcpy(out + 4 * i, in + (ptrdiff_t)i * stride * 4, 4);
  } else {
    for (size_t i = 0; i < n; i++) out[i] = in[(ptrdiff_t)i * stride];
  }
}

static void run_rows(
    ck_row2 row, size_t in_size, size_t out_size, const struct ck_dims *dims, const char *a, const char *b, char *out) {
  size_t n = (size_t)dims->shape[dims->rank - 1];
  ptrdiff_t sa = dims->stride[0][dims->rank - 1], sb = dims->stride[1][dims->rank - 1];
  bool plain = (sa == 0 || sa == 1) && (sb == 0 || sb == 1);
  ptrdiff_t index[CK_MAX_RANK] = {0}, offset[2] = {0, 0};
  do {
    const char *pa = a + offset[0] * (ptrdiff_t)in_size, *pb = b + offset[1] * (ptrdiff_t)in_size;
    if (plain) {
      row(pa, (size_t)sa, pb, (size_t)sb, out, n);
      out += n * out_size;
      continue;
    }
    char block_a[BLOCK * 4], block_b[BLOCK * 4];
    for (size_t i = 0; i < n; i += BLOCK) {
      size_t m = n - i < BLOCK ? n - i : BLOCK;
      if (sa != 0) pack(pa + (ptrdiff_t)i * sa * (ptrdiff_t)in_size, sa, in_size, block_a, m);
      if (sb != 0) pack(pb + (ptrdiff_t)i * sb * (ptrdiff_t)in_size, sb, in_size, block_b, m);
      row(sa == 0 ? pa : block_a, sa != 0, sb == 0 ? pb : block_b, sb != 0, out, m);
      out += m * out_size;
    }
  } while (ck_dims_next(dims, 1, 2, index, offset));
}

static bool run(
    ck_row2 row, size_t in_size, size_t out_size, const void *a, const void *b, void *out, size_t rank,
    const ptrdiff_t *shape, const ptrdiff_t *strides_a, const ptrdiff_t *strides_b) {
  if (rank > CK_MAX_RANK) return false;
  struct ck_dims dims;
  const ptrdiff_t *strides[2] = {strides_a, strides_b};
  if (ck_dims_make(&dims, rank, shape, 2, strides)) run_rows(row, in_size, out_size, &dims, a, b, out);
  return true;
}

bool ck_binary_f32(
    ck_binary_op op, const float *a, const float *b, float *out, size_t rank, const ptrdiff_t *shape,
    const ptrdiff_t *strides_a, const ptrdiff_t *strides_b) {
  return run(ck_table()->binary_f32[op], 4, 4, a, b, out, rank, shape, strides_a, strides_b);
}

bool ck_binary_i32(
    ck_binary_op op, const int32_t *a, const int32_t *b, int32_t *out, size_t rank, const ptrdiff_t *shape,
    const ptrdiff_t *strides_a, const ptrdiff_t *strides_b) {
  return run(ck_table()->binary_i32[op], 4, 4, a, b, out, rank, shape, strides_a, strides_b);
}

bool ck_compare_f32(
    ck_compare_op op, const float *a, const float *b, uint8_t *out, size_t rank, const ptrdiff_t *shape,
    const ptrdiff_t *strides_a, const ptrdiff_t *strides_b) {
  return run(ck_table()->compare_f32[op], 4, 1, a, b, out, rank, shape, strides_a, strides_b);
}

bool ck_compare_i32(
    ck_compare_op op, const int32_t *a, const int32_t *b, uint8_t *out, size_t rank, const ptrdiff_t *shape,
    const ptrdiff_t *strides_a, const ptrdiff_t *strides_b) {
  return run(ck_table()->compare_i32[op], 4, 1, a, b, out, rank, shape, strides_a, strides_b);
}

#define CK_LOGICAL_ROW(name, expression)                                                                             \
  static void row_##name(const void *pa, size_t sa, const void *pb, size_t sb, void *po, size_t n) {                 \
    const uint8_t *a = pa, *b = pb;                                                                                  \
    uint8_t *out = po;                                                                                               \
    for (size_t i = 0; i < n; i++) {                                                                                 \
      bool x = a[i * sa] != 0, y = b[i * sb] != 0;                                                                   \
      out[i] = (uint8_t)(expression);                                                                                \
    }                                                                                                                \
  }
CK_LOGICAL_ROW(and, x & y)
CK_LOGICAL_ROW(or, x | y)
CK_LOGICAL_ROW(xor, x ^ y)

bool ck_logical_u8(
    ck_logical_op op, const uint8_t *a, const uint8_t *b, uint8_t *out, size_t rank, const ptrdiff_t *shape,
    const ptrdiff_t *strides_a, const ptrdiff_t *strides_b) {
  static const ck_row2 rows[CK_LOGICAL_COUNT] = {row_and, row_or, row_xor};
  return run(rows[op], 1, 1, a, b, out, rank, shape, strides_a, strides_b);
}

void ck_logical_not_u8(const uint8_t *in, uint8_t *out, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = in[i] == 0;
}

// Blocks are assembled in a temporary, because `out` may alias an operand and a loop that stores to it would not
// vectorize. Bit masks serve vectorization too: a load that depends on the condition is a branch.
#define CK_SELECT_LOOP(type, x_at, y_at)                                                                             \
  size_t i = 0;                                                                                                      \
  for (; i + 32 <= n; i += 32) {                                                                                     \
    type block[32];                                                                                                  \
    for (size_t j = 0; j < 32; j++) {                                                                                \
      type x = x_at(i + j), y = y_at(i + j), mask = (type)(0 - (type)(c[i + j] != 0));                               \
      block[j] = (type)((x & mask) | (y & (type)~mask));                                                             \
    }                                                                                                                \
    memcpy(out + i, block, sizeof block);                                                                            \
  }                                                                                                                  \
  for (; i < n; i++) out[i] = c[i] ? x_at(i) : y_at(i);
#define CK_EACH_A(i) a[i]
#define CK_EACH_B(i) b[i]
#define CK_ONE_A(i) one
#define CK_ONE_B(i) one
#define CK_SELECT(type)                                                                                              \
  static void select_##type(                                                                                         \
      const uint8_t *c, ptrdiff_t sc, const type *a, ptrdiff_t sa, const type *b, ptrdiff_t sb, type *out, size_t n) { \
    if (sc == 1 && sa == 1 && sb == 1) {                                                                             \
      CK_SELECT_LOOP(type, CK_EACH_A, CK_EACH_B)                                                                     \
    } else if (sc == 1 && sa == 1 && sb == 0) {                                                                      \
      type one = *b;                                                                                                 \
      CK_SELECT_LOOP(type, CK_EACH_A, CK_ONE_B)                                                                      \
    } else if (sc == 1 && sa == 0 && sb == 1) {                                                                      \
      type one = *a;                                                                                                 \
      CK_SELECT_LOOP(type, CK_ONE_A, CK_EACH_B)                                                                      \
    } else {                                                                                                         \
      for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++) out[i] = c[i * sc] ? a[i * sa] : b[i * sb];                       \
    }                                                                                                                \
  }
CK_SELECT(uint8_t)
CK_SELECT(uint16_t)
CK_SELECT(uint32_t)
CK_SELECT(uint64_t)
#undef CK_SELECT
#undef CK_SELECT_LOOP
#undef CK_EACH_A
#undef CK_EACH_B
#undef CK_ONE_A
#undef CK_ONE_B

bool ck_select(
    size_t element_size, const uint8_t *condition, const void *a, const void *b, void *out, size_t rank,
    const ptrdiff_t *shape, const ptrdiff_t *strides_condition, const ptrdiff_t *strides_a,
    const ptrdiff_t *strides_b) {
  if (rank > CK_MAX_RANK) return false;
  if (element_size != 1 && element_size != 2 && element_size != 4 && element_size != 8) return false;
  struct ck_dims dims;
  const ptrdiff_t *strides[3] = {strides_condition, strides_a, strides_b};
  if (!ck_dims_make(&dims, rank, shape, 3, strides)) return true;
  size_t last = dims.rank - 1, n = (size_t)dims.shape[last], written = 0;
  ptrdiff_t sc = dims.stride[0][last], sa = dims.stride[1][last], sb = dims.stride[2][last];
  ptrdiff_t index[CK_MAX_RANK] = {0}, offset[3] = {0, 0, 0};
#define CK_SELECT_CASE(type)                                                                                         \
  select_##type(                                                                                                     \
      condition + offset[0], sc, (const type *)a + offset[1], sa, (const type *)b + offset[2], sb,                   \
      (type *)out + written, n)
  do {
    switch (element_size) {
      case 1: CK_SELECT_CASE(uint8_t); break;
      case 2: CK_SELECT_CASE(uint16_t); break;
      case 4: CK_SELECT_CASE(uint32_t); break;
      default: CK_SELECT_CASE(uint64_t); break;
    }
    written += n;
  } while (ck_dims_next(&dims, 1, 3, index, offset));
#undef CK_SELECT_CASE
  return true;
}
