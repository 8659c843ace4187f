#define CK_TARGET_GENERIC
#include "../portable/binary.h"
CK_END_TARGET
