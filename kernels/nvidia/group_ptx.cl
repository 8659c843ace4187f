// Operations of a warp group, the 128 work-items of four warps, on a GPU of compute capability 9.0: MMA with factors in
// local memory, asynchronous to the warps (wgmma). warp_ptx.cl precedes this source. group_plain.cl has the same
// functions in OpenCL C.
//
// OpenCL's compiler for such a device knows none of these instructions, and allows a group 48 KiB. So they stand behind `//@`, a comment for it,
// and reach the PTX as comments. PTX post-processing (ptx_sm90.c) turns them into instructions and sets the memory size
// of a group. Memory of a group is addressed in bytes.

// Declares `bytes` of local memory, aligned to 1024.
#define GROUP_MEMORY(bytes) asm volatile("//@shared %0" : : "n"(bytes));
#define MEMORY_PARAMETER
#define MEMORY

static uint group_memory(void) {
  uint address = 0;
  asm volatile("//@ mov.u32 %0, coreml_shared;" : "+r"(address));
  return address;
}

// Starts an asynchronous copy of 16 bytes from memory that is aligned to them. Writes zeros if they are outside.
static void copy_to(uint target, global const void *source, bool inside MEMORY_PARAMETER) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(target), "l"(source), "r"(inside ? 16 : 0) : "memory");
}

static void put_to(uint target, uint4 chunk MEMORY_PARAMETER) {
  asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};"
               :
               : "r"(target), "r"(chunk.x), "r"(chunk.y), "r"(chunk.z), "r"(chunk.w)
               : "memory");
}

static void put_two(uint target, float first, float second MEMORY_PARAMETER) {
  asm volatile("st.shared.v2.f32 [%0], {%1,%2};" : : "r"(target), "f"(first), "f"(second) : "memory");
}
static void get_four(float *x, uint source MEMORY_PARAMETER) {
  asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3]) : "r"(source) : "memory");
}

// Clusters: `count` work-groups along the last dimension, which can read each other's local memory.
#define GROUP_CLUSTER(count) asm volatile("//@cluster %0" : : "n"(count));
static uint cluster_rank(void) {
  uint rank = 0;
  asm volatile("//@ mov.u32 %0, %%cluster_ctarank;" : "+r"(rank));
  return rank;
}
// Everything that any work-item stored before is visible to all after it.
static void meet_cluster(void) {
  asm volatile("//@ barrier.cluster.arrive.aligned;\n//@ barrier.cluster.wait.aligned;" : : : "memory");
}
// Reads four elements from group `rank` of the cluster, at the address that is `source` in this group.
static void four_of(float *x, int rank, uint source) {
  asm volatile("{\n//@ .reg .u32 there;\n//@ mapa.shared::cluster.u32 there, %4, %5;\n//@ ld.shared::cluster.v4.f32 {%0,%1,%2,%3}, [there];\n}"
               : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
               : "r"(source), "r"(rank)
               : "memory");
}

// Makes this work-item's copies and stores visible to products that start after the next barrier.
static void publish(void) { asm volatile("//@ fence.proxy.async.shared::cta;" : : : "memory"); }

// Orders earlier accesses to the accumulator registers before the products that follow.
static void begin_products(void) { asm volatile("//@ wgmma.fence.sync.aligned;" : : : "memory"); }

// Ends a batch of products.
static void end_products(void) { asm volatile("//@ wgmma.commit_group.sync.aligned;" : : : "memory"); }

// Waits until at most `LEFT` batches of products are in flight.
#define WAIT_FOR_PRODUCTS(LEFT) asm volatile("//@ wgmma.wait_group.sync.aligned %0;" : : "n"(LEFT) : "memory")

// The descriptor of a factor at `address`: rows of 128 bytes with 16-byte chunks XORed with the row index (128-byte
// swizzle). Groups of eight rows are 1024 bytes apart. `apart` is the distance of blocks of eight chunks, if a row of
// the factor has several.
static ulong factor_at(uint address, uint apart) {
  return (ulong)((address & 0x3ffff) >> 4) | (ulong)(apart >> 4) << 16 | (ulong)(1024 >> 4) << 32 | (ulong)1 << 62;
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
// Accumulators as asm operands: "+" reads and writes them, "=" only writes.
#define SUMS_8(HOW, d, i)                                                                                             \
  HOW "f"((d)[i]), HOW "f"((d)[i + 1]), HOW "f"((d)[i + 2]), HOW "f"((d)[i + 3]), HOW "f"((d)[i + 4]),                  \
      HOW "f"((d)[i + 5]), HOW "f"((d)[i + 6]), HOW "f"((d)[i + 7])
#define SUMS_16(HOW, d, i) SUMS_8(HOW, d, i), SUMS_8(HOW, d, i + 8)
#define SUMS_32(HOW, d, i) SUMS_16(HOW, d, i), SUMS_16(HOW, d, i + 16)
#define SUMS_64(HOW, d, i) SUMS_32(HOW, d, i), SUMS_32(HOW, d, i + 32)
#define SUMS_128(HOW, d, i) SUMS_64(HOW, d, i), SUMS_64(HOW, d, i + 64)
#define NAMES_16 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define NAMES_32 NAMES_16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define NAMES_64                                                                                                      \
  NAMES_32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57," \
           "%58,%59,%60,%61,%62,%63"
#define NAMES_128                                                                                                     \
  NAMES_64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79" \
           ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95" \
           ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111" \
           ",%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define PRODUCT(N, KIND, NAMES, A, B, ONE, ACROSS)                                                                    \
  "{\n//@ .reg .pred all;\n//@ setp.ne.b32 all, " ONE ", 0;\n//@ wgmma.mma_async.sync.aligned.m64n" N KIND " {" NAMES  \
  "}, " A ", " B ", all, 1, 1" ACROSS ";\n}"
// The factors as asm operands. The last operand is 1 if the product is added to the accumulators, 0 if it replaces
// them.
#define FROM_MEMORY(a, b) "l"(a), "l"(b), "r"(1)
#define FIRST_FROM_MEMORY(a, b) "l"(a), "l"(b), "r"(0)
#define FROM_REGISTERS(a, b) "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "l"(b), "r"(1)

// Whether the 128-byte rows of a factor in memory are K rows.
#ifndef ACROSS_A
#define ACROSS_A 0
#endif
#ifndef ACROSS_B
#define ACROSS_B 0
#endif
#define BOTH ", " TEXT(ACROSS_A) ", " TEXT(ACROSS_B)

// d += a b, 64 x 16 times 16 x N, fp16. Layout of d, with g = l / 4 and t = 2 (l % 4): of every eight columns, lane l
// of warp w holds columns t and t + 1 of row 16 w + g, then of row 16 w + g + 8.
#define HALVES "k16.f32.f16.f16"
static void multiply_add_32(float *d, ulong a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("32", HALVES, NAMES_16, "%16", "%17", "%18", BOTH) : SUMS_16("+", d, 0) : FROM_MEMORY(a, b) : "memory");
}
static void multiply_add_64(float *d, ulong a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("64", HALVES, NAMES_32, "%32", "%33", "%34", BOTH) : SUMS_32("+", d, 0) : FROM_MEMORY(a, b) : "memory");
}
static void multiply_add_128(float *d, ulong a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("128", HALVES, NAMES_64, "%64", "%65", "%66", BOTH) : SUMS_64("+", d, 0) : FROM_MEMORY(a, b) : "memory");
}

static void multiply_add_256(float *d, ulong a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("256", HALVES, NAMES_128, "%128", "%129", "%130", BOTH) : SUMS_128("+", d, 0) : FROM_MEMORY(a, b) : "memory");
}

// d = a b.
static void multiply_64(float *d, ulong a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("64", HALVES, NAMES_32, "%32", "%33", "%34", BOTH)
               : SUMS_32("=", d, 0)
               : FIRST_FROM_MEMORY(a, b)
               : "memory");
}
static void multiply_128(float *d, ulong a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("128", HALVES, NAMES_64, "%64", "%65", "%66", BOTH)
               : SUMS_64("=", d, 0)
               : FIRST_FROM_MEMORY(a, b)
               : "memory");
}

// As above, with a first factor in registers in the accumulators' layout. For 16 columns these are the two rows of the
// first eight columns, then those of the others, as fp16 pairs. The rows of the second factor are K rows.
static void multiply_add_own_64(float *d, const uint *a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("64", HALVES, NAMES_32, "{%32,%33,%34,%35}", "%36", "%37", ", 1")
               : SUMS_32("+", d, 0)
               : FROM_REGISTERS(a, b)
               : "memory");
}
static void multiply_add_own_128(float *d, const uint *a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("128", HALVES, NAMES_64, "{%64,%65,%66,%67}", "%68", "%69", ", 1")
               : SUMS_64("+", d, 0)
               : FROM_REGISTERS(a, b)
               : "memory");
}

// As above for fp32 values, 64 x 8 times 8 x N. Ten fraction bits are used (TF32). Rows are not K rows.
#define TF32 "k8.f32.tf32.tf32"
static void multiply_add_tf32_32(float *d, ulong a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("32", TF32, NAMES_16, "%16", "%17", "%18", "") : SUMS_16("+", d, 0) : FROM_MEMORY(a, b) : "memory");
}
static void multiply_add_tf32_64(float *d, ulong a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("64", TF32, NAMES_32, "%32", "%33", "%34", "") : SUMS_32("+", d, 0) : FROM_MEMORY(a, b) : "memory");
}
static void multiply_add_tf32_128(float *d, ulong a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("128", TF32, NAMES_64, "%64", "%65", "%66", "") : SUMS_64("+", d, 0) : FROM_MEMORY(a, b) : "memory");
}
static void multiply_add_tf32_256(float *d, ulong a, ulong b MEMORY_PARAMETER) {
  asm volatile(PRODUCT("256", TF32, NAMES_128, "%128", "%129", "%130", "") : SUMS_128("+", d, 0) : FROM_MEMORY(a, b) : "memory");
}
