#define CK_TARGET_GENERIC
#include "../portable/reduce.h"
CK_END_TARGET
