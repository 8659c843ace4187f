#define CK_TARGET_GENERIC
#include "../impl/block_move.h"
CK_END_TARGET
