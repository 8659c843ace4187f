// Definitions that the tensor core attention kernels share: sizes, and the online softmax. attention_form.cl and the
// functions of a warp precede this source. With SPLIT warps for the same queries, each has OWN keys of a block.
#ifndef WARPS
#define WARPS 4
#define SOURCES 64
#define DEPTH 64
#define WIDTH 64
#endif
#ifndef SPLIT
#define SPLIT 1
#endif

#define ITEMS (WARPS * SPLIT * 32)
#define QUERIES (WARPS * 16)
#define OWN (SOURCES / SPLIT)
#define DEPTH_BLOCKS ((DEPTH + 15) / 16)
#define WIDTH_BLOCKS ((WIDTH + 15) / 16)

// The hardware exponential is accurate enough for attention weights.
#undef EXP
#define EXP native_exp

// Updates the running maxima of a lane's two queries with the scores of a block. Scales the totals of attention weights
// and the value accumulators to the new maxima.
static void raise_top(float *top, float *total, float scores[OWN / 8][4], float sums[WIDTH_BLOCKS * 2][4] WARP_PARAMETER) {
#pragma unroll
  for (int h = 0; h < 2; h++) {
    float largest = top[h];
#pragma unroll
    for (int j = 0; j < OWN / 8; j++) largest = fmax(largest, fmax(scores[j][h * 2], scores[j][h * 2 + 1]));
    // Four lanes share a query.
    largest = fmax(largest, across(largest, 1 WARP));
    largest = fmax(largest, across(largest, 2 WARP));
    float factor = FADED(top[h], largest);
    top[h] = largest;
    total[h] *= factor;
#pragma unroll
    for (int j = 0; j < WIDTH_BLOCKS * 2; j++) {
      sums[j][h * 2] *= factor;
      sums[j][h * 2 + 1] *= factor;
    }
  }
}
