#if defined(__x86_64__)
#define CK_TARGET_AVX2
#include "../portable/winograd.h"
#include "../portable/winograd_fused_filter.h"
CK_END_TARGET
#endif
