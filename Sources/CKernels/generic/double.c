#define CK_TARGET_GENERIC
#include "../impl/double.h"
CK_END_TARGET
