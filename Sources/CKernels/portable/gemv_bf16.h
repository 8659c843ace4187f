// GEMV with bf16 weights, which are converted in registers, and the conversion to bf16.
#include "gemv.h"
#include "../x86/bf16_dot.h"

void CK_FN(f32_to_bf16)(const float *in, uint16_t *out, size_t n) {
  for (size_t i = 0; i < n; i += 2 * CK_W, in += 2 * CK_W, out += 2 * CK_W) {
    size_t here = n - i < 2 * CK_W ? n - i : 2 * CK_W, low = here < CK_W ? here : CK_W;
    vf v = pairs_of(vf_load_n(in, low), here > CK_W ? vf_load_n(in + CK_W, here - CK_W) : (vf)0.0f);
    memcpy(out, &v, here * sizeof *out);
  }
}
