// Resizing: a horizontal pass over blocks of source rows, whose results a vertical pass accumulates into target rows.
// Only few rows are in memory at a time, whatever the sizes.
#include "passes.h"

#include <stdlib.h>

/// Two blocks, enough for target rows that need few source rows.
enum { RING = 2 * BLOCK };

typedef void HorizontalColours(const Filter *columns, const uint8_t *const rows[BLOCK], float *const resampled[BLOCK]);

static HorizontalColours *colours_pass(CImagesVectors vectors) {
#if defined(__x86_64__)
  bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (vectors == CIMAGES_WIDEST && has_avx512) return cimages_horizontal_colours_avx512;
  if (vectors != CIMAGES_PORTABLE && __builtin_cpu_supports("avx2")) return cimages_horizontal_colours_avx2;
#endif
  (void)vectors;
  return cimages_horizontal_colours;
}

typedef struct {
  CImagesSource source;
  CImagesTarget target;
  CImagesSamples samples;
  HorizontalColours *colours_pass;
  Filter columns, rows;
  size_t source_width, source_height;
  size_t width;      // floats in a target row
  float *lines;      // a block of gray rows as floats
  float *resampled;  // RING rows from the horizontal pass
  float *sums;       // target rows in progress
} Resize;

/// A resampled row stays in the ring until `RING` more rows are read.
static float *resampled_row(const Resize *resize, int32_t row) {
  return resize->resampled + (size_t)(row % RING) * resize->width;
}

/// Runs the horizontal pass over the block that begins at `row`. Beyond the last row it repeats that row.
static void read_block(const Resize *resize, int32_t row) {
  const uint8_t *rows[BLOCK];
  float *resampled[BLOCK];
  for (int i = 0; i < BLOCK; i++) {
    size_t y = (size_t)row + (size_t)i;
    if (y >= resize->source_height) y = resize->source_height - 1;
    rows[i] = (const uint8_t *)resize->source.bytes + y * resize->source.row_bytes;
    resampled[i] = resampled_row(resize, row + i);
  }
  if (resize->samples == CIMAGES_COLOUR8) {
    resize->colours_pass(&resize->columns, rows, resampled);
  } else {
    cimages_horizontal_gray(&resize->columns, resize->samples, rows, resize->source_width, resize->lines, resampled);
  }
}

/// Adds source rows `from` to `end`, all of one block, to a target row.
static void add(const Resize *resize, Tap tap, int32_t from, int32_t end, float *sums) {
  const float *rows[BLOCK];
  for (int32_t row = from; row < end; row++) rows[row - from] = resampled_row(resize, row);
  cimages_vertical_add(sums, rows, tap.weights + (from - tap.first), end - from, resize->width, from == tap.first);
}

static void write(const Resize *resize, int32_t row, const float *sums) {
  uint8_t *target = (uint8_t *)resize->target.bytes + (size_t)row * resize->target.row_bytes;
  cimages_write_samples(sums, resize->samples, target, resize->width);
}

static int32_t block_of(int32_t row) { return row - row % BLOCK; }
static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t greatest(int32_t a, int32_t b) { return a > b ? a : b; }

/// Computes the target rows one after the other from rows in the ring.
static void gather(const Resize *resize) {
  int32_t next = block_of(resize->rows.taps[0].first);
  for (int32_t y = 0; y < resize->rows.count; y++) {
    Tap tap = resize->rows.taps[y];
    int32_t end = tap.first + tap.count;
    next = greatest(next, block_of(tap.first));
    for (; next < end; next += BLOCK) read_block(resize, next);
    for (int32_t from = tap.first; from < end; from += BLOCK) add(resize, tap, from, least(from + BLOCK, end), resize->sums);
    write(resize, y, resize->sums);
  }
}

/// Adds each block to all target rows that it contributes to. `begun` of them are in memory.
static void scatter(const Resize *resize, int32_t begun) {
  const Tap *taps = resize->rows.taps;
  int32_t done = 0;
  for (int32_t next = block_of(taps[0].first); done < resize->rows.count; next += BLOCK) {
    read_block(resize, next);
    for (int32_t y = done; y < resize->rows.count && taps[y].first < next + BLOCK; y++) {
      int32_t end = taps[y].first + taps[y].count, from = greatest(taps[y].first, next);
      if (from >= least(end, next + BLOCK)) continue;
      float *sums = resize->sums + (size_t)(y % begun) * resize->width;
      add(resize, taps[y], from, least(end, next + BLOCK), sums);
      if (end > next + BLOCK) continue;
      write(resize, y, sums);
      done = y + 1;
    }
  }
}

/// The maximum number of target rows that are in progress at a time.
static int32_t most_begun(const Filter *rows) {
  int32_t most = 1;
  for (int32_t y = 0, last = 0; y < rows->count; y++) {
    int32_t end = block_of(rows->taps[y].first + rows->taps[y].count - 1) + BLOCK;
    while (last + 1 < rows->count && rows->taps[last + 1].first < end) last++;
    most = greatest(most, last - y + 1);
  }
  return most;
}

bool cimages_resize(
  CImagesSource source, CImagesTarget target, CImagesSamples samples, CImagesAxis columns, CImagesAxis rows, CImagesVectors vectors) {
  Resize resize = {.source = source, .target = target, .samples = samples, .colours_pass = colours_pass(vectors)};
  resize.source_width = (size_t)columns.size;
  resize.source_height = (size_t)rows.size;
  bool made = cimages_filter_make(&resize.columns, columns);
  made = cimages_filter_make(&resize.rows, rows) && made;
  if (made) {
    bool gathers = resize.rows.most <= BLOCK + 1;
    int32_t begun = gathers ? 1 : most_begun(&resize.rows);
    resize.width = (size_t)columns.count * (samples == CIMAGES_COLOUR8 ? 4 : 1);
    resize.lines = samples == CIMAGES_COLOUR8 ? NULL : malloc(resize.source_width * BLOCK * sizeof(float));
    resize.resampled = malloc(resize.width * RING * sizeof(float));
    resize.sums = malloc(resize.width * (size_t)begun * sizeof(float));
    made = resize.resampled != NULL && resize.sums != NULL && (resize.lines != NULL || samples == CIMAGES_COLOUR8);
    if (made && gathers) gather(&resize);
    if (made && !gathers) scatter(&resize, begun);
  }
  free(resize.lines);
  free(resize.resampled);
  free(resize.sums);
  cimages_filter_free(&resize.columns);
  cimages_filter_free(&resize.rows);
  return made;
}
