#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../impl/block_conv.h"
CK_END_TARGET
#endif
