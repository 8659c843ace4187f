#define CK_TARGET_GENERIC
#include "../portable/normalize.h"
CK_END_TARGET
