#if defined(__x86_64__)
#define CK_TARGET_AVX2
#include "../groups/products.h"
CK_END_TARGET
#endif
