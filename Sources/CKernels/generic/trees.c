#define CK_TARGET_GENERIC
#include "../portable/trees.h"
CK_END_TARGET
