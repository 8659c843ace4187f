#define CK_TARGET_GENERIC
#include "../groups/sequences.h"
CK_END_TARGET
