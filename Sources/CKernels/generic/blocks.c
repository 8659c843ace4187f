#define CK_TARGET_GENERIC
#include "../groups/blocks.h"
CK_END_TARGET
