#define CK_TARGET_GENERIC
#include "../impl/cumsum.h"
CK_END_TARGET
