#define CK_TARGET_GENERIC
#include "../portable/cumsum.h"
CK_END_TARGET
