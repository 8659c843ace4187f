#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../portable/block_small_output.h"
CK_END_TARGET
#endif
