// Definitions that every kernel source starts with. OpenCL C 1.2, single precision, no extensions.
//
// A tensor is a pointer and its first element's index: values lie side by side in one arena. INDEX is the type of
// element counts and strides: int while every tensor of a launch has fewer than 2^31 elements, else long.

#ifndef INDEX
#define INDEX int
#endif

// Work-items in one work-group of the kernels that reduce along a row: a power of two.
#ifndef GROUP
#define GROUP 64
#endif

// Reads and writes an element of memory that holds halves (`is_half` is 1) or floats; halves are rounded to the nearest,
// ties to even. Reading and writing them is part of OpenCL C; arithmetic on them is not.
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

// Reads eight neighbours, at once where the first is known to lie at a multiple of eight.
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

// Which of a kernel's tensors are halves: the first that is read, the one that is added to a result, and the result.
#ifndef HALF_X
#define HALF_X 0
#endif
#ifndef HALF_ADD
#define HALF_ADD 0
#endif
#ifndef HALF_Y
#define HALF_Y 0
#endif
// Of a product, which of its factors are halves.
#ifndef HALF_A
#define HALF_A 0
#endif
#ifndef HALF_B
#define HALF_B 0
#endif

// Whether a factor is stored the other way round: A as [k][m], B as [n][k].
#ifndef TRANSPOSE_A
#define TRANSPOSE_A 0
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif
// Factors of kernels by warps are halves or, with FLOATS, single-precision numbers. A chunk of 16 bytes has eight of those or four of these.
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

// What products and convolutions end with. The bias is one number a row (1) or a column (2), or none; a kernel that knows one kind says so.
#ifndef BIAS
#define BIAS 0
#endif
// Whether a tensor of the result's shape is added after the bias.
#ifndef RESIDUAL
#define RESIDUAL 0
#endif
// Dimensions of a product's batch, and each operand's distance between neighbours in them: 0 where it repeats. The result is packed.
typedef struct {
  long batches;
  long size[4];
  long a[4];
  long b[4];
  long bias[4];
} Batch;

// Moves places of a product's operands on to those of matrix `number` of the batch. Divisions of 64 bits take a group longer than much of its
// work: most products have one matrix, and others fewer than 2^31.
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

// Folds one value a work-item into one for the group; every work-item gets it. All of the group must call it.
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
