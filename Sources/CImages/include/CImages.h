#pragma once
// Bulk pixel operations: resizing, conversion between pixel formats and to planar tensors, rotation. Each call uses one
// thread and mostly 128-bit vectors.
//
// Every function computes each value with the same operations in the same order on every machine, without fused
// multiply-add. Callers check sizes: widths and heights are positive, a row's pixels fit in `row_bytes`, source and
// target do not overlap. No alignment is required.

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
  CIMAGES_COLOUR8,  // four bytes per pixel in any order
} CImagesSamples;

/// The widest vectors to use, limited by what the processor supports.
typedef enum {
  CIMAGES_WIDEST,
  CIMAGES_AVX2,
  CIMAGES_PORTABLE,
} CImagesVectors;

/// Resamples an axis: `length` samples from `start` on, of `size` samples, become `count`.
typedef struct {
  double start;
  double length;
  int32_t size;
  int32_t count;
} CImagesAxis;

/// Resizes with a triangle filter, a horizontal pass and then a vertical one. If the image shrinks, the filter is as
/// wide as the step. `target` begins with the first of `rows.count` rows of `columns.count` pixels. `vectors` limits
/// the instruction sets; the result is the same. Returns false if there is no memory, or for an axis without samples.
bool cimages_resize(
  CImagesSource source, CImagesTarget target, CImagesSamples samples, CImagesAxis columns, CImagesAxis rows, CImagesVectors vectors);

/// The byte indices (0 to 3) of a pixel's red, green, blue and alpha. A pixel without alpha has `CIMAGES_NO_ALPHA`.
typedef struct {
  uint8_t red, green, blue, alpha;
} CImagesOrder;

enum { CIMAGES_NO_ALPHA = 4 };

/// The functions below convert one row of `count` pixels.

/// Reorders the bytes of four-byte pixels. If `from` has no alpha, alpha becomes 255. `to` has alpha.
void cimages_reorder(const void *_Nonnull source, CImagesOrder from, void *_Nonnull target, CImagesOrder to, size_t count);
/// Converts three-byte pixels to four-byte pixels with alpha 255.
void cimages_expand(const void *_Nonnull source, CImagesOrder from, void *_Nonnull target, CImagesOrder to, size_t count);
/// Converts four-byte pixels to three-byte pixels without alpha.
void cimages_pack(const void *_Nonnull source, CImagesOrder from, void *_Nonnull target, CImagesOrder to, size_t count);
/// Replaces palette indices by the palette's four-byte entries.
void cimages_look_up(const uint8_t *_Nonnull source, const uint32_t palette[_Nonnull 256], void *_Nonnull target, size_t count);
/// Luma of ITU-R BT.601: (299 R + 587 G + 114 B + 500) / 1000, rounded down.
void cimages_gray_of_colours(const void *_Nonnull source, CImagesOrder from, uint8_t *_Nonnull target, size_t count);
/// Copies gray to three bytes of each pixel and sets alpha to 255.
void cimages_colours_of_gray(const uint8_t *_Nonnull source, void *_Nonnull target, CImagesOrder to, size_t count);
void cimages_fp32_of_bytes(const uint8_t *_Nonnull source, void *_Nonnull target, size_t count);
void cimages_fp16_of_bytes(const uint8_t *_Nonnull source, void *_Nonnull target, size_t count);
void cimages_fp32_of_fp16(const void *_Nonnull source, void *_Nonnull target, size_t count);
void cimages_fp16_of_fp32(const void *_Nonnull source, void *_Nonnull target, size_t count);
/// Scaling of 8-bit luma and chroma.
typedef struct {
  float offset;
  float luma_scale;
  float difference_scale;
} CImagesVideo;

/// Converts a row of luma and its chroma pairs to red, green, blue and 255. A row of odd width has (count + 1) / 2
/// pairs.
void cimages_rgba_of_video(
  CImagesVideo video, const uint8_t *_Nonnull luma, const uint8_t *_Nonnull differences, uint8_t *_Nonnull target, size_t count);
/// The luma of a row of red, green, blue and alpha.
void cimages_luma_of_rgba(CImagesVideo video, const uint8_t *_Nonnull source, uint8_t *_Nonnull luma, size_t count);
/// The chroma of two rows, or of one row passed twice. A row of odd width has a pair for its last column alone.
void cimages_differences_of_rgba(
  CImagesVideo video, const uint8_t *_Nonnull upper, const uint8_t *_Nonnull lower, uint8_t *_Nonnull differences, size_t count);

/// Converts color (four bytes) to three planes of floats in 0 ... 255. Byte `order[i]` of a pixel goes to plane i.
/// Planes have `width * height` values each.
void cimages_planes_of_colours(CImagesSource source, const uint8_t order[_Nonnull 3], float *_Nonnull planes, size_t width, size_t height);
/// Converts planes to color: clamps to 0 ... 255 and rounds to nearest even; NaN becomes 0. Plane i goes to byte i, for
/// i from 0 to 2; byte 3 is 255.
void cimages_colours_of_planes(
  const float *_Nonnull first, const float *_Nonnull second, const float *_Nonnull third, CImagesTarget target, size_t width, size_t height);
/// Converts one row of a plane to gray, rounded as above.
void cimages_bytes_of_fp32(const float *_Nonnull source, uint8_t *_Nonnull target, size_t count);

/// Rotates and mirrors pixels of 1, 2 or 4 bytes to upright orientation. `orientation` is a value of EXIF tag 0x0112.
/// From 5 on, the target has `height` columns and `width` rows.
void cimages_orient(CImagesSource source, CImagesTarget target, size_t pixel_bytes, int orientation, size_t width, size_t height);
