// Convolution of dense images, and cumulative sums.
#include "../portable/direct.h"
#include "../portable/depthwise.h"
#include "../portable/cumsum.h"
