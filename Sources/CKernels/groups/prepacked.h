// Products and Winograd convolutions with prepacked weights, on the register tiles of NCHWc convolution.
#include "../portable/gemm_prepacked.h"
#include "../portable/winograd.h"
#include "../portable/winograd_fused_filter.h"
