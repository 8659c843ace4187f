#define CK_TARGET_GENERIC
#include "../impl/block_few.h"
CK_END_TARGET
