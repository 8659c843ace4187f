#define CK_TARGET_GENERIC
#include "../impl/gemm.h"
CK_END_TARGET
