// The instruction sets, from the worst to the best of each architecture.
//
// F(name, constant, base): `constant` is the set's in ck_isa; `base` is the base set whose kernels the set starts with,
// for a base set the set itself. tables.c has what a set inherits, vector.h its vectors, features.c its detection.
//
// A set without a kernel of its own in the list (include/ck_kernel.h) is never chosen. The best other set of the
// processor is.
#pragma once

#define CK_SETS_GENERIC(F) F(generic, CK_ISA_GENERIC, generic)

#define CK_SETS_X86(F)                                                                                                \
  F(avx2, CK_ISA_AVX2, avx2)                                                                                          \
  F(avx512, CK_ISA_AVX512, avx512)                                                                                    \
  F(avx512vbmi, CK_ISA_AVX512VBMI, avx512)                                                                            \
  F(avx512vnni, CK_ISA_AVX512VNNI, avx512)                                                                            \
  F(avx512bf16, CK_ISA_AVX512BF16, avx512)

#define CK_SETS_ARM(F)                                                                                                \
  F(neon, CK_ISA_NEON, neon)                                                                                          \
  F(neon_dotprod, CK_ISA_NEON_DOTPROD, neon)                                                                          \
  F(neon_bf16, CK_ISA_NEON_BF16, neon)
