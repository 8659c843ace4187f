#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../impl/winograd.h"
#include "../impl/winograd_late.h"
CK_END_TARGET
#endif
