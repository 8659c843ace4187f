#define CK_TARGET_GENERIC
#include "../portable/gemm_prepacked.h"
CK_END_TARGET
