#if defined(__x86_64__)
#define CK_TARGET_AVX2
#include "../portable/block_channels.h"
CK_END_TARGET
#endif
