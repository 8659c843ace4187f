#if defined(__x86_64__)
#define CK_TARGET_AVX512VNNI
#include "../impl/tree_bytes.h"
CK_END_TARGET
#endif
