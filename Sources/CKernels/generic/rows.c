#define CK_TARGET_GENERIC
#include "../impl/rows.h"
CK_END_TARGET
