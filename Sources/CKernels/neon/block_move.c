#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../impl/block_move.h"
CK_END_TARGET
#endif
