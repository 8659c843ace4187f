#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../portable/resize.h"
CK_END_TARGET
#endif
