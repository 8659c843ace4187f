#define CK_TARGET_GENERIC
#include "../impl/depthwise.h"
CK_END_TARGET
