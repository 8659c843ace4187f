#define CK_TARGET_GENERIC
#include "../portable/winograd.h"
#include "../portable/winograd_fused_filter.h"
CK_END_TARGET
