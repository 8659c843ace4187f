#define CK_TARGET_GENERIC
#include "../portable/gemv.h"
CK_END_TARGET
