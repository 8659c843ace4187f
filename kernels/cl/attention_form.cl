// What the kernels of attention share: their masks, and where matrices lie. It stands in front of them.

// How many masks there are, of what type, and what each does: 0 adds a number to the score, 1 puts `fill` where it is false, 2 where it is true.
// An absent mask is given as any pointer.
#ifndef MASKS
#define MASKS 0
#define MASK_A float
#define MASK_B float
#define KIND_A 0
#define KIND_B 0
#endif
// Which of the tensors are halves besides the queries and the result.
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

// The matrices of all items: where the first begins, how far its rows and columns are apart, and the axes of the batch.
typedef struct {
  long offset, row, column;
  long size[4];
  long step[4];
} View;

typedef struct {
  long items, length, sources;
  View query, key, value, mask_a, mask_b, output;
} Attention;

// Items are fewer than 2^31: divisions of more bits would take a group longer than much of its work.
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

// For kernels that copy eight halves at once.

// Eight neighbours of a row, `step` apart, of which `count` are there: zeros behind them.
static uint4 gather(global const ushort *row, long step, int count) {
  ushort v[8];
#pragma unroll
  for (int i = 0; i < 8; i++) v[i] = i < count ? row[i * step] : 0;
  return (uint4)(v[0] | (uint)v[1] << 16, v[2] | (uint)v[3] << 16, v[4] | (uint)v[5] << 16, v[6] | (uint)v[7] << 16);
}

// Whether all chunks of a matrix that begins at `place` are aligned, and none reaches behind its row.
static bool is_aligned(View view, long place, int columns) {
  return view.column == 1 && (view.row & 7) == 0 && (place & 7) == 0 && columns % 8 == 0;
}

// The leading part of a share, as a half holds it: a little less than all of it, so that the rest is no zero, of which an infinite value would
// make no number.
static float leading(float share) { return as_float(as_uint(share * 0.9995f) & 0xffffe000u); }

#define MASKED(score, kind, mask, fill)                                                                               \
  ((kind) == 0 ? (score) + (float)(mask) : ((mask) != 0) == ((kind) == 1) ? (score) : (fill))

// What the masks make of the score of a query and a key; other names are those of the kernels' parameters.
#define MASK_SCORE(score, query, key)                                                                                 \
  if (MASKS > 0) {                                                                                                    \
    long place_a = (query) * s.mask_a.row + (key) * s.mask_a.column;                                                  \
    score = MASKED(score, KIND_A, AT(HALF_MASK_A, mask_a_matrix, place_a), fill_a);                                   \
  }                                                                                                                   \
  if (MASKS > 1) {                                                                                                    \
    long place_b = (query) * s.mask_b.row + (key) * s.mask_b.column;                                                  \
    score = MASKED(score, KIND_B, AT(HALF_MASK_B, mask_b_matrix, place_b), fill_b);                                   \
  }

// The masks of an item, by the names that MASK_SCORE has; other names are those of the kernels' parameters.
#define FIND_MASKS(item)                                                                                              \
  global const OR_HALF(HALF_MASK_A, MASK_A) * mask_a_matrix = mask_a + mask_a0 + begin(s.mask_a, item);               \
  global const OR_HALF(HALF_MASK_B, MASK_B) * mask_b_matrix = mask_b + mask_b0 + begin(s.mask_b, item);

// How scores that are found block by block become shares of a softmax: the share of a score below the largest, and what scales shares whose
// largest score was `top`. Where all are minus infinity so far there is no share, and nothing to scale.
#define EXP exp
#define SHARE(score, largest) ((largest) == -INFINITY && !isnan(score) ? 0.0f : EXP((score) - (largest)))
#define FADED(top, largest) ((top) == (largest) ? 1.0f : EXP((top) - (largest)))
