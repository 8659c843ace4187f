#define CK_TARGET_GENERIC
#include "../impl/winograd.h"
CK_END_TARGET
