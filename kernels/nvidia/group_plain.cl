// The functions of group_ptx.cl in OpenCL C; warp_plain.cl precedes it. Each work-item reads its factors from local
// memory, element by element. With it, tests on any device check that kernels use those functions correctly. Clusters
// are not supported.

#define GROUP_MEMORY(bytes) local uint group_words[(bytes) / 4];
#define MEMORY_PARAMETER , local uint *group_words, local uint *warp_memory
#define MEMORY , group_words, warp_memory

static uint group_memory(void) { return 0; }

static void put_to(uint target, uint4 chunk MEMORY_PARAMETER) { *(local uint4 *)(group_words + target / 4) = chunk; }

static void copy_to(uint target, global const void *source, bool inside MEMORY_PARAMETER) {
  put_to(target, inside ? *(global const uint4 *)source : (uint4)(0) MEMORY);
}

static void put_two(uint target, float first, float second MEMORY_PARAMETER) {
  group_words[target / 4] = as_uint(first);
  group_words[target / 4 + 1] = as_uint(second);
}

static void get_four(float *x, uint source MEMORY_PARAMETER) {
  for (int i = 0; i < 4; i++) x[i] = as_float(group_words[source / 4 + i]);
}

static void publish(void) {}
static void begin_products(void) {}
static void end_products(void) {}
#define WAIT_FOR_PRODUCTS(LEFT)

static ulong factor_at(uint address, uint apart) { return (ulong)(address / 16) | (ulong)(apart / 16) << 16; }

#ifndef ACROSS_A
#define ACROSS_A 0
#endif
#ifndef ACROSS_B
#define ACROSS_B 0
#endif

// The address of element k of row (or column) i of a factor. A chunk's index is XORed with the index of its 128-byte
// row.
static uint place_of(ulong factor, int i, int k, int size, bool is_across) {
  uint first = (uint)(factor & 0x3fff) * 16;
  uint apart = (uint)(factor >> 16 & 0x3fff) * 16;
  uint place = is_across ? first + i / 64 * apart + k * 128 + i % 64 * size : first + i * 128 + k * size;
  return place ^ (place >> 7 & 7) << 4;
}
static float half_at(ulong factor, int i, int k, bool is_across, local const uint *group_words) {
  return vload_half(place_of(factor, i, k, 2, is_across) / 2, (local const half *)group_words);
}
static float tf32_at(ulong factor, int i, int k, local const uint *group_words) {
  // The tensor core ignores the lower bits.
  return as_float(group_words[place_of(factor, i, k, 4, false) / 4] & 0xffffe000u);
}

// Row and column of accumulator i of a work-item in its warp group's tile.
static int sum_row(int i) { return (int)get_local_id(0) % 128 / 32 * 16 + (int)get_local_id(0) % 32 / 4 + i / 2 % 2 * 8; }
static int sum_column(int i) { return i / 4 * 8 + (int)get_local_id(0) % 4 * 2 + i % 2; }

static void multiply_f16(float *d, int count, ulong a, ulong b MEMORY_PARAMETER) {
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 16; k++) {
      float x = half_at(a, sum_row(i), k, ACROSS_A, group_words);
      d[i] = fma(x, half_at(b, sum_column(i), k, ACROSS_B, group_words), d[i]);
    }
  }
}
static void multiply_tf32(float *d, int count, ulong a, ulong b MEMORY_PARAMETER) {
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 8; k++) {
      d[i] = fma(tf32_at(a, sum_row(i), k, group_words), tf32_at(b, sum_column(i), k, group_words), d[i]);
    }
  }
}
// The first factor is exchanged through the warps' memory.
static void multiply_own(float *d, int count, const uint *a, ulong b MEMORY_PARAMETER) {
  int item = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 4; i++) warp_memory[item * 8 + i] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < count; i++) {
    local const uint *row = warp_memory + (item / 4 * 4) * 8 + i / 2 % 2;
    for (int k = 0; k < 16; k++) {
      float x = vload_half(k % 2, (local const half *)(row + k % 8 / 2 * 8 + k / 8 * 2));
      d[i] = fma(x, half_at(b, sum_column(i), k, true, group_words), d[i]);
    }
  }
}

#define MULTIPLY_ADD(N)                                                                                               \
  static void multiply_add_##N(float *d, ulong a, ulong b MEMORY_PARAMETER) {                                         \
    multiply_f16(d, N / 2, a, b MEMORY);                                                                           \
  }                                                                                                                   \
  static void multiply_##N(float *d, ulong a, ulong b MEMORY_PARAMETER) {                                             \
    for (int i = 0; i < N / 2; i++) d[i] = 0.0f;                                                                      \
    multiply_f16(d, N / 2, a, b MEMORY);                                                                           \
  }                                                                                                                   \
  static void multiply_add_own_##N(float *d, const uint *a, ulong b MEMORY_PARAMETER) {                               \
    multiply_own(d, N / 2, a, b MEMORY);                                                                              \
  }                                                                                                                   \
  static void multiply_add_tf32_##N(float *d, ulong a, ulong b MEMORY_PARAMETER) {                                    \
    multiply_tf32(d, N / 2, a, b MEMORY);                                                                             \
  }
MULTIPLY_ADD(32)
MULTIPLY_ADD(64)
MULTIPLY_ADD(128)
MULTIPLY_ADD(256)
