// CPU feature detection. The kernel table is chosen on first use. All threads that race for it compute the same answer,
// so a relaxed race is harmless.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "table.h"

static _Atomic(const struct ck_table *) active;

// A table that a test forces is thread-local. Packed operands have the layout of one table, so another thread between
// packing and multiplying must not see the table change.
static _Thread_local const struct ck_table *forced;

bool ck_isa_supported(ck_isa isa) {
  if (isa == CK_ISA_GENERIC) return true;
#if defined(__x86_64__)
  __builtin_cpu_init();  // these checks include operating system support for the registers
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
              __builtin_cpu_supports("popcnt");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  switch (isa) {
    case CK_ISA_AVX2: return avx2;
    case CK_ISA_AVX512: return avx512;
    case CK_ISA_AVX512VBMI: return avx512 && __builtin_cpu_supports("avx512vbmi");
    case CK_ISA_AVX512VNNI: return avx512 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni");
    case CK_ISA_AVX512BF16:
      return avx512 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni") &&
             __builtin_cpu_supports("avx512bf16");
    default: return false;
  }
#elif defined(__aarch64__)
  bool dotprod = (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0, bf16 = (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0;
  switch (isa) {
    case CK_ISA_NEON: return true;
    case CK_ISA_NEON_DOTPROD: return dotprod;
    case CK_ISA_NEON_BF16: return dotprod && bf16;
    default: return false;
  }
#else
  return false;
#endif
}

/// The model number of an Intel family 6 processor; 0 for any other.
static uint32_t model_of_intel(const char *vendor, uint32_t signature) {
  uint32_t family = (signature >> 8 & 15) + (signature >> 20 & 255);
  if (memcmp(vendor, "GenuineIntel", 12) != 0 || family != 6) return 0;
  return (signature >> 4 & 15) | (signature >> 12 & 0xf0);
}

bool ck_multiplies_wide_twice(const char *vendor, uint32_t signature) {
  switch (model_of_intel(vendor, signature)) {
    case 0x55:             // Skylake, Cascade Lake, Cooper Lake
    case 0x6a: case 0x6c:  // Ice Lake
    case 0x8f:             // Sapphire Rapids
    case 0xcf:             // Emerald Rapids
    case 0xad: case 0xae:  // Granite Rapids
      return true;
    default: return false;
  }
}

bool ck_bf16_dot_is_slow(const char *vendor, uint32_t signature) {
  uint32_t model = model_of_intel(vendor, signature);
  return model == 0x8f || model == 0xcf;
}

static bool of_this_processor(bool (*property)(const char *vendor, uint32_t signature)) {
#if defined(__x86_64__)
  uint32_t leaf[4] = {0}, vendor[3];
  if (!__get_cpuid(0, &leaf[0], &vendor[0], &vendor[2], &vendor[1])) return false;
  if (!__get_cpuid(1, &leaf[0], &leaf[1], &leaf[2], &leaf[3])) return false;
  return property((const char *)vendor, leaf[0]);
#else
  return (void)property, false;
#endif
}

bool ck_processor_multiplies_wide_twice(void) { return of_this_processor(ck_multiplies_wide_twice); }
bool ck_processor_bf16_dot_is_slow(void) { return of_this_processor(ck_bf16_dot_is_slow); }

void ck_forget(const void *memory, size_t bytes) {
  if (bytes == 0) return;
  const char *begin = memory, *end = begin + bytes;
  for (const char *line = begin - (uintptr_t)begin % 64; line < end; line += 64) {
#if defined(__x86_64__)
    __builtin_ia32_clflush(line);
#elif defined(__aarch64__)
    __asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
#endif
  }
#if defined(__x86_64__)
  __builtin_ia32_mfence();
#elif defined(__aarch64__)
  __asm__ volatile("dsb ish" ::: "memory");
#endif
}

bool ck_isa_built(ck_isa isa) { return isa < CK_ISA_COUNT && ck_tiers[isa].table != NULL; }

ck_isa ck_isa_limit(void) {
  const char *name = getenv("COREML_MAX_CPU_ISA");
  if (name == NULL || *name == 0) return CK_ISA_COUNT;
  int isa = 0;
  while (isa < CK_ISA_COUNT && !(ck_isa_built((ck_isa)isa) && strcmp(name, ck_tiers[isa].name) == 0)) isa++;
  return (ck_isa)isa;
}

ck_isa ck_isa_detected(void) {
  ck_isa best = CK_ISA_GENERIC, limit = ck_isa_limit();
  for (int isa = 0; isa < CK_ISA_COUNT && isa <= (int)limit; isa++) {
    if (ck_isa_built((ck_isa)isa) && ck_isa_supported((ck_isa)isa)) best = (ck_isa)isa;
  }
  return best;
}

const struct ck_table *ck_table(void) {
  if (__builtin_expect(forced != NULL, 0)) return forced;
  const struct ck_table *table = atomic_load_explicit(&active, memory_order_acquire);
  if (__builtin_expect(table == NULL, 0)) {
    const struct ck_table *expected = NULL;
    table = ck_tiers[ck_isa_detected()].table;
    if (!atomic_compare_exchange_strong(&active, &expected, table)) table = expected;
  }
  return table;
}

ck_isa ck_isa_active(void) {
  const struct ck_table *table = ck_table();
  int isa = CK_ISA_COUNT - 1;
  while (isa > CK_ISA_GENERIC && ck_tiers[isa].table != table) isa--;
  return (ck_isa)isa;
}

bool ck_int8_supported(void) { return ck_table()->gemm_prepacked_product_i8_f32 != NULL; }
bool ck_low_precision_supported(void) { return ck_table()->gemm_prepacked_product_bf16_f32 != NULL; }

const char *ck_isa_name(ck_isa isa) { return isa < CK_ISA_COUNT ? ck_tiers[isa].name : "unknown"; }

size_t ck_isa_overrides(ck_isa isa) {
  if (!ck_isa_built(isa)) return 0;
  // Every field of a table is a pointer.
  const void *const *own = (const void *const *)ck_tiers[isa].table;
  const void *const *base = (const void *const *)ck_tiers[isa].base;
  size_t count = 0;
  for (size_t field = 0; field < sizeof(struct ck_table) / sizeof(void *); field++) count += own[field] != base[field];
  return count;
}

bool ck_force_isa_for_tests(ck_isa isa) {
  if (!ck_isa_built(isa) || !ck_isa_supported(isa)) return false;
  forced = ck_tiers[isa].table;
  return true;
}
