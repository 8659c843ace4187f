#define CK_TARGET_GENERIC
#include "../portable/depthwise.h"
CK_END_TARGET
