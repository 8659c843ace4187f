#define CK_TARGET_GENERIC
#include "../groups/windows.h"
CK_END_TARGET
