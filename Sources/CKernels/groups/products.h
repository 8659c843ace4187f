// GEMM with packed operands, and products of a few rows with weights as they are stored.
#include "../portable/gemm.h"
#include "../portable/gemv.h"
#include "../portable/gemv_quantized.h"
