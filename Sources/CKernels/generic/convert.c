#define CK_TARGET_GENERIC
#include "../impl/convert.h"
CK_END_TARGET
