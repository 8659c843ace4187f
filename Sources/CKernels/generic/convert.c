#define CK_TARGET_GENERIC
#include "../portable/convert.h"
CK_END_TARGET
