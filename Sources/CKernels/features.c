// The one place that asks what this CPU can do. The table of kernels is chosen on first use: every thread that comes first
// computes the same answer, so a relaxed race is harmless.
#include <stdatomic.h>

#include "table.h"

static _Atomic(const struct ck_table *) active;

// A test's choice is its thread's alone. Packed operands have the layout of one table, so another thread that is between packing
// and multiplying must not see the table change.
static _Thread_local const struct ck_table *forced;

ck_isa ck_isa_detected(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();  // these tests include the operating system's support for the registers
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
              __builtin_cpu_supports("popcnt");
  bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx2 && avx512 ? CK_ISA_AVX512 : avx2 ? CK_ISA_AVX2 : CK_ISA_GENERIC;
#else
  return CK_ISA_GENERIC;
#endif
}

static const struct ck_table *table_of(ck_isa isa) {
#if defined(__x86_64__)
  if (isa == CK_ISA_AVX512) return &ck_table_avx512;
  if (isa == CK_ISA_AVX2) return &ck_table_avx2;
#else
  (void)isa;
#endif
  return &ck_table_generic;
}

const struct ck_table *ck_table(void) {
  if (__builtin_expect(forced != NULL, 0)) return forced;
  const struct ck_table *table = atomic_load_explicit(&active, memory_order_acquire);
  if (__builtin_expect(table == NULL, 0)) {
    const struct ck_table *expected = NULL;
    table = table_of(ck_isa_detected());
    if (!atomic_compare_exchange_strong(&active, &expected, table)) table = expected;
  }
  return table;
}

ck_isa ck_isa_active(void) {
  const struct ck_table *table = ck_table();
#if defined(__x86_64__)
  if (table == &ck_table_avx512) return CK_ISA_AVX512;
  if (table == &ck_table_avx2) return CK_ISA_AVX2;
#endif
  (void)table;
  return CK_ISA_GENERIC;
}

bool ck_force_isa_for_tests(ck_isa isa) {
  if (isa > ck_isa_detected()) return false;
  forced = table_of(isa);
  return true;
}
