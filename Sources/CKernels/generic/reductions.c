#define CK_TARGET_GENERIC
#include "../groups/reductions.h"
CK_END_TARGET
