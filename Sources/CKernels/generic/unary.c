#define CK_TARGET_GENERIC
#include "../portable/unary.h"
CK_END_TARGET
