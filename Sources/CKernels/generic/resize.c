#define CK_TARGET_GENERIC
#include "../impl/resize.h"
CK_END_TARGET
