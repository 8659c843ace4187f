// The eight orientations of EXIF: rows as they are or mirrored, or transposed in blocks that stay in the nearest cache.
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

/// Copies rows, with their pixels in reverse where columns are mirrored.
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

/// Source column c becomes target row c, or counted from the last where columns are mirrored; rows become columns likewise.
INLINE void transpose(const Turn *turn, size_t size) {
  enum { SIDE = 32 };
  for (size_t top = 0; top < turn->width; top += SIDE) {
    size_t bottom = turn->width - top < SIDE ? turn->width : top + SIDE;
    for (size_t left = 0; left < turn->height; left += SIDE) {
      size_t right = turn->height - left < SIDE ? turn->height : left + SIDE;
      for (size_t y = top; y < bottom; y++) {
        const uint8_t *column = turn->bytes + (turn->mirrors_columns ? turn->width - 1 - y : y) * size;
        uint8_t *row = turn->target + y * turn->target_row;
        for (size_t x = left; x < right; x++) {
          copy_pixel(row + x * size, column + (turn->mirrors_rows ? turn->height - 1 - x : x) * turn->source_row, size);
        }
      }
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
