#define CK_TARGET_GENERIC
#include "../impl/unary.h"
CK_END_TARGET
