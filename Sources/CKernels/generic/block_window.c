#define CK_TARGET_GENERIC
#include "../impl/block_window.h"
CK_END_TARGET
