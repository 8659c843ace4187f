// int8 products, elementwise functions, pooling and trees.
#if defined(__x86_64__)
#define CK_TARGET_AVX512VNNI
#include "../portable/gemm_int8.h"
#include "../x86/int8_elements.h"
#include "../x86/trees_uint8.h"
CK_END_TARGET
#endif
