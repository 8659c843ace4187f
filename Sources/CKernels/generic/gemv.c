#define CK_TARGET_GENERIC
#include "../impl/gemv.h"
CK_END_TARGET
