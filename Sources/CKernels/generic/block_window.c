#define CK_TARGET_GENERIC
#include "../portable/block_window.h"
CK_END_TARGET
