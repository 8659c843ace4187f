#if defined(__x86_64__)
#define CK_TARGET_AVX512VNNI
#include "../impl/byte_depthwise.h"
CK_END_TARGET
#endif
