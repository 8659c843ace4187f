#define CK_TARGET_GENERIC
#include "../impl/block_channels.h"
CK_END_TARGET
