#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../groups/prepacked.h"
CK_END_TARGET
#endif
