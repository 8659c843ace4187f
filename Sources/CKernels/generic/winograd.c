#define CK_TARGET_GENERIC
#include "../impl/winograd.h"
#include "../impl/winograd_late.h"
CK_END_TARGET
