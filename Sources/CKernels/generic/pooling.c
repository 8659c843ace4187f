#define CK_TARGET_GENERIC
#include "../portable/pooling.h"
CK_END_TARGET
