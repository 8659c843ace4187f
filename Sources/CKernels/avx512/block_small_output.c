#if defined(__x86_64__)
#define CK_TARGET_AVX512
#include "../portable/block_small_output.h"
CK_END_TARGET
#endif
