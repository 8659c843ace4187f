#define CK_TARGET_GENERIC
#include "../groups/block_conv.h"
CK_END_TARGET
