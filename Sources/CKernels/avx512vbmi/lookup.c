// Lookup of packed indices.
#if defined(__x86_64__)
#define CK_TARGET_AVX512VBMI
#include "../x86/lookup.h"
CK_END_TARGET
#endif
