#define CK_TARGET_GENERIC
#include "../portable/gemm.h"
CK_END_TARGET
