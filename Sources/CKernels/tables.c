// The kernel table of each instruction set. A full set has every kernel compiled for it. A set that extends another one
// starts with the entries of that set and overrides some of them. Each set has its own folder.
#include "table.h"

#define CK_DECLARE(set, name) extern __typeof__(ck_##name) ck_##name##_##set;
#define CK_DECLARE_ALL(set)                                                                                           \
  extern const ck_unary_row ck_unary_rows_f32_##set[];                                                                \
  extern const ck_row2 ck_binary_rows_f32_##set[], ck_binary_rows_i32_##set[];                                        \
  extern const ck_row2 ck_compare_rows_f32_##set[], ck_compare_rows_i32_##set[];                                      \
  void ck_transpose_##set(size_t, const void *, ptrdiff_t, void *, ptrdiff_t, size_t, size_t);                        \
  CK_TABLE_FUNCTIONS(CK_DECLARE, set)

#define CK_ENTRY(set, name) .name = ck_##name##_##set,
#define CK_ENTRIES(set)                                                                                               \
  .unary_f32 = ck_unary_rows_f32_##set, .binary_f32 = ck_binary_rows_f32_##set,                                       \
  .binary_i32 = ck_binary_rows_i32_##set, .compare_f32 = ck_compare_rows_f32_##set,                                   \
  .compare_i32 = ck_compare_rows_i32_##set, .transpose = ck_transpose_##set, CK_TABLE_FUNCTIONS(CK_ENTRY, set)

CK_DECLARE_ALL(generic)
static const struct ck_table generic = {CK_ENTRIES(generic)};

#if defined(__x86_64__)
CK_DECLARE_ALL(avx2)
static const struct ck_table avx2 = {CK_ENTRIES(avx2)};

CK_DECLARE_ALL(avx512)
static const struct ck_table avx512 = {CK_ENTRIES(avx512)};

// An override is a second initializer of a field: the later one wins.
#pragma clang diagnostic ignored "-Winitializer-overrides"

CK_DECLARE(avx512vbmi, lookup_f32)
#define CK_VBMI_ENTRIES CK_ENTRIES(avx512) CK_ENTRY(avx512vbmi, lookup_f32)
static const struct ck_table avx512vbmi = {CK_VBMI_ENTRIES};

CK_INT8_FUNCTIONS(CK_DECLARE, avx512vnni)
#define CK_VNNI_ENTRIES CK_VBMI_ENTRIES CK_INT8_FUNCTIONS(CK_ENTRY, avx512vnni)
static const struct ck_table avx512vnni = {CK_VNNI_ENTRIES};

CK_LOW_PRECISION_FUNCTIONS(CK_DECLARE, avx512bf16)
static const struct ck_table avx512bf16 = {CK_VNNI_ENTRIES CK_LOW_PRECISION_FUNCTIONS(CK_ENTRY, avx512bf16)};
#endif

#if defined(__aarch64__)
CK_DECLARE_ALL(neon)
static const struct ck_table neon = {CK_ENTRIES(neon)};
#endif

const struct ck_tier ck_tiers[CK_ISA_COUNT] = {
    {CK_ISA_GENERIC, "generic", &generic, &generic},
#if defined(__x86_64__)
    {CK_ISA_AVX2, "avx2", &avx2, &avx2},
    {CK_ISA_AVX512, "avx512", &avx512, &avx512},
    {CK_ISA_AVX512VBMI, "avx512vbmi", &avx512vbmi, &avx512},
    {CK_ISA_AVX512VNNI, "avx512vnni", &avx512vnni, &avx512},
    {CK_ISA_AVX512BF16, "avx512bf16", &avx512bf16, &avx512},
#else
    {CK_ISA_AVX2, "avx2", NULL, NULL},
    {CK_ISA_AVX512, "avx512", NULL, NULL},
    {CK_ISA_AVX512VBMI, "avx512vbmi", NULL, NULL},
    {CK_ISA_AVX512VNNI, "avx512vnni", NULL, NULL},
    {CK_ISA_AVX512BF16, "avx512bf16", NULL, NULL},
#endif
#if defined(__aarch64__)
    {CK_ISA_NEON, "neon", &neon, &neon},
#else
    {CK_ISA_NEON, "neon", NULL, NULL},
#endif
};
