#define CK_TARGET_GENERIC
#include "../impl/attention.h"
CK_END_TARGET
