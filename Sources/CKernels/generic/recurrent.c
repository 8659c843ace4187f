#define CK_TARGET_GENERIC
#include "../impl/recurrent.h"
CK_END_TARGET
