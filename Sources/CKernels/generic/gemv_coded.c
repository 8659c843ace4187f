#define CK_TARGET_GENERIC
#include "../impl/gemv_coded.h"
CK_END_TARGET
