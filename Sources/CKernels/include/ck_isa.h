// Which instruction set the kernels use.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ck_isa {
  CK_ISA_GENERIC = 0,  // what the target's baseline has: SSE2 on x86-64, NEON on arm64
  CK_ISA_AVX2 = 1,     // AVX2, FMA, F16C
  CK_ISA_AVX512 = 2,   // AVX-512 F, BW, DQ, VL besides
} ck_isa;

/// The best instruction set of this CPU (and operating system), read once.
ck_isa ck_isa_detected(void);

/// The instruction set in use on this thread: the detected one unless a test forced another.
ck_isa ck_isa_active(void);

/// Makes every later call of this thread use `isa`. False, and nothing changes, where this CPU lacks it. For tests only.
bool ck_force_isa_for_tests(ck_isa isa);
