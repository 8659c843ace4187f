#if defined(__x86_64__)
#define CK_TARGET_AVX512VNNI
#include "../window.h"

#include "../x86/int8_elements.h"
CK_END_TARGET
#endif
