#define CK_TARGET_GENERIC
#include "../impl/block_conv.h"
CK_END_TARGET
