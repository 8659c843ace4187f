// The list of kernels, as if neon_dotprod and neon_bf16 had one kernel each. Included before any other header.
#pragma once
#include "../../../Sources/CKernels/Generated/kernels.h"

#undef CK_KERNELS_neon_dotprod
#define CK_KERNELS_neon_dotprod(F, set) F(set, measure_fma_f32)
#undef CK_KERNELS_neon_bf16
#define CK_KERNELS_neon_bf16(F, set) F(set, measure_read_f32)
