#define CK_TARGET_GENERIC
#include "../portable/gemv_quantized.h"
CK_END_TARGET
