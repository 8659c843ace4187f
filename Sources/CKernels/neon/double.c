#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../portable/double.h"
CK_END_TARGET
#endif
