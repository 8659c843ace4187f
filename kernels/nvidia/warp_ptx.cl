// Operations of a warp of 32 work-items in inline PTX, for NVIDIA devices of compute capability 8.0 and later.
// warp_plain.cl has the same functions in OpenCL C, for tests on other devices. The lanes of a warp are neighbors along
// the group's only dimension.
//
// Local memory is addressed in chunks of 16 bytes, which are 8 fp16 values.

// Additional memory and arguments of these functions: none here.
#define WARP_MEMORY(items)
#define WARP_PARAMETER
#define WARP

static uint shared_address(local const uint4 *place) { return (uint)(ulong)place; }

// Loads four 8x8 matrices of fp16. Lane l passes the chunk of row l % 8 of matrix l / 8. It gets elements 2 (l % 4) and
// 2 (l % 4) + 1 of row l / 4 of each matrix.
static void load_matrices(uint *r, local const uint4 *tile, int chunk WARP_PARAMETER) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(tile + chunk))
               : "memory");
}

// As above for the transposed matrices: elements 2 (l % 4) and 2 (l % 4) + 1 of column l / 4.
static void load_transposed(uint *r, local const uint4 *tile, int chunk WARP_PARAMETER) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(tile + chunk))
               : "memory");
}

// d += a b, 16x16 times 16x8, fp16, with fp32 accumulators. With g = l / 4 and t = 2 (l % 4), lane l holds
// - a: rows g and g + 8 of columns t, t + 1, then those of columns t + 8, t + 9
// - b: rows t, t + 1, then t + 8, t + 9 of column g
// - d: columns t and t + 1 of row g, then of row g + 8
static void multiply_add(float *d, const uint *a, const uint *b WARP_PARAMETER) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// As above for fp32 values, 16x8 times 8x8. Ten fraction bits are used (`to_tf32`). With g = l / 4 and t = l % 4, lane
// l holds
// - a: column t of rows g and g + 8, then column t + 4 of both
// - b: row t, then t + 4, of column g
// - d: as above
//
// load_matrices loads these operands too: a row of eight fp16 values is a row of four fp32 values.
static void multiply_add_tf32(float *d, const uint *a, const uint *b WARP_PARAMETER) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Rounds the bits of an fp32 value to ten fraction bits, to nearest, ties away from zero.
static uint to_tf32(uint bits) {
  uint rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(as_float(bits)));
  return rounded;
}

// The value of the lane whose index differs in the bits of `mask`.
static float across(float value, int mask WARP_PARAMETER) {
  uint other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(other) : "r"(as_uint(value)), "r"(mask));
  return as_float(other);
}

// Two values as fp16, rounded to nearest, ties to even. The first is in the lower bits.
static uint two_halves(float low, float high) {
  uint pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

// Returns x, but hides its value from the compiler until here. Values computed from it then take no registers before.
static int later(int x) {
  asm volatile("" : "+r"(x));
  return x;
}

// Starts an asynchronous copy of a chunk from memory that is aligned to it. Writes zeros if it is outside.
static void copy_chunk(local uint4 *target, global const void *source, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(shared_address(target)), "l"(source), "r"(inside ? 16 : 0)
               : "memory");
}

// Ends a batch of copies.
static void end_batch(void) { asm volatile("cp.async.commit_group;" : : : "memory"); }

// Waits until at most `LEFT` batches of this work-item are in flight. Other work-items see the copied data after a
// barrier.
#define WAIT_FOR_BATCHES(LEFT) asm volatile("cp.async.wait_group %0;" : : "n"(LEFT) : "memory")
