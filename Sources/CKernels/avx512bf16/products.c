// bf16 convolution and products.
#if defined(__x86_64__)
#define CK_TARGET_AVX512BF16
#include "../portable/block_conv.h"
#include "../portable/gemm_bf16.h"
CK_END_TARGET
#endif
