#define CK_TARGET_GENERIC
#include "../portable/recurrent.h"
CK_END_TARGET
