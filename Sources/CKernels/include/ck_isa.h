// Which instruction set the kernels use.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ck_isa {
  CK_ISA_GENERIC = 0,  // portable code, compiled for what the target's baseline has
  CK_ISA_AVX2 = 1,     // AVX2, FMA, F16C
  CK_ISA_AVX512 = 2,   // AVX-512 F, BW, DQ, VL besides
  CK_ISA_AVX512VBMI = 3,  // VBMI besides; its kernels are those of AVX-512 but for packed lookups
  CK_ISA_AVX512VNNI = 4,  // VNNI besides: products of bytes
  CK_ISA_AVX512BF16 = 5,  // BF16 besides: kernels of low precision, for who allows it
  CK_ISA_NEON = 6,        // every arm64
  CK_ISA_COUNT
} ck_isa;

/// Whether this CPU and operating system have an instruction set.
bool ck_isa_supported(ck_isa isa);

/// Whether the kernels are compiled for an instruction set: it is one of this architecture's.
bool ck_isa_built(ck_isa isa);

/// The set that the variable COREML_MAX_CPU_ISA names, by `ck_isa_name`; CK_ISA_COUNT where it is not set or names none of this architecture's.
ck_isa ck_isa_limit(void);

/// The best instruction set of this CPU (and operating system), none above `ck_isa_limit`.
ck_isa ck_isa_detected(void);

/// The instruction set in use on this thread: the detected one, found once, unless a test forced another.
ck_isa ck_isa_active(void);

/// Whether a processor of x86-64 begins two multiplications of 64 bytes in a cycle while its caches give no more than where it is one: Intel's
/// servers. What is between products then costs twice as much beside them. vendor: the twelve letters of CPUID's leaf 0; signature: EAX of leaf 1.
bool ck_multiplies_wide_twice(const char *vendor, uint32_t signature);

/// Whether a processor of x86-64 multiplies pairs of brain floating point, in vectors, at a quarter of the rate of floats' instructions, which is
/// half as many products: Sapphire and Emerald Rapids, which have matrices of them for that (measured on the latter, 1.3 and 5.5 a nanosecond).
bool ck_bf16_dot_is_slow(const char *vendor, uint32_t signature);

/// The same of this processor.
bool ck_processor_multiplies_wide_twice(void);
bool ck_processor_bf16_dot_is_slow(void);

/// A short name, such as "avx2".
const char *ck_isa_name(ck_isa isa);

/// In how many of its kernels a set that adds to another differs from it; 0 for one that stands alone.
size_t ck_isa_overrides(ck_isa isa);

/// Makes every later call of this thread use `isa`. False, and nothing changes, where this CPU lacks it. For tests only.
bool ck_force_isa_for_tests(ck_isa isa);
