#if defined(__x86_64__)
#define CK_TARGET_AVX512
#include "../impl/winograd.h"
#include "../impl/winograd_late.h"
CK_END_TARGET
#endif
