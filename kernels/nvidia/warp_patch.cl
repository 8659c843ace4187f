// Y = then(W * X + bias + add), a convolution with tensor cores and fp32 accumulators. The functions of a warp
// (warp_ptx.cl or warp_plain.cl) precede this source. X is [image][channel][y][x]. W is the output of `pack_weights`.
//
// Factors are fp16 or, with FLOATS, fp32 values that are rounded once to ten fraction bits (TF32). Weights are rounded
// when they are packed, pixels on the way to local memory. A 16-byte chunk has eight fp16 or four fp32 channels. One
// MMA covers two chunks of K in both cases.
//
// A work-group computes TILE_M output channels of a rectangle of TILE_H x TILE_W output pixels of one image, as a GEMM.
// Its rows are channels; its columns are TILE_N pixels, and those beyond the rectangle are idle. Input channels are
// processed in slices of SLICE. The patch of input pixels that the rectangle needs is copied to local memory once per
// slice. A chunk of the patch has neighboring channels of a pixel. Every tap reads its operand from the patch, as
// matrix rows with another start. The next patch waits in registers while the taps of the current one are multiplied.
// Weights are copied ROUND_TAPS taps at a time, STAGES - 1 rounds ahead.
//
// The caller may describe a 1 x 1 convolution without padding as an image of one row. Then VECTOR neighbors are read at
// a time.
#ifndef WARPS_M
#define WARPS_M 2
#define WARPS_N 2
#define WARP_M 32
#define WARP_N 32
#define TILE_H 8
#define TILE_W 8
#endif
#ifndef KERNEL_H
#define KERNEL_H 3
#define KERNEL_W 3
#endif
#ifndef STRIDE_H
#define STRIDE_H 1
#define STRIDE_W 1
#endif
#ifndef DILATION_H
#define DILATION_H 1
#define DILATION_W 1
#endif
#ifndef SLICE
#define SLICE 32
#endif
#ifndef ROUND_TAPS
#define ROUND_TAPS KERNEL_W
#endif
#ifndef STAGES
#define STAGES 3
#endif
// Patches in local memory. With two, a slice needs no extra barrier.
#ifndef PATCHES
#define PATCHES 1
#endif
#ifndef VECTOR
#define VECTOR 1
#endif
// With ROLLED, loops over taps and blocks are not unrolled. warp_plain.cl has many barriers, and PoCL 3.1 generates
// wrong code for very many consecutive ones.
#ifndef THEN
#define THEN(x) (x)
#endif

#define TILE_M (WARPS_M * WARP_M)
#define TILE_N (WARPS_N * WARP_N)
#define ITEMS (WARPS_M * WARPS_N * 32)
#define TAPS (KERNEL_H * KERNEL_W)
#define ROUNDS (TAPS / ROUND_TAPS)
#define BLOCKS (SLICE / (2 * PER_CHUNK))
// Chunks of a round's weights: for each tap and block of channels, TILE_M rows of two chunks.
#define UNIT (TILE_M * 2)
#define ROUND_CHUNKS (ROUND_TAPS * BLOCKS * UNIT)
// If the kernel is one pixel high (or wide), a patch has only the rows (columns) that are used, otherwise all. APART is
// the distance of neighboring outputs in the patch.
#define STEP_H (KERNEL_H == 1 ? STRIDE_H : 1)
#define STEP_W (KERNEL_W == 1 ? STRIDE_W : 1)
#define APART_H (STRIDE_H / STEP_H)
#define APART_W (STRIDE_W / STEP_W)
#define PATCH_H ((TILE_H - 1) * APART_H + (KERNEL_H - 1) * DILATION_H + 1)
#define PATCH_W ((TILE_W - 1) * APART_W + (KERNEL_W - 1) * DILATION_W + 1)
// A patch row stores every APART_W-th column first, then the columns next to them, and so on. Neighboring outputs then
// read neighboring chunks, without bank conflicts within a warp.
#define PHASE ((PATCH_W + APART_W - 1) / APART_W)
#define PATCH_ROW (PHASE * APART_W)
#define PATCH (PATCH_H * PATCH_ROW)
#define RUNS (PATCH / VECTOR * (SLICE / PER_CHUNK))
#define FETCHES ((RUNS + ITEMS - 1) / ITEMS)
#define WORDS (FLOATS ? VECTOR : (VECTOR + 1) / 2)

#if TAPS % ROUND_TAPS || SLICE % (2 * PER_CHUNK) || STAGES < 2 || TILE_H * TILE_W > TILE_N
#error "a convolution by warps that cannot be divided so"
#endif
#if VECTOR > 1 && (TAPS > 1 || STRIDE_W > 1 || TILE_H > 1 || TILE_W % VECTOR || VECTOR == 3 || VECTOR > 4)
#error "only pixels of a convolution of single pixels are read together"
#endif

// Channels and outputs are those of one group of the convolution. `parts` work-groups split the channels.
typedef struct {
  int images, groups, parts, channels, outputs;
  int height, width, output_height, output_width, pad_top, pad_left;
} Picture;

// Position of a chunk in a block's rows of two chunks. Chunks of eight rows in one column are in different banks.
static int weight_place(int row, int column) { return row * 2 + (column ^ (row >> 2 & 1)); }

// Offset of a tap's pixel in a patch, relative to the output's first pixel.
static int tap_place(int tap) {
  int column = tap % KERNEL_W * DILATION_W;
  return tap / KERNEL_W * DILATION_H * PATCH_ROW + column % APART_W * PHASE + column / APART_W;
}

// Reads a run of neighbors as words, with one aligned load.
static void read_run(uint *run, global const NUMBER *x) {
#if FLOATS && VECTOR == 4
  uint4 words = *(global const uint4 *)x;
  run[0] = words.x;
  run[1] = words.y;
  run[2] = words.z;
  run[3] = words.w;
#elif VECTOR == 4 || FLOATS && VECTOR == 2
  uint2 words = *(global const uint2 *)x;
  run[0] = words.x;
  run[1] = words.y;
#elif VECTOR == 2
  run[0] = *(global const uint *)x;
#else
  run[0] = x[0];
#endif
}

// Reads the first `count` pixels of a run, one by one.
static void gather_run(uint *run, global const NUMBER *x, int count) {
#pragma unroll
  for (int i = 0; i < VECTOR; i++) {
#if FLOATS
    if (i < count) run[i] = x[i];
#else
    if (i < count) run[i / 2] |= (uint)x[i] << i % 2 * 16;
#endif
  }
}

#if !FLOATS
// Combines pixel i of one run (lower half of the word) with pixel i of another (upper half).
static uint pixel_pair(const uint *low, const uint *high, int i) {
  if (i % 2) return low[i / 2] >> 16 | (high[i / 2] & 0xffff0000u);
  return (low[i / 2] & 0xffffu) | high[i / 2] << 16;
}
#endif

// Offsets of this item's runs in a slice's channels; -1 for runs that are wholly outside. `y0` and `x0` are the patch's
// first pixel.
static void find_runs(INDEX *place, int y0, int x0, Picture s) {
#pragma unroll
  for (int f = 0; f < FETCHES; f++) {
    int run = get_local_id(0) + f * ITEMS;
    int within = run % (PATCH / VECTOR) * VECTOR;
    int column = within % PATCH_ROW;
    int y = y0 + within / PATCH_ROW * STEP_H;
    int x = x0 + (column % PHASE * APART_W + column / PHASE) * STEP_W;
    bool inside = run < RUNS && y >= 0 && y < s.height && x >= 0 && x < s.width;
    place[f] = inside ? (INDEX)(run / (PATCH / VECTOR)) * PER_CHUNK * s.height * s.width + (INDEX)y * s.width + x : -1;
  }
}

// Reads this item's runs of the slice whose first channel is at `x`; `channels` channels are left.
static void fetch_patch(uint fetched[FETCHES][PER_CHUNK][WORDS], global const NUMBER *x, const INDEX *place, int channels, int x0,
                        bool aligned, Picture s) {
  long plane = (long)s.height * s.width;
#pragma unroll
  for (int f = 0; f < FETCHES; f++) {
    int run = get_local_id(0) + f * ITEMS;
    int here = place[f] < 0 ? 0 : channels - run / (PATCH / VECTOR) * PER_CHUNK;
    global const NUMBER *first = here > 0 ? x + place[f] : x;
#pragma unroll
    for (int i = 0; i < PER_CHUNK; i++) {
#pragma unroll
      for (int k = 0; k < WORDS; k++) fetched[f][i][k] = 0;
      if (i < here && (VECTOR == 1 || aligned)) read_run(fetched[f][i], first + i * plane);
    }
#if VECTOR > 1
    if (aligned || here <= 0) continue;
    int count = s.width - x0 - run % (PATCH / VECTOR) * VECTOR;
#pragma unroll
    for (int i = 0; i < PER_CHUNK; i++) gather_run(fetched[f][i], first + i * plane, i < here ? count : 0);
#endif
  }
}

static void store_patch(local uint4 *patch, uint fetched[FETCHES][PER_CHUNK][WORDS]) {
#pragma unroll
  for (int f = 0; f < FETCHES; f++) {
    int run = get_local_id(0) + f * ITEMS;
    if ((f + 1) * ITEMS > RUNS && run >= RUNS) continue;
#pragma unroll
    for (int i = 0; i < VECTOR; i++) {
      uint w[4];
#pragma unroll
#if FLOATS
      for (int k = 0; k < 4; k++) w[k] = to_tf32(fetched[f][k][i]);
#else
      for (int k = 0; k < 4; k++) w[k] = pixel_pair(fetched[f][k * 2], fetched[f][k * 2 + 1], i);
#endif
      patch[run * VECTOR + i] = (uint4)(w[0], w[1], w[2], w[3]);
    }
  }
}
