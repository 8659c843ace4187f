#define CK_TARGET_GENERIC
#include "../portable/direct.h"
CK_END_TARGET
