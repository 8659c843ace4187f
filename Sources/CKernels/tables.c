// The kernel table of each instruction set.
#include "sets.h"
#include "table.h"

#define CK_ROW_ENTRY(set, type, field, array) .field = ck_##array##_##set,
#define CK_ENTRY(set, name) .name = ck_##name##_##set,
#define CK_BASE_ENTRIES(set) CK_ROW_FUNCTIONS(CK_ROW_ENTRY, set) CK_KERNELS_base(CK_ENTRY, set)

// A base set has every kernel of `base`. A set that extends another one has that set's entries, overridden by its own.
#define CK_ENTRIES_generic CK_BASE_ENTRIES(generic)
#define CK_ENTRIES_avx2 CK_BASE_ENTRIES(avx2)
#define CK_ENTRIES_avx512 CK_BASE_ENTRIES(avx512)
#define CK_ENTRIES_avx512vbmi CK_ENTRIES_avx512 CK_KERNELS_avx512vbmi(CK_ENTRY, avx512vbmi)
#define CK_ENTRIES_avx512vnni CK_ENTRIES_avx512vbmi CK_KERNELS_avx512vnni(CK_ENTRY, avx512vnni)
#define CK_ENTRIES_avx512bf16 CK_ENTRIES_avx512vnni CK_KERNELS_avx512bf16(CK_ENTRY, avx512bf16)
#define CK_ENTRIES_neon CK_BASE_ENTRIES(neon)
#define CK_ENTRIES_neon_dotprod CK_ENTRIES_neon CK_KERNELS_neon_dotprod(CK_ENTRY, neon_dotprod)
#define CK_ENTRIES_neon_bf16 CK_ENTRIES_neon_dotprod CK_KERNELS_neon_bf16(CK_ENTRY, neon_bf16)

// An override is a second initializer of a field: the later one wins.
#pragma clang diagnostic ignored "-Winitializer-overrides"

#define CK_DECLARE_ROWS(set, type, field, array) extern const type ck_##array##_##set[];
#define CK_DECLARE(set, name) extern __typeof__(ck_##name) ck_##name##_##set;
#define CK_TABLE(set, isa, base)                                                                                      \
  CK_ROW_FUNCTIONS(CK_DECLARE_ROWS, set)                                                                              \
  CK_KERNELS_##set(CK_DECLARE, set)                                                                                   \
  static const struct ck_table set = {CK_ENTRIES_##set};

// The number of kernels that have a body for a set.
#define CK_PLUS_ONE(set, name) +1
#define CK_TIER(set, isa, base) [isa] = {isa, #set, CK_HAS_OWN(set) ? &set : NULL, CK_HAS_OWN(set) ? &base : NULL},
#define CK_HAS_OWN(set) ((0 CK_KERNELS_##set(CK_PLUS_ONE, set)) > 0)
#define CK_NO_TIER(set, isa, base) [isa] = {isa, #set, NULL, NULL},

CK_SETS_GENERIC(CK_TABLE)
#if defined(__x86_64__)
CK_SETS_X86(CK_TABLE)
#define CK_X86_TIER CK_TIER
#else
#define CK_X86_TIER CK_NO_TIER
#endif
#if defined(__aarch64__)
CK_SETS_ARM(CK_TABLE)
#define CK_ARM_TIER CK_TIER
#else
#define CK_ARM_TIER CK_NO_TIER
#endif

const struct ck_tier ck_tiers[CK_ISA_COUNT] = {
    CK_SETS_GENERIC(CK_TIER) CK_SETS_X86(CK_X86_TIER) CK_SETS_ARM(CK_ARM_TIER)};
