#define CK_TARGET_GENERIC
#include "../portable/resize.h"
CK_END_TARGET
