// A kernel of neon_bf16, as that of neon_dotprod.c.
#if defined(__aarch64__)
#include "lists.h"
#define CK_TARGET_NEON_BF16
#include "../../../Sources/CKernels/vector.h"

/// out[0] = in[0] in[0] + in[1] in[1], of elements that are exact in bf16.
void CK_FN(measure_read_f32)(const float *in, size_t n, float *out) {
  (void)n;
  bfloat16x8_t x = vcvtq_low_bf16_f32(vf_load(in));
  out[0] = vgetq_lane_f32(vbfdotq_f32(vdupq_n_f32(0), x, x), 0);
}
CK_END_TARGET
#endif
