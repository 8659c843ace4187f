#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../groups/reductions.h"
CK_END_TARGET
#endif
