#define CK_TARGET_GENERIC
#include "../groups/products.h"
CK_END_TARGET
