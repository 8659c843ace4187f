#define CK_TARGET_GENERIC
#include "../impl/trees.h"
CK_END_TARGET
