// The table of one instruction set.
#include "../vector.h"

extern const ck_unary_row CK_FN(unary_rows_f32)[];
extern const ck_row2 CK_FN(binary_rows_f32)[], CK_FN(binary_rows_i32)[];
extern const ck_row2 CK_FN(compare_rows_f32)[], CK_FN(compare_rows_i32)[];
void CK_FN(transpose)(size_t, const void *, ptrdiff_t, void *, ptrdiff_t, size_t, size_t);

#define CK_DECLARE(name) extern __typeof__(ck_##name) CK_FN(name);
CK_TABLE_FUNCTIONS(CK_DECLARE)

#define CK_ENTRY(name) .name = CK_FN(name),
const struct ck_table CK_FN(table) = {
    .unary_f32 = CK_FN(unary_rows_f32),
    .binary_f32 = CK_FN(binary_rows_f32),
    .binary_i32 = CK_FN(binary_rows_i32),
    .compare_f32 = CK_FN(compare_rows_f32),
    .compare_i32 = CK_FN(compare_rows_i32),
    .transpose = CK_FN(transpose),
    CK_TABLE_FUNCTIONS(CK_ENTRY)};
