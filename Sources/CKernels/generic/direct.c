#define CK_TARGET_GENERIC
#include "../impl/direct.h"
CK_END_TARGET
