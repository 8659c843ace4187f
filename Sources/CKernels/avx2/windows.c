#if defined(__x86_64__)
#define CK_TARGET_AVX2
#include "../groups/windows.h"
CK_END_TARGET
#endif
