#pragma once
// TIFF through libtiff, which is opened when the first TIFF image is read. libtiff depends on a dozen libraries with
// other licenses, so nothing here links against it.

#include <stddef.h>
#include <stdint.h>

/// The description in a file's first directory, and the error message.
typedef struct {
  uint32_t width;
  uint32_t height;
  uint16_t bits;     // per sample
  uint16_t samples;  // per pixel
  uint16_t photometric;
  uint16_t sampleFormat;
  uint16_t compression;
  uint16_t inks;
  uint16_t orientation;  // 0 if the file has none
  uint16_t extraSamples;
  uint16_t firstExtraSample;  // its kind: 1 for premultiplied alpha, 2 for straight alpha
  uint8_t isTiled;
  uint8_t isPlanar;           // a block has one sample of each pixel
  uint8_t isMissing;          // libtiff is not installed on this machine
  // Strips are treated as blocks of the image's width.
  uint32_t blockWidth;
  uint32_t blockHeight;
  int64_t blockBytes;
  char message[200];
} CTIFFImage;

typedef struct CTIFFFile CTIFFFile;

/// Opens a file in memory, which must outlive the result. Returns NULL with a message on failure. Prints nothing.
CTIFFFile *_Nullable ctiff_open(const void *_Nonnull bytes, size_t count, CTIFFImage *_Nonnull image);
/// Red, green and blue of a palette, 1 << bits values each. Returns 0, or -1 if there is no palette. The arrays are
/// valid while the file is open.
int ctiff_palette(CTIFFFile *_Nonnull file, const uint16_t *_Nullable colours[_Nonnull 3]);
/// Reads a block. Block numbers count rows of blocks from the top, plane by plane for planar images. Writes `size`
/// bytes. Returns 0, or -1 with a message, also if the decoder had to replace damaged data.
int ctiff_read(CTIFFFile *_Nonnull file, uint32_t index, void *_Nonnull bytes, int64_t size, CTIFFImage *_Nonnull image);
void ctiff_close(CTIFFFile *_Nonnull file);
