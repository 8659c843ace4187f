// C = then(A B + bias + add) for batches of matrices. With CONVOLUTION it is a convolution as such a GEMM, whose B is
// gathered from the images. A work-group computes TILE_M x TILE_N results and processes K in slices of TILE_K. Two
// slices are in local memory as [k][m] and [k][n]: one is used while the other is filled. A third one is on its way to
// registers.
//
// A work-item computes ITEM_M x ITEM_N results in blocks of 4 x 4. 32 neighboring work-items (a warp on NVIDIA) compute
// 4 ITEM_M x 8 ITEM_N. They read few distinct locations of local memory at a time, without bank conflicts. With SHARES
// > 1, that many work-items per result split the K range of a slice; their accumulators are added at the end.
//
// TILE_M and TILE_N are multiples of the extents that 32 work-items compute. TILE_K / SHARES is even. TILE_M TILE_K and
// TILE_N TILE_K give each work-item a multiple of four elements. For a convolution TILE_N divides the group size.
#ifndef TILE_M
#define TILE_M 64
#define TILE_N 64
#define TILE_K 16
#define ITEM_M 8
#define ITEM_N 8
#endif
#ifndef SHARES
#define SHARES 1
#endif
// Whether the steps of a slice are a loop instead of unrolled. CPU compilers need minutes for unrolled steps, which run
// no faster there.
#ifndef ROLLED
#define ROLLED 0
#endif
// Whether a step's operands are loaded during the previous step's multiplications, also across the barrier. Worth its
// registers if a compute unit holds no other group that could run meanwhile.
#ifndef LOOKAHEAD
#define LOOKAHEAD 0
#endif
// THEN is applied to a result before it is stored.
#ifndef THEN
#define THEN(x) (x)
#endif
// K-split across groups: with PARTS > 1, C holds partial sums [batch][part][m][n] for parts.cl.
#ifndef PARTS
#define PARTS 1
#endif

#define WARP_M (4 * ITEM_M)
#define WARP_N (8 * ITEM_N)
#define WARPS_M (TILE_M / WARP_M)
#define WARPS_N (TILE_N / WARP_N)
#define SHARE_ITEMS (WARPS_M * WARPS_N * 32)
#define ITEMS (SHARE_ITEMS * SHARES)
#define STEPS (TILE_K / SHARES)
#define LOADS_A (TILE_M * TILE_K / 4 / ITEMS)
#define LOADS_B (TILE_N * TILE_K / 4 / ITEMS)
// Rows of a slice stay aligned to four floats, and stores across rows go to different banks.
#define PITCH_M (TILE_M + 4)
#define PITCH_N (TILE_N + 4)
#define SLICE (TILE_K * (PITCH_M + PITCH_N))
#define EXCHANGE (SHARES / 2 * TILE_M * TILE_N)
#define CELLS (2 * SLICE > EXCHANGE ? 2 * SLICE : EXCHANGE)

// Compilers would not inline these functions, because of their length and number of calls.
#define INLINE static inline __attribute__((always_inline))

// Reads four consecutive elements. Elements from `count` on are zero. The parameter after `count` promises that all or
// none exist and that they are aligned to four.
INLINE void read_four(float *v, global const void *memory, INDEX place, INDEX count, bool quads, bool is_half) {
  global const float *floats = memory;
  global const half *halves = memory;
  if (quads && is_half) {
    uint2 raw = count > 0 ? *(global const uint2 *)(halves + place) : (uint2)(0);
    uint words[2] = {raw.x, raw.y};
#pragma unroll
    for (int e = 0; e < 4; e++) {
      ushort bits = (ushort)(words[e / 2] >> (e % 2 * 16));
      v[e] = vload_half(0, (const half *)&bits);
    }
  } else if (quads) {
    float4 four = count > 0 ? *(global const float4 *)(floats + place) : (float4)(0.0f);
    v[0] = four.x;
    v[1] = four.y;
    v[2] = four.z;
    v[3] = four.w;
  } else {
#pragma unroll
    for (int e = 0; e < 4; e++) v[e] = e < count ? (is_half ? vload_half(place + e, halves) : floats[place + e]) : 0.0f;
  }
}

// The first row (or column) and the first k of the i-th group of four that a work-item loads. The groups are from a
// slice of a factor with `size` rows or columns. Along K, neighbors load two groups of four of each of 16 rows. Across
// K, neighbors load neighboring groups.
INLINE int place_of(int i, int size, bool is_along) {
  int item = get_local_id(0);
  if (!is_along) return item % (size / 4) * 4;
  int rounds = 2 * size > ITEMS ? 2 * size / ITEMS : 1;
  return item / 2 % size + i % rounds * (ITEMS / 2);
}
INLINE int depth_of(int i, int size, bool is_along) {
  int item = get_local_id(0);
  if (!is_along) return item / (size / 4) + i * (ITEMS * 4 / size);
  int rounds = 2 * size > ITEMS ? 2 * size / ITEMS : 1;
  int items = ITEMS > 2 * size ? ITEMS / (2 * size) : 1;
  return (item % 2 + 2 * (item / (2 * size) + i / rounds * items)) * 4;
}

// A factor as stored: `rows` rows (or columns) of length `depth`; the GEMM ends at `end`. `is_along`: K runs along the
// stored rows.
typedef struct {
  global const void *numbers;
  INDEX rows, depth, end;
  bool is_along, quads, is_half;
} Factor;

// Loads the i-th group of four of the slice of `size` rows from `row0` and `k0` on.
INLINE void fetch(float *v, Factor f, INDEX row0, INDEX k0, int i, int size) {
  INDEX row = row0 + place_of(i, size, f.is_along);
  INDEX k = k0 + depth_of(i, size, f.is_along);
  if (f.is_along) {
    read_four(v, f.numbers, row * f.depth + k, row < f.rows ? f.end - k : 0, f.quads, f.is_half);
  } else {
    read_four(v, f.numbers, k * f.rows + row, k < f.end ? f.rows - row : 0, f.quads, f.is_half);
  }
}

// Stores it to local memory.
INLINE void put(local float *slice, const float *v, int i, int size, bool is_along) {
  local float *place = slice + depth_of(i, size, is_along) * (size + 4) + place_of(i, size, is_along);
  if (is_along) {
#pragma unroll
    for (int e = 0; e < 4; e++) place[e * (size + 4)] = v[e];
  } else {
    *(local float4 *)place = (float4)(v[0], v[1], v[2], v[3]);
  }
}

// Each factor has its own loop bounds, because compilers unroll before they know a parameter.
INLINE void fetch_a(float *v, Factor a, INDEX row0, INDEX k0) {
#pragma unroll
  for (int i = 0; i < LOADS_A; i++) fetch(v + i * 4, a, row0, k0, i, TILE_M);
}

INLINE void put_a(local float *slice, const float *v) {
#pragma unroll
  for (int i = 0; i < LOADS_A; i++) put(slice, v + i * 4, i, TILE_M, !TRANSPOSE_A);
}

#ifdef CONVOLUTION
#ifndef KERNEL_H
#define KERNEL_H 3
#define KERNEL_W 3
#endif
#define TAPS (KERNEL_H * KERNEL_W)
#define LOADS_X (TILE_N * TILE_K / ITEMS)
// Images of one group: k = (input channel, kernel row, kernel column), n = (image, output row, output column).
typedef struct {
  int height, width, output_width;
  int stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
} Window;
// The offset of a k relative to a pixel's first tap. All work-items need it for every slice, so one of them computes
// it. The other components tell whether the tap is inside the image: its bit in a mask, or its row and column offsets.
#if TAPS <= 32
#define STEP JOIN(INDEX, 2)
#define OUTSIDE ((STEP)(0, 0))
#else
#define STEP JOIN(INDEX, 4)
#define OUTSIDE ((STEP)(0, 1 << 30, 0, 0))
#endif

INLINE STEP step_of(INDEX k, INDEX end, Window w) {
  if (k >= end) return OUTSIDE;
  int tap = (int)(k % TAPS);
  INDEX down = tap / KERNEL_W * w.dilation_h;
  INDEX right = tap % KERNEL_W * w.dilation_w;
  INDEX place = (k / TAPS * w.height + down) * w.width + right;
#if TAPS <= 32
  return (STEP)(place, 1u << tap);
#else
  return (STEP)(place, down, right, 0);
#endif
}

// The location of a work-item's first tap, and which taps are inside the image.
typedef struct {
  INDEX place;
#if TAPS <= 32
  uint taps;
#else
  int top, left;
#endif
} Pixel;

INLINE Pixel pixel_of(INDEX number, INDEX n, INDEX area, INDEX x_image, Window w) {
  int within = (int)(number % area);
  int top = within / w.output_width * w.stride_h - w.pad_top;
  int left = within % w.output_width * w.stride_w - w.pad_left;
  Pixel pixel;
  pixel.place = number / area * x_image + (INDEX)top * w.width + left;
#if TAPS <= 32
  pixel.taps = 0;
  for (int tap = 0; tap < TAPS; tap++) {
    int y = top + tap / KERNEL_W * w.dilation_h;
    int x = left + tap % KERNEL_W * w.dilation_w;
    if (number < n && y >= 0 && y < w.height && x >= 0 && x < w.width) pixel.taps |= 1u << tap;
  }
#else
  pixel.top = number < n ? top : 1 << 30;
  pixel.left = left;
#endif
  return pixel;
}

INLINE bool has_tap(Pixel pixel, STEP step, Window w) {
#if TAPS <= 32
  return (pixel.taps & (uint)step.y) != 0;
#else
  return (uint)pixel.top + (uint)step.y < (uint)w.height && (uint)pixel.left + (uint)step.z < (uint)w.width;
#endif
}

// One warp computes the steps of some slices at a time; the others wait for it.
#define AHEAD (TILE_K > 32 ? TILE_K : 32)
INLINE void prepare(local STEP *steps, INDEX k0, INDEX end, Window w) {
  for (int i = get_local_id(0); i < AHEAD; i += ITEMS) steps[i] = step_of(k0 + i, end, w);
}

// A work-item gathers one column of a slice, every (ITEMS / TILE_N)-th row.
INLINE void gather_b(float *v, global const ELEMENT(HALF_B) * images, Pixel pixel, local const STEP *steps, Window w) {
#pragma unroll
  for (int i = 0; i < LOADS_X; i++) {
    STEP step = steps[get_local_id(0) / TILE_N + i * (ITEMS / TILE_N)];
    v[i] = has_tap(pixel, step, w) ? AT(HALF_B, images, pixel.place + step.x) : 0.0f;
  }
}

INLINE void put_b(local float *slice, const float *v) {
  int item = get_local_id(0);
#pragma unroll
  for (int i = 0; i < LOADS_X; i++) slice[(item / TILE_N + i * (ITEMS / TILE_N)) * PITCH_N + item % TILE_N] = v[i];
}
#else
INLINE void fetch_b(float *v, Factor b, INDEX column0, INDEX k0) {
#pragma unroll
  for (int i = 0; i < LOADS_B; i++) fetch(v + i * 4, b, column0, k0, i, TILE_N);
}

INLINE void put_b(local float *slice, const float *v) {
#pragma unroll
  for (int i = 0; i < LOADS_B; i++) put(slice, v + i * 4, i, TILE_N, TRANSPOSE_B);
}
#endif

// Loads a work-item's elements of a slice row: every ITEM_M-th or ITEM_N-th group of four of the warp's elements.
INLINE void load_four(float *v, local const float *place) {
  float4 four = *(local const float4 *)place;
  v[0] = four.x;
  v[1] = four.y;
  v[2] = four.z;
  v[3] = four.w;
}

INLINE void load_a(float *x, local const float *row) {
#pragma unroll
  for (int i = 0; i < ITEM_M; i += 4) load_four(x + i, row + i * 4);
}

INLINE void load_b(float *y, local const float *row) {
#pragma unroll
  for (int j = 0; j < ITEM_N; j += 4) load_four(y + j, row + j * 8);
}

INLINE void multiply(float *sums, const float *x, const float *y) {
#pragma unroll
  for (int i = 0; i < ITEM_M; i++) {
#pragma unroll
    for (int j = 0; j < ITEM_N; j++) sums[i * ITEM_N + j] = fma(x[i], y[j], sums[i * ITEM_N + j]);
  }
}
