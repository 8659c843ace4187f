#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../groups/sequences.h"
CK_END_TARGET
#endif
