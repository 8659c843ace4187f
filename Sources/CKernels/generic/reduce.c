#define CK_TARGET_GENERIC
#include "../impl/reduce.h"
CK_END_TARGET
