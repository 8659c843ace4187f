// The direct convolution of NCHWc images. It takes longest to compile, so it is alone.
#include "../portable/block_conv.h"
