#define CK_TARGET_GENERIC
#include "../impl/binary.h"
CK_END_TARGET
