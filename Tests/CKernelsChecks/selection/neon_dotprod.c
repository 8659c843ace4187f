// A kernel of neon_dotprod. Its result comes from an instruction of the set, and the compiler's flags do not allow that
// instruction elsewhere.
#if defined(__aarch64__)
#include "lists.h"
#define CK_TARGET_NEON_DOTPROD
#include "../../../Sources/CKernels/vector.h"

/// 4 * 3 * rounds for `rounds` below 128.
double CK_FN(measure_fma_f32)(size_t rounds, float *out) {
  int32x4_t sum = vdotq_s32(vdupq_n_s32(0), vdupq_n_s8((int8_t)rounds), vdupq_n_s8(3));
  return out[0] = (float)vgetq_lane_s32(sum, 0);
}
CK_END_TARGET
#endif
