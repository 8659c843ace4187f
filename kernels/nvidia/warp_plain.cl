// The functions of warp_ptx.cl in OpenCL C. Lanes exchange data through local memory, so all work-items of the group
// must call them. It is slow; with it, tests on any device check that kernels use those functions correctly.

#define WARP_MEMORY(items) local uint warp_memory[(items)*8];
#define WARP_PARAMETER , local uint *warp_memory
#define WARP , warp_memory

static int lane_of(int item) { return item % 32; }

// Stores every lane's chunk index in its own part of the exchange memory.
static void tell_chunk(int chunk, local uint *warp_memory) {
  barrier(CLK_LOCAL_MEM_FENCE);
  warp_memory[get_local_id(0) * 8] = (uint)chunk;
  barrier(CLK_LOCAL_MEM_FENCE);
}

static void load_matrices(uint *r, local const uint4 *tile, int chunk WARP_PARAMETER) {
  int item = get_local_id(0);
  int lane = lane_of(item);
  tell_chunk(chunk, warp_memory);
  local const uint *words = (local const uint *)tile;
  for (int matrix = 0; matrix < 4; matrix++) {
    int row = (int)warp_memory[(item - lane + matrix * 8 + lane / 4) * 8];
    r[matrix] = words[row * 4 + lane % 4];
  }
}

static void load_transposed(uint *r, local const uint4 *tile, int chunk WARP_PARAMETER) {
  int item = get_local_id(0);
  int lane = lane_of(item);
  tell_chunk(chunk, warp_memory);
  local const ushort *halves = (local const ushort *)tile;
  for (int matrix = 0; matrix < 4; matrix++) {
    uint pair = 0;
    for (int i = 0; i < 2; i++) {
      int row = (int)warp_memory[(item - lane + matrix * 8 + lane % 4 * 2 + i) * 8];
      pair |= (uint)halves[row * 8 + lane / 4] << (16 * i);
    }
    r[matrix] = pair;
  }
}

// Element `k` of a pair of fp16 values in the exchange memory.
static float half_of(local const uint *pair, int k) { return vload_half(k, (local const half *)pair); }

// Stores the factors of all lanes in their parts of the exchange memory.
static void tell_factors(const uint *a, const uint *b, local uint *warp_memory) {
  int item = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 4; i++) warp_memory[item * 8 + i] = a[i];
  for (int i = 0; i < 2; i++) warp_memory[item * 8 + 4 + i] = b[i];
  barrier(CLK_LOCAL_MEM_FENCE);
}

static void multiply_add(float *d, const uint *a, const uint *b WARP_PARAMETER) {
  int item = get_local_id(0);
  int lane = lane_of(item);
  tell_factors(a, b, warp_memory);
  local const uint *warp = warp_memory + (item - lane) * 8;
  for (int i = 0; i < 4; i++) {
    int row = lane / 4 + i / 2 * 8;
    int column = lane % 4 * 2 + i % 2;
    float sum = d[i];
    for (int k = 0; k < 16; k++) {
      int within = k % 8;
      float x = half_of(warp + (row % 8 * 4 + within / 2) * 8 + row / 8 + k / 8 * 2, within % 2);
      float y = half_of(warp + (column * 4 + within / 2) * 8 + 4 + k / 8, within % 2);
      sum = fma(x, y, sum);
    }
    d[i] = sum;
  }
}

static void multiply_add_tf32(float *d, const uint *a, const uint *b WARP_PARAMETER) {
  int item = get_local_id(0);
  int lane = lane_of(item);
  tell_factors(a, b, warp_memory);
  local const uint *warp = warp_memory + (item - lane) * 8;
  for (int i = 0; i < 4; i++) {
    int row = lane / 4 + i / 2 * 8;
    int column = lane % 4 * 2 + i % 2;
    for (int k = 0; k < 8; k++) {
      uint x = warp[(row % 8 * 4 + k % 4) * 8 + row / 8 + k / 4 * 2];
      uint y = warp[(column * 4 + k % 4) * 8 + 4 + k / 4];
      // The tensor core ignores the lower bits.
      d[i] = fma(as_float(x & 0xffffe000u), as_float(y & 0xffffe000u), d[i]);
    }
  }
}

static uint to_tf32(uint bits) {
  bool is_number = (bits & 0x7f800000u) != 0x7f800000u;
  return is_number ? (bits + 0x1000u) & 0xffffe000u : bits;
}

static float across(float value, int mask WARP_PARAMETER) {
  int item = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  warp_memory[item * 8] = as_uint(value);
  barrier(CLK_LOCAL_MEM_FENCE);
  return as_float(warp_memory[(item ^ mask) * 8]);
}

static int later(int x) { return x; }

static uint two_halves(float low, float high) {
  ushort pair[2];
  vstore_half_rte(low, 0, (half *)pair);
  vstore_half_rte(high, 1, (half *)pair);
  return pair[0] | (uint)pair[1] << 16;
}

static void copy_chunk(local uint4 *target, global const void *source, bool inside) {
  *target = inside ? *(global const uint4 *)source : (uint4)(0);
}

static void end_batch(void) {}

#define WAIT_FOR_BATCHES(LEFT)
