#define CK_TARGET_GENERIC
#include "../portable/block_channels.h"
CK_END_TARGET
