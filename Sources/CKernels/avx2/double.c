#if defined(__x86_64__)
#define CK_TARGET_AVX2
#include "../portable/double.h"
CK_END_TARGET
#endif
