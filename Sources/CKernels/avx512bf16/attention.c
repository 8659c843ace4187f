// bf16 attention, and products of a few rows.
#if defined(__x86_64__)
#define CK_TARGET_AVX512BF16
#include "../portable/attention_bf16.h"
#include "../portable/gemv_bf16.h"
CK_END_TARGET
#endif
