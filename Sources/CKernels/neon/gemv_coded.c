#if defined(__aarch64__)
#define CK_TARGET_NEON
#include "../impl/gemv_coded.h"
CK_END_TARGET
#endif
