#define CK_TARGET_GENERIC
#include "../impl/transpose.h"
CK_END_TARGET
