#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../portable/gemv.h"
CK_END_TARGET
#endif
