// Resizing: blocks of source rows along their columns, then added to the rows of the result. Few rows are in memory at a time, whatever the sizes.
#include "rows.h"

#include <stdlib.h>

/// Two blocks: rows of the result that need few rows of the source find them here.
enum { RING = 2 * BLOCK };

typedef void NarrowColours(const Filter *columns, const uint8_t *const rows[BLOCK], float *const narrow[BLOCK]);

static NarrowColours *narrow_colours(bool portable) {
#if defined(__x86_64__)
  if (!portable && __builtin_cpu_supports("avx2")) return rows_narrow_colours_avx2;
#endif
  (void)portable;
  return rows_narrow_colours;
}

typedef struct {
  CImagesSource source;
  CImagesTarget target;
  CImagesSamples samples;
  NarrowColours *narrow_colours;
  Filter columns, rows;
  size_t source_width, source_height;
  size_t width;   // floats in a row of the result
  float *lines;   // a block of gray rows as float
  float *narrow;  // RING rows
  float *sums;    // rows of the result that are begun
} Resize;

/// The row is in the ring until `RING` rows more are read.
static float *narrow_row(const Resize *resize, int32_t row) { return resize->narrow + (size_t)(row % RING) * resize->width; }

/// Reads the block of rows that begins at `row`. Below the last row it repeats that.
static void read_block(const Resize *resize, int32_t row) {
  const uint8_t *rows[BLOCK];
  float *narrow[BLOCK];
  for (int i = 0; i < BLOCK; i++) {
    size_t y = (size_t)row + (size_t)i;
    if (y >= resize->source_height) y = resize->source_height - 1;
    rows[i] = (const uint8_t *)resize->source.bytes + y * resize->source.row_bytes;
    narrow[i] = narrow_row(resize, row + i);
  }
  if (resize->samples == CIMAGES_COLOUR8) {
    resize->narrow_colours(&resize->columns, rows, narrow);
  } else {
    rows_narrow_gray(&resize->columns, resize->samples, rows, resize->source_width, resize->lines, narrow);
  }
}

/// Adds rows `from` to `end` of the source, of one block, to a row of the result.
static void add(const Resize *resize, Tap tap, int32_t from, int32_t end, float *sums) {
  const float *rows[BLOCK];
  for (int32_t row = from; row < end; row++) rows[row - from] = narrow_row(resize, row);
  rows_add(sums, rows, tap.weights + (from - tap.first), end - from, resize->width, from == tap.first);
}

static void write(const Resize *resize, int32_t row, const float *sums) {
  uint8_t *target = (uint8_t *)resize->target.bytes + (size_t)row * resize->target.row_bytes;
  rows_write(sums, resize->samples, target, resize->width);
}

static int32_t block_of(int32_t row) { return row - row % BLOCK; }
static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t greatest(int32_t a, int32_t b) { return a > b ? a : b; }

/// Each row of the result is made of rows in the ring, one result after the other.
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

/// Each block is added to all rows of the result that it is part of. `begun` of them are in memory.
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

/// How many rows of the result are begun and not complete at a time.
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
  CImagesSource source, CImagesTarget target, CImagesSamples samples, CImagesAxis columns, CImagesAxis rows, bool portable) {
  Resize resize = {.source = source, .target = target, .samples = samples, .narrow_colours = narrow_colours(portable)};
  resize.source_width = (size_t)columns.size;
  resize.source_height = (size_t)rows.size;
  bool made = filter_make(&resize.columns, columns);
  made = filter_make(&resize.rows, rows) && made;
  if (made) {
    bool gathers = resize.rows.most <= BLOCK + 1;
    int32_t begun = gathers ? 1 : most_begun(&resize.rows);
    resize.width = (size_t)columns.count * (samples == CIMAGES_COLOUR8 ? 4 : 1);
    resize.lines = samples == CIMAGES_COLOUR8 ? NULL : malloc(resize.source_width * BLOCK * sizeof(float));
    resize.narrow = malloc(resize.width * RING * sizeof(float));
    resize.sums = malloc(resize.width * (size_t)begun * sizeof(float));
    made = resize.narrow != NULL && resize.sums != NULL && (resize.lines != NULL || samples == CIMAGES_COLOUR8);
    if (made && gathers) gather(&resize);
    if (made && !gathers) scatter(&resize, begun);
  }
  free(resize.lines);
  free(resize.narrow);
  free(resize.sums);
  filter_free(&resize.columns);
  filter_free(&resize.rows);
  return made;
}
