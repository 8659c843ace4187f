// Definitions that precede every kernel source. OpenCL C 1.2, single precision, no extensions.
//
// A tensor is a pointer and the index of its first element, because values share one arena. INDEX is the type of
// element counts and strides: int if every tensor of a launch has fewer than 2^31 elements, else long.

#ifndef INDEX
#define INDEX int
#endif

// Work-items per work-group of the kernels that reduce along a row: a power of two.
#ifndef GROUP
#define GROUP 64
#endif

// Read and write an element of fp16 (`is_half` is 1) or fp32 memory. fp16 stores round to nearest, ties to even. OpenCL
// C includes fp16 loads and stores, but not fp16 arithmetic.
#define OR_HALF_0(T) T
#define OR_HALF_1(T) half
#define OR_HALF(is_half, T) JOIN(OR_HALF_, is_half)(T)
#define ELEMENT(is_half) OR_HALF(is_half, float)
#define AT_0(memory, place) (memory)[place]
#define AT_1(memory, place) vload_half(place, memory)
#define AT(is_half, memory, place) JOIN(AT_, is_half)(memory, place)
#define PUT_0(memory, place, value) (memory)[place] = (value)
#define PUT_1(memory, place, value) vstore_half_rte(value, place, memory)
#define PUT(is_half, memory, place, value) JOIN(PUT_, is_half)(memory, place, value)

// Reads eight consecutive elements, as one load if the first is known to be aligned to eight.
static void widen_halves(float *x, uint4 raw) {
  uint words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
  for (int i = 0; i < 8; i++) {
    ushort bits = (ushort)(words[i / 2] >> (i % 2 * 16));
    x[i] = vload_half(0, (const half *)&bits);
  }
}
static void read_eight_1(float *x, global const half *memory, bool is_aligned) {
  if (is_aligned) {
    widen_halves(x, *(global const uint4 *)memory);
  } else {
#pragma unroll
    for (int i = 0; i < 8; i++) x[i] = vload_half(i, memory);
  }
}
static void read_eight_0(float *x, global const float *memory, bool is_aligned) {
  if (is_aligned) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      float4 four = ((global const float4 *)memory)[i];
      x[i * 4] = four.x;
      x[i * 4 + 1] = four.y;
      x[i * 4 + 2] = four.z;
      x[i * 4 + 3] = four.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < 8; i++) x[i] = memory[i];
  }
}
#define READ_EIGHT(is_half, x, memory, is_aligned) JOIN(read_eight_, is_half)(x, memory, is_aligned)

// Which tensors of a kernel are fp16: the first input, the addend of the result, and the result.
#ifndef HALF_X
#define HALF_X 0
#endif
#ifndef HALF_ADD
#define HALF_ADD 0
#endif
#ifndef HALF_Y
#define HALF_Y 0
#endif
// Which factors of a GEMM are fp16.
#ifndef HALF_A
#define HALF_A 0
#endif
#ifndef HALF_B
#define HALF_B 0
#endif

// Whether a factor is stored transposed: A as [k][m], B as [n][k].
#ifndef TRANSPOSE_A
#define TRANSPOSE_A 0
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif
// Element type of the factors in warp-based kernels: fp16 or, with FLOATS, fp32. A 16-byte chunk has eight fp16 or four
// fp32 elements.
#ifndef FLOATS
#define FLOATS 0
#endif
#if FLOATS
#define NUMBER uint
#define PER_CHUNK 4
#else
#define NUMBER ushort
#define PER_CHUNK 8
#endif

// The epilogue of GEMMs and convolutions. The bias has one element per row (1) or per column (2), or is absent. A
// kernel that supports only one kind says so.
#ifndef BIAS
#define BIAS 0
#endif
// Whether a tensor of the result's shape is added after the bias.
#ifndef RESIDUAL
#define RESIDUAL 0
#endif
// Batch dimensions of a GEMM, and each operand's stride in them; 0 repeats the operand. The result is contiguous.
typedef struct {
  long batches;
  long size[4];
  long a[4];
  long b[4];
  long bias[4];
} Batch;

// Advances the operands' offsets to matrix `number` of the batch. 64-bit divisions would take longer than much of a
// group's work. Most batches have one matrix, and the others fewer than 2^31.
static void find_matrix(Batch s, long number, long *a, long *b, long *bias) {
  if (s.batches == 1) return;
  for (int d = 3; d >= 0; d--) {
    long place;
    if (s.batches >> 31) {
      place = number % s.size[d];
      number /= s.size[d];
    } else {
      place = (uint)number % (uint)s.size[d];
      number = (uint)number / (uint)s.size[d];
    }
    *a += place * s.a[d];
    *b += place * s.b[d];
    *bias += place * s.bias[d];
  }
}

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

// Reduces one value per work-item over the group; every work-item gets the result. All work-items of the group must
// call it.
#define GROUP_FOLD(name, T, fold)                                                                                     \
  static T name(T value, local T *scratch) {                                                                                 \
    int item = get_local_id(0);                                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                     \
    scratch[item] = value;                                                                                            \
    for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {                                                  \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                   \
      if (item < half_size) {                                                                                         \
        T a = scratch[item];                                                                                          \
        T b = scratch[item + half_size];                                                                              \
        scratch[item] = fold(a, b);                                                                                   \
      }                                                                                                               \
    }                                                                                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                     \
    return scratch[0];                                                                                                \
  }
