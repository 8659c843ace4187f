#if defined(__x86_64__)
#define CK_TARGET_AVX512
#include "../portable/reduce.h"
CK_END_TARGET
#endif
