// Peak rates of a core, the baseline for kernels: fused multiply-adds in registers, and memory reads.
#include "../vector.h"

/// Independent accumulators: enough to cover the latency of all FMA units, few enough to stay in registers.
#if defined(CK_TARGET_NEON)
#define CHAINS 24
#else
#define CHAINS 12
#endif

double CK_FN(measure_fma_f32)(size_t rounds, float *out) {
  vf sums[CHAINS];
  for (int i = 0; i < CHAINS; i++) sums[i] = (vf)(float)i;
  // Accumulators converge to about 1,000. Near zero they would become subnormal, which some processors multiply a
  // hundred times more slowly.
  const vf factor = (vf)0.999f, addend = (vf)(1.0f + out[0]);
  for (size_t round = 0; round < rounds; round++) {
#pragma clang loop unroll(full)
    for (int i = 0; i < CHAINS; i++) sums[i] = vf_fma(sums[i], factor, addend);
  }
  vf sum = sums[0];
  for (int i = 1; i < CHAINS; i++) sum += sums[i];
  vf_store(out, sum);
  return 2.0 * CHAINS * CK_W * (double)rounds;
}

void CK_FN(measure_read_f32)(const float *in, size_t n, float *out) {
  vf sums[8];
  for (int i = 0; i < 8; i++) sums[i] = (vf)0.0f;
  for (size_t x = 0; x + 8 * CK_W <= n; x += 8 * CK_W) {
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; i++) sums[i] += vf_load(in + x + i * CK_W);
  }
  vf sum = sums[0];
  for (int i = 1; i < 8; i++) sum += sums[i];
  vf_store(out, sum);
}
#undef CHAINS
