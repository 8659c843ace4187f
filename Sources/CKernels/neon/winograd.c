#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../portable/winograd.h"
#include "../portable/winograd_fused_filter.h"
CK_END_TARGET
#endif
