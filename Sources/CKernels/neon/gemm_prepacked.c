#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../portable/gemm_prepacked.h"
CK_END_TARGET
#endif
