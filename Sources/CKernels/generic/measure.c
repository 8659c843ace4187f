#define CK_TARGET_GENERIC
#include "../impl/measure.h"
CK_END_TARGET
