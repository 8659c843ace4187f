#define CK_TARGET_GENERIC
#include "../impl/pooling.h"
CK_END_TARGET
