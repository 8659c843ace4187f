#if defined(__x86_64__)
#define CK_TARGET_AVX512VBMI
#include "../impl/gemv_coded.h"
CK_END_TARGET
#endif
