#if defined(__x86_64__)
#define CK_TARGET_AVX512BF16
#include "../impl/gemv_brain.h"
CK_END_TARGET
#endif
