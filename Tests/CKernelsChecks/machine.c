// Instruction set selection, core measurements, and threads.
#include "plain.h"

#include <stdatomic.h>

void check_machine(void) {
  float *out = floats(16, 0, 0), *in = floats(1000, 1, 1);
  at("ck_measure_fma_f32", "100 rounds");
  double operations = ck_measure_fma_f32(100, out);
  expect_true(
      operations > 0 && ck_measure_fma_f32(200, out) == 2 * operations, "its operations are as many as its rounds");
  expect_true(isfinite(out[0]), "its sums are finite");
  at("ck_measure_read_f32", "1000 numbers");
  ck_measure_read_f32(in, 1000, out);
  double sum = 0;
  for (size_t i = 0; i < ck_block_size(); i++) sum += (double)out[i];
  expect_true(sum > 1000 - 128 && sum <= 1000, "it reads all but a remainder");

  at("ck_forget", "1000 numbers");
  ck_forget(in, 1000 * sizeof *in);
  ck_forget(in, 0);
  for (size_t i = 0; i < 1000; i++) expect_true(in[i] == 1, "what is forgotten by caches is in memory");

  at("ck_isa_active", "%s", ck_isa_name(ck_isa_active()));
  ck_isa active = ck_isa_active();
  expect_true(ck_isa_supported(active) && ck_isa_built(active), "the set in use is one that this processor has");
  const char *name = ck_isa_name(active);
  bool adds = (strncmp(name, "avx512", 6) == 0 && name[6] != 0) || strncmp(name, "neon_", 5) == 0;
  expect_true((ck_isa_overrides(active) > 0) == adds, "just a set that adds to another has overrides");
  expect_true(
      !ck_isa_supported(CK_ISA_COUNT) && !ck_isa_built(CK_ISA_COUNT) && !ck_force_isa_for_tests(CK_ISA_COUNT),
      "an invalid set is refused");
  expect_true(strcmp(ck_isa_name(CK_ISA_COUNT), "unknown") == 0, "it has no name");
#if defined(__aarch64__)
  expect_true(ck_isa_built(CK_ISA_NEON) && !ck_isa_built(CK_ISA_AVX2), "neon is a set of this architecture");
  expect_true(ck_isa_detected() >= CK_ISA_NEON && ck_isa_built(ck_isa_detected()), "neon or one that adds to it is chosen");
  for (ck_isa isa = CK_ISA_NEON_DOTPROD; isa <= CK_ISA_NEON_BF16; isa++) {
    expect_true(ck_isa_built(isa) == (ck_isa_overrides(isa) > 0), "a set without kernels is not built");
    expect_true(ck_isa_built(isa) || !ck_force_isa_for_tests(isa), "and refused");
  }
#else
  expect_true(
      !ck_isa_built(CK_ISA_NEON) && !ck_force_isa_for_tests(CK_ISA_NEON), "neon is not one of this architecture's");
#endif
  at("ck_multiplies_wide_twice", "processors");
  expect_true(
      ck_multiplies_wide_twice("GenuineIntel", 0x50657) && ck_multiplies_wide_twice("GenuineIntel", 0x606a6) &&
          ck_multiplies_wide_twice("GenuineIntel", 0x806f8) && ck_multiplies_wide_twice("GenuineIntel", 0xc06f2),
      "Cascade Lake, Ice Lake, Sapphire and Emerald Rapids do");
  expect_true(
      !ck_multiplies_wide_twice("GenuineIntel", 0x706e5) && !ck_multiplies_wide_twice("GenuineIntel", 0x306c3) &&
          !ck_multiplies_wide_twice("AuthenticAMD", 0x50657) && !ck_multiplies_wide_twice("AuthenticAMD", 0xa60f12),
      "a notebook's Ice Lake, Haswell and Zen 4 do not");
  expect_true(
      !ck_processor_multiplies_wide_twice() || ck_isa_supported(CK_ISA_AVX512), "this one only with AVX-512");
  at("ck_bf16_dot_is_slow", "processors");
  expect_true(
      ck_bf16_dot_is_slow("GenuineIntel", 0x806f8) && ck_bf16_dot_is_slow("GenuineIntel", 0xc06f2),
      "Sapphire and Emerald Rapids do");
  expect_true(
      !ck_bf16_dot_is_slow("GenuineIntel", 0x5065b) && !ck_bf16_dot_is_slow("GenuineIntel", 0x606a6) &&
          !ck_bf16_dot_is_slow("AuthenticAMD", 0xa10f11) && !ck_bf16_dot_is_slow("AuthenticAMD", 0x806f8),
      "Cooper Lake, Ice Lake and Zen 4 do not");
  expect_true(
      !ck_processor_bf16_dot_is_slow() || ck_processor_multiplies_wide_twice(), "this one only with wide vectors");

  at("ck_isa_limit", "names");
  for (int isa = 0; isa < CK_ISA_COUNT; isa++) {
    setenv("COREML_MAX_CPU_ISA", ck_isa_name((ck_isa)isa), 1);
    bool built = ck_isa_built((ck_isa)isa);
    expect_true(
        ck_isa_limit() == (built ? (ck_isa)isa : CK_ISA_COUNT), "a name of this architecture is a limit, and no other");
    expect_true(ck_isa_detected() <= (built ? (ck_isa)isa : CK_ISA_COUNT), "nothing above the limit is chosen");
  }
  unsetenv("COREML_MAX_CPU_ISA");
}

struct counts {
  size_t count, grain;
  _Atomic int *seen;
  _Atomic size_t wrong;
  size_t threads;
};

static void count(void *context, size_t begin, size_t end, size_t worker) {
  struct counts *c = context;
  if (begin >= end || end > c->count || end - begin > (c->grain == 0 ? 1 : c->grain) || worker >= c->threads)
    c->wrong++;
  for (size_t i = begin; i < end && i < c->count; i++) c->seen[i]++;
}

/// A nested run: the calling thread executes it itself.
static void nested(void *context, size_t begin, size_t end, size_t worker) {
  struct counts *c = context;
  (void)worker;
  for (size_t i = begin; i < end; i++) ck_pool_run(NULL, 1, 1, count, c);
}

void check_threads(void) {
  for (size_t threads = 0; threads < 5; threads++) {
    ck_pool *pool = threads == 0 ? NULL : ck_pool_create(threads);
    at("ck_pool_create", "%zu threads", threads);
    expect_true(threads == 0 || pool != NULL, "there is a pool");
    expect_true(ck_pool_threads(pool) == (threads == 0 ? 1 : threads), "it has as many threads");
    for (size_t turn = 0; turn < 40; turn++) {
      struct counts c = {
          .count = random_size(0, 300), .grain = random_size(0, 20), .threads = threads == 0 ? 1 : threads};
      c.seen = take(c.count * sizeof *c.seen);
      for (size_t i = 0; i < c.count; i++) c.seen[i] = 0;
      // Runs inside and outside of ck_pool_enter and ck_pool_leave, also with pairs that do not nest.
      bool announced = random_bool(), still = random_bool();
      if (announced) ck_pool_enter(pool);
      at("ck_pool_run", "%zu threads, %zu items by %zu%s", threads, c.count, c.grain, announced ? ", announced" : "");
      ck_pool_run(pool, c.count, c.grain, count, &c);
      if (still) ck_pool_enter(pool);
      if (announced) ck_pool_leave(pool);
      bool once = c.wrong == 0;
      for (size_t i = 0; i < c.count; i++) once &= c.seen[i] == 1;
      expect_true(once, "every item comes once, in parts no greater than the grain");
      if (c.count > 0) {
        struct counts inner = {.count = 1, .grain = 1, .threads = 1, .seen = c.seen};
        c.seen[0] = 0;
        ck_pool_run(pool, 9, 1, nested, &inner);
        expect_true(inner.wrong == 0 && c.seen[0] == 9, "a run may begin within a run");
      }
      if (still) ck_pool_leave(pool);
      release();
    }
    ck_pool_destroy(pool);
  }
}
