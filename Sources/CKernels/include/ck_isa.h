// Selection of the instruction set that the kernels use.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ck_isa {
  CK_ISA_GENERIC = 0,  // portable code, compiled for the target's baseline
  CK_ISA_AVX2 = 1,     // AVX2, FMA, F16C
  CK_ISA_AVX512 = 2,   // AVX-512 F, BW, DQ, VL
  CK_ISA_AVX512VBMI = 3,  // plus VBMI; its kernels are those of AVX-512, except packed lookups
  CK_ISA_AVX512VNNI = 4,  // plus VNNI: int8 dot products
  CK_ISA_AVX512BF16 = 5,  // plus BF16: low-precision kernels, for callers that allow them
  CK_ISA_NEON = 6,        // every arm64
  CK_ISA_NEON_DOTPROD = 7,  // plus int8 dot products (FEAT_DotProd)
  CK_ISA_NEON_BF16 = 8,     // plus bf16 dot products (FEAT_BF16)
  CK_ISA_COUNT
} ck_isa;

/// Whether this CPU and operating system support an instruction set.
bool ck_isa_supported(ck_isa isa);

/// Whether this architecture has an instruction set, and the set has kernels of its own. Other sets are never in use.
bool ck_isa_built(ck_isa isa);

/// The instruction set that the environment variable COREML_MAX_CPU_ISA names, by `ck_isa_name`. CK_ISA_COUNT if the
/// variable is not set or names none that is built.
ck_isa ck_isa_limit(void);

/// The best instruction set that is built and that this CPU and operating system support, at most `ck_isa_limit`.
ck_isa ck_isa_detected(void);

/// The instruction set in use on this thread: the detected one, found once, unless a test forced another.
ck_isa ck_isa_active(void);

/// Whether an x86-64 processor starts two 64-byte multiplications per cycle without more cache bandwidth than a
/// processor that starts one. These are Intel's servers. Work between the multiplications costs twice as much there,
/// relative to the multiplications.
/// - vendor: the twelve letters of CPUID leaf 0
/// - signature: EAX of CPUID leaf 1
bool ck_multiplies_wide_twice(const char *vendor, uint32_t signature);

/// Whether an x86-64 processor runs the vector bf16 dot product at a quarter of the instruction rate of fp32 FMA. That
/// is half as many multiplications. These are Sapphire and Emerald Rapids, which have AMX for bf16. Measured on Emerald
/// Rapids: 1.3 instructions per ns, against 5.5 for fp32 FMA.
bool ck_bf16_dot_is_slow(const char *vendor, uint32_t signature);

/// As above, for this processor.
bool ck_processor_multiplies_wide_twice(void);
bool ck_processor_bf16_dot_is_slow(void);

/// A short name, such as "avx2".
const char *ck_isa_name(ck_isa isa);

/// The number of kernels in which an instruction set that extends another one differs from it. 0 for a set that extends
/// none.
size_t ck_isa_overrides(ck_isa isa);

/// Makes every later call of this thread use `isa`. Returns false and changes nothing if it is not built or this CPU
/// lacks it. For tests only.
bool ck_force_isa_for_tests(ck_isa isa);
