// The kernel table: function pointers of the kernels that exist once per instruction set. tables.c fills one table per
// set, features.c chooses one, and Generated/dispatch.c calls through it.
#pragma once
#include "CKernels.h"
#include "Generated/kernels.h"

/// Processes n elements of a row. Strides are 0 (one value repeated) or 1.
typedef void (*ck_row2)(const void *a, size_t stride_a, const void *b, size_t stride_b, void *out, size_t n);

typedef void (*ck_unary_row)(float alpha, float beta, const float *in, float *out, size_t n);

/// Arrays of row functions, one for each operation of an enumeration: F(set, type, field, array). The drivers of
/// elementwise.c call them.
#define CK_ROW_FUNCTIONS(F, set)                                                                                      \
  F(set, ck_unary_row, unary_f32, unary_rows_f32)                                                                     \
  F(set, ck_row2, binary_f32, binary_rows_f32)                                                                        \
  F(set, ck_row2, binary_i32, binary_rows_i32)                                                                        \
  F(set, ck_row2, compare_f32, compare_rows_f32)                                                                      \
  F(set, ck_row2, compare_i32, compare_rows_i32)

/// out[c * stride_out + r] = in[r * stride_in + c] for `rows` r and `columns` c; strides in elements.
CK_KERNEL(base) void ck_transpose(
    size_t element_size, const void *in, ptrdiff_t stride_in, void *out, ptrdiff_t stride_out, size_t rows,
    size_t columns);

/// A kernel without a body for a set is NULL.
struct ck_table {
#define CK_ROW_FIELD(set, type, field, array) const type *field;
  CK_ROW_FUNCTIONS(CK_ROW_FIELD, )
#undef CK_ROW_FIELD
#define CK_FIELD(set, name) __typeof__(ck_##name) *name;
  CK_KERNELS(CK_FIELD, )
#undef CK_FIELD
};

/// One instruction set's table, and that of its base set. Both are NULL if the set belongs to another architecture or
/// has no kernel of its own.
struct ck_tier {
  ck_isa isa;
  const char *name;
  const struct ck_table *table, *base;
};

/// Indexed by ck_isa.
extern const struct ck_tier ck_tiers[CK_ISA_COUNT];

/// The active table.
const struct ck_table *ck_table(void);
