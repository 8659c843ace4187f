#define CK_TARGET_GENERIC
#include "../impl/rows.h"
#include "../impl/rows_half.h"
CK_END_TARGET
