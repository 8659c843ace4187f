#if defined(__x86_64__)
#define CK_TARGET_AVX512
#include "../groups/reductions.h"
CK_END_TARGET
#endif
