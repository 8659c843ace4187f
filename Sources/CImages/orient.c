// The eight orientations of EXIF: rows copied or mirrored, or transposed in blocks that stay in L1.
#include "CImages.h"
#include "vectors.h"

typedef struct {
  const uint8_t *bytes;
  uint8_t *target;
  size_t source_row, target_row;  // bytes from one row to the next
  size_t width, height;           // of the source
  bool mirrors_columns, mirrors_rows;
} Turn;

INLINE void copy_pixel(uint8_t *target, const uint8_t *source, size_t size) { memcpy(target, source, size); }

/// Copies rows; reverses their pixels if columns are mirrored.
INLINE void copy_rows(const Turn *turn, size_t size) {
  for (size_t y = 0; y < turn->height; y++) {
    const uint8_t *from = turn->bytes + (turn->mirrors_rows ? turn->height - 1 - y : y) * turn->source_row;
    uint8_t *to = turn->target + y * turn->target_row;
    if (!turn->mirrors_columns) {
      memcpy(to, from, turn->width * size);
      continue;
    }
    for (size_t x = 0; x < turn->width; x++) copy_pixel(to + x * size, from + (turn->width - 1 - x) * size, size);
  }
}

/// Source positions of the pixels of a target row and a target column. Source columns become target rows.
INLINE size_t source_column(const Turn *turn, size_t y) { return turn->mirrors_columns ? turn->width - 1 - y : y; }
INLINE size_t source_row(const Turn *turn, size_t x) { return turn->mirrors_rows ? turn->height - 1 - x : x; }

INLINE void transpose_part(const Turn *turn, size_t size, size_t top, size_t bottom, size_t left, size_t right) {
  for (size_t y = top; y < bottom; y++) {
    const uint8_t *column = turn->bytes + source_column(turn, y) * size;
    uint8_t *row = turn->target + y * turn->target_row;
    for (size_t x = left; x < right; x++) copy_pixel(row + x * size, column + source_row(turn, x) * turn->source_row, size);
  }
}

/// A tile of 4 x 4 pixels of 32 bits. (y, x) is its first pixel in the target.
INLINE void transpose_vectors(const Turn *turn, size_t y, size_t x) {
  size_t column = turn->mirrors_columns ? turn->width - 4 - y : y;
  U4 rows[4], pairs[4];
  for (size_t i = 0; i < 4; i++) rows[i] = LOAD(U4, turn->bytes + source_row(turn, x + i) * turn->source_row + column * 4);
  pairs[0] = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  pairs[1] = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  pairs[2] = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  pairs[3] = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  for (size_t i = 0; i < 4; i++) {
    size_t row = turn->mirrors_columns ? y + 3 - i : y + i;
    U4 front = pairs[i / 2 * 2], back = pairs[i / 2 * 2 + 1];
    U4 line = i % 2 == 0 ? __builtin_shufflevector(front, back, 0, 1, 4, 5) : __builtin_shufflevector(front, back, 2, 3, 6, 7);
    STORE(turn->target + row * turn->target_row + x * 4, line);
  }
}

INLINE size_t end(size_t begin, size_t step, size_t limit) { return limit - begin < step ? limit : begin + step; }

/// Transposes in parts whose L1 cache lines do not evict each other, even if the row stride is a power of two.
INLINE void transpose_block(const Turn *turn, size_t size, size_t top, size_t bottom, size_t left, size_t right) {
  enum { ROWS = 16, COLUMNS = 8 };
  for (size_t y = top; y < bottom; y += ROWS) {
    for (size_t x = left; x < right; x += COLUMNS) {
      size_t last = end(y, ROWS, bottom), behind = end(x, COLUMNS, right);
      if (size != 4 || last - y < ROWS || behind - x < COLUMNS) {
        transpose_part(turn, size, y, last, x, behind);
        continue;
      }
      for (size_t i = 0; i < ROWS; i += 4) {
        for (size_t j = 0; j < COLUMNS; j += 4) transpose_vectors(turn, y + i, x + j);
      }
    }
  }
}

/// Transposes in blocks whose rows are on few enough memory pages.
INLINE void transpose(const Turn *turn, size_t size) {
  enum { SIDE = 128 };
  for (size_t top = 0; top < turn->width; top += SIDE) {
    for (size_t left = 0; left < turn->height; left += SIDE) {
      transpose_block(turn, size, top, end(top, SIDE, turn->width), left, end(left, SIDE, turn->height));
    }
  }
}

INLINE void run(const Turn *turn, size_t size, bool transposes) { transposes ? transpose(turn, size) : copy_rows(turn, size); }

void cimages_orient(CImagesSource source, CImagesTarget target, size_t pixel_bytes, int orientation, size_t width, size_t height) {
  Turn turn = {source.bytes, target.bytes, source.row_bytes, target.row_bytes, width, height, false, false};
  turn.mirrors_columns = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  turn.mirrors_rows = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  bool transposes = orientation >= 5;
  switch (pixel_bytes) {
    case 1: run(&turn, 1, transposes); break;
    case 2: run(&turn, 2, transposes); break;
    default: run(&turn, 4, transposes);
  }
}
