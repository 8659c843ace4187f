#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../impl/rows.h"
CK_END_TARGET
#endif
