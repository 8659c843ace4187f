#define CK_TARGET_GENERIC
#include "../portable/block_conv.h"
CK_END_TARGET
