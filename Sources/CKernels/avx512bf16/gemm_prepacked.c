#if defined(__x86_64__)
#define CK_TARGET_AVX512BF16
#include "../portable/gemm_bf16.h"
CK_END_TARGET
#endif
