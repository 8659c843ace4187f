#if defined(__x86_64__)
#define CK_TARGET_AVX512VNNI
#include "../portable/gemm_int8.h"
CK_END_TARGET
#endif
