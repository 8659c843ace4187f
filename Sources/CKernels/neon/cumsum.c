#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../impl/cumsum.h"
CK_END_TARGET
#endif
