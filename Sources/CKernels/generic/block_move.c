#define CK_TARGET_GENERIC
#include "../portable/block_move.h"
CK_END_TARGET
