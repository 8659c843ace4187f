#define CK_TARGET_GENERIC
#include "../portable/block_small_output.h"
CK_END_TARGET
