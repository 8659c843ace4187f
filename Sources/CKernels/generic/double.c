#define CK_TARGET_GENERIC
#include "../portable/double.h"
CK_END_TARGET
