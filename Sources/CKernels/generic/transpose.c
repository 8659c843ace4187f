#define CK_TARGET_GENERIC
#include "../portable/transpose.h"
CK_END_TARGET
