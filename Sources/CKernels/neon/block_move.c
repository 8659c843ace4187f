#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../portable/block_move.h"
CK_END_TARGET
#endif
