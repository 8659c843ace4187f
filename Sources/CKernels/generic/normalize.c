#define CK_TARGET_GENERIC
#include "../impl/normalize.h"
CK_END_TARGET
