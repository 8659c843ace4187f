#define CK_TARGET_GENERIC
#include "../groups/prepacked.h"
CK_END_TARGET
