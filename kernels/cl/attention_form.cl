// Definitions that the attention kernels share: masks and matrix layouts. It precedes their sources.

// The number of masks, their types and kinds. Kind 0 adds the mask to the score. Kind 1 replaces the score by `fill`
// where the mask is false, kind 2 where it is true. An absent mask is passed as any pointer.
#ifndef MASKS
#define MASKS 0
#define MASK_A float
#define MASK_B float
#define KIND_A 0
#define KIND_B 0
#endif
// Which tensors are fp16, besides the queries and the result.
#ifndef HALF_KEY
#define HALF_KEY 0
#endif
#ifndef HALF_VALUE
#define HALF_VALUE 0
#endif
#ifndef HALF_MASK_A
#define HALF_MASK_A 0
#endif
#ifndef HALF_MASK_B
#define HALF_MASK_B 0
#endif

// The matrices of all items: the offset of the first, the strides of rows and columns, and the batch axes.
typedef struct {
  long offset, row, column;
  long size[4];
  long step[4];
} View;

typedef struct {
  long items, length, sources;
  View query, key, value, mask_a, mask_b, output;
} Attention;

// Relies on fewer than 2^31 items, because 64-bit divisions would take longer than much of a group's work.
static long begin(View view, long item) {
  long place = view.offset;
  uint rest = (uint)item;
#pragma unroll
  for (int d = 3; d >= 0; d--) {
    if (view.size[d] == 1) continue;
    uint size = (uint)view.size[d];
    place += rest % size * view.step[d];
    rest /= size;
  }
  return place;
}

// For kernels that copy eight fp16 values at a time.

// Gathers eight elements of a row, `step` apart. Elements from `count` on are zero.
static uint4 gather(global const ushort *row, long step, int count) {
  ushort v[8];
#pragma unroll
  for (int i = 0; i < 8; i++) v[i] = i < count ? row[i * step] : 0;
  return (uint4)(v[0] | (uint)v[1] << 16, v[2] | (uint)v[3] << 16, v[4] | (uint)v[5] << 16, v[6] | (uint)v[7] << 16);
}

// Whether all chunks of a matrix that begins at `place` are aligned and end within their rows.
static bool is_aligned(View view, long place, int columns) {
  return view.column == 1 && (view.row & 7) == 0 && (place & 7) == 0 && columns % 8 == 0;
}

// The leading part of an attention weight, exact in fp16. It is slightly less than the weight, so that the remainder is
// not zero: zero times an infinite value would give NaN.
static float leading(float share) { return as_float(as_uint(share * 0.9995f) & 0xffffe000u); }

#define MASKED(score, kind, mask, fill)                                                                               \
  ((kind) == 0 ? (score) + (float)(mask) : ((mask) != 0) == ((kind) == 1) ? (score) : (fill))

// Applies the masks to the score of a query and a key. Other names are the kernels' parameters.
#define MASK_SCORE(score, query, key)                                                                                 \
  if (MASKS > 0) {                                                                                                    \
    long place_a = (query) * s.mask_a.row + (key) * s.mask_a.column;                                                  \
    score = MASKED(score, KIND_A, AT(HALF_MASK_A, mask_a_matrix, place_a), fill_a);                                   \
  }                                                                                                                   \
  if (MASKS > 1) {                                                                                                    \
    long place_b = (query) * s.mask_b.row + (key) * s.mask_b.column;                                                  \
    score = MASKED(score, KIND_B, AT(HALF_MASK_B, mask_b_matrix, place_b), fill_b);                                   \
  }

// Declares the masks of an item under the names that MASK_SCORE uses. Other names are the kernels' parameters.
#define FIND_MASKS(item)                                                                                              \
  global const OR_HALF(HALF_MASK_A, MASK_A) * mask_a_matrix = mask_a + mask_a0 + begin(s.mask_a, item);               \
  global const OR_HALF(HALF_MASK_B, MASK_B) * mask_b_matrix = mask_b + mask_b0 + begin(s.mask_b, item);

// The online softmax. SHARE is the attention weight of a score relative to the running maximum. FADED is the factor for
// sums whose maximum was `top`. If all scores so far are -inf, SHARE is 0 and FADED is 1.
#define EXP exp
#define SHARE(score, largest) ((largest) == -INFINITY && !isnan(score) ? 0.0f : EXP((score) - (largest)))
#define FADED(top, largest) ((top) == (largest) ? 1.0f : EXP((top) - (largest)))
