#define CK_TARGET_GENERIC
#include "../impl/table.h"
CK_END_TARGET
