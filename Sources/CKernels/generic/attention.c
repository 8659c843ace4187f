#define CK_TARGET_GENERIC
#include "../portable/attention.h"
CK_END_TARGET
