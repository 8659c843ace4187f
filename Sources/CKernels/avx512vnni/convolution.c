// int8 convolution.
#if defined(__x86_64__)
#define CK_TARGET_AVX512VNNI
#include "../portable/block_conv.h"
#include "../x86/int8_depthwise.h"
CK_END_TARGET
#endif
