#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../impl/block_few.h"
CK_END_TARGET
#endif
