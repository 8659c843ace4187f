#define CK_TARGET_GENERIC
#include "../portable/measure.h"
CK_END_TARGET
