// Checks which instruction set is chosen on 64-bit Arm if every set has kernels (lists.h). tools/check-arm links it in
// place of tables.c and features.c, which it includes, and runs it on emulated processors.
// usage: selection SET     the set to be chosen on this processor; exits with 1 if another is
#if defined(__aarch64__)
#include <stdio.h>

#include "lists.h"

#include "../../../Sources/CKernels/tables.c"

#include "../../../Sources/CKernels/features.c"

static int failures;

static void expect(bool holds, const char *what) {
  if (holds) return;
  failures++;
  printf("selection: expected that %s; the set in use is %s\n", what, ck_isa_name(ck_isa_active()));
}

int main(int count, char **words) {
  ck_isa best = CK_ISA_NEON;
  while (best < CK_ISA_COUNT && (count != 2 || strcmp(words[1], ck_isa_name(best)) != 0)) best++;
  if (best == CK_ISA_COUNT) return fprintf(stderr, "usage: selection SET\n"), 64;

  expect(ck_isa_detected() == best && ck_isa_active() == best, "this processor's best set is chosen");
  for (ck_isa isa = CK_ISA_NEON; isa < CK_ISA_COUNT; isa++) {
    setenv("COREML_MAX_CPU_ISA", ck_isa_name(isa), 1);
    expect(ck_isa_limit() == isa && ck_isa_detected() == (isa < best ? isa : best), "a limit holds");
    unsetenv("COREML_MAX_CPU_ISA");
    expect(ck_isa_supported(isa) == (isa <= best), "a better set is not supported");
    expect(ck_isa_overrides(isa) == (size_t)(isa - CK_ISA_NEON), "a set has the kernels of those that it extends");

    expect(ck_force_isa_for_tests(isa) == (isa <= best), "only a supported set can be forced");
    if (isa > best) continue;
    float in[] = {3, 4, 5, 6}, out[16];
    if (isa >= CK_ISA_NEON_DOTPROD) expect(ck_measure_fma_f32(5, out) == 60, "the kernel of neon_dotprod runs");
    out[0] = 0;
    if (isa == CK_ISA_NEON_BF16) ck_measure_read_f32(in, 4, out);
    expect(isa != CK_ISA_NEON_BF16 || out[0] == 25, "the kernel of neon_bf16 runs");
    expect(ck_block_size() == 4, "a kernel of neon runs");
  }
  if (failures == 0) printf("selection: %s\n", ck_isa_name(best));
  return failures > 0;
}
#endif
