#pragma once
// Pixels in bulk: resizing, conversion between pixel formats and to planar tensors, turning. One thread, 128-bit vectors.
//
// Every function computes each value by the same operations in the same order on every machine: no fused multiply-add. Callers check sizes:
// widths and heights are positive, a row's pixels lie within `row_bytes`, source and target do not overlap. Nothing needs to be aligned.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Rows of pixels to read.
typedef struct {
  const void *_Nonnull bytes;
  size_t row_bytes;  // from one row to the next
} CImagesSource;

/// Rows of pixels to write.
typedef struct {
  void *_Nonnull bytes;
  size_t row_bytes;  // from one row to the next
} CImagesTarget;

/// The samples of a pixel.
typedef enum {
  CIMAGES_GRAY8,
  CIMAGES_GRAY_FP16,
  CIMAGES_GRAY_FP32,
  CIMAGES_COLOUR8,  // four bytes in any order
} CImagesSamples;

/// The widest vectors that may be used, as far as the processor has them.
typedef enum {
  CIMAGES_WIDEST,
  CIMAGES_AVX2,
  CIMAGES_PORTABLE,
} CImagesVectors;

/// `length` samples of an axis from `start` on, of `size` that there are, become `count`.
typedef struct {
  double start;
  double length;
  int32_t size;
  int32_t count;
} CImagesAxis;

/// Resizes with a triangle filter, as wide as the step where the picture shrinks: a horizontal pass, then a vertical one.
/// `target` begins with the first of `rows.count` rows of `columns.count` pixels. `vectors`: what may be used of the processor; the result is the same.
/// False when there is no memory, or for an axis without samples.
bool cimages_resize(
  CImagesSource source, CImagesTarget target, CImagesSamples samples, CImagesAxis columns, CImagesAxis rows, CImagesVectors vectors);

/// Where a pixel has its red, green, blue and alpha: bytes 0 to 3. A pixel without alpha has `CIMAGES_NO_ALPHA` there.
typedef struct {
  uint8_t red, green, blue, alpha;
} CImagesOrder;

enum { CIMAGES_NO_ALPHA = 4 };

/// The functions below convert one row of `count` pixels.

/// Pixels of four bytes in another order. Where `from` has no alpha it becomes 255; `to` has alpha.
void cimages_reorder(const void *_Nonnull source, CImagesOrder from, void *_Nonnull target, CImagesOrder to, size_t count);
/// Pixels of three bytes as pixels of four, with an alpha of 255.
void cimages_expand(const void *_Nonnull source, CImagesOrder from, void *_Nonnull target, CImagesOrder to, size_t count);
/// Pixels of four bytes as pixels of three, without their alpha.
void cimages_pack(const void *_Nonnull source, CImagesOrder from, void *_Nonnull target, CImagesOrder to, size_t count);
/// Indices of a palette as what the palette has, four bytes each.
void cimages_look_up(const uint8_t *_Nonnull source, const uint32_t palette[_Nonnull 256], void *_Nonnull target, size_t count);
/// Luma of ITU-R BT.601: (299 R + 587 G + 114 B + 500) / 1000, rounded down.
void cimages_gray_of_colours(const void *_Nonnull source, CImagesOrder from, uint8_t *_Nonnull target, size_t count);
/// Gray in three bytes of each pixel and 255 in its alpha.
void cimages_colours_of_gray(const uint8_t *_Nonnull source, void *_Nonnull target, CImagesOrder to, size_t count);
void cimages_fp32_of_bytes(const uint8_t *_Nonnull source, void *_Nonnull target, size_t count);
void cimages_fp16_of_bytes(const uint8_t *_Nonnull source, void *_Nonnull target, size_t count);
void cimages_fp32_of_fp16(const void *_Nonnull source, void *_Nonnull target, size_t count);
void cimages_fp16_of_fp32(const void *_Nonnull source, void *_Nonnull target, size_t count);
/// How luma and colour differences in bytes are scaled.
typedef struct {
  float offset;
  float luma_scale;
  float difference_scale;
} CImagesVideo;

/// A row of luma and the pairs of differences that belong to it, as red, green, blue and 255. An odd row has (count + 1) / 2 pairs.
void cimages_rgba_of_video(
  CImagesVideo video, const uint8_t *_Nonnull luma, const uint8_t *_Nonnull differences, uint8_t *_Nonnull target, size_t count);
/// The luma of a row of red, green, blue and alpha.
void cimages_luma_of_rgba(CImagesVideo video, const uint8_t *_Nonnull source, uint8_t *_Nonnull luma, size_t count);
/// The differences of two rows, or of one with itself. An odd row has a pair for its last column alone.
void cimages_differences_of_rgba(
  CImagesVideo video, const uint8_t *_Nonnull upper, const uint8_t *_Nonnull lower, uint8_t *_Nonnull differences, size_t count);

/// Colours (four bytes) to three planes of float, 0 to 255. Byte `order[i]` of a pixel goes to plane i; planes are `width * height` values each.
void cimages_planes_of_colours(CImagesSource source, const uint8_t order[_Nonnull 3], float *_Nonnull planes, size_t width, size_t height);
/// Planes to colours: clamped to 0...255 and rounded to nearest even, NaN becomes 0. Plane i goes to byte i, for i from 0 to 2; byte 3 is 255.
void cimages_colours_of_planes(
  const float *_Nonnull first, const float *_Nonnull second, const float *_Nonnull third, CImagesTarget target, size_t width, size_t height);
/// One row of a plane to gray, rounded as above.
void cimages_bytes_of_fp32(const float *_Nonnull source, uint8_t *_Nonnull target, size_t count);

/// Turns and mirrors pixels of 1, 2 or 4 bytes so that they are seen upright. `orientation` is a value of EXIF's tag 0x0112.
/// From 5 on, the target has `height` columns and `width` rows.
void cimages_orient(CImagesSource source, CImagesTarget target, size_t pixel_bytes, int orientation, size_t width, size_t height);
