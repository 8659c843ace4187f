#define CK_TARGET_GENERIC
#include "../groups/elements.h"
CK_END_TARGET
