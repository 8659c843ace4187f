#pragma once
// TIFF through libtiff, which is opened when the first such picture is read: it brings a dozen libraries of other licences with it, of which
// nothing that is built here shall be made.

#include <stddef.h>
#include <stdint.h>

/// What the first directory of a file says, and what went wrong.
typedef struct {
  uint32_t width;
  uint32_t height;
  uint16_t bits;     // of a sample
  uint16_t samples;  // of a pixel
  uint16_t photometric;
  uint16_t sampleFormat;
  uint16_t compression;
  uint16_t inks;
  uint16_t orientation;  // 0 where the file tells none
  uint16_t extraSamples;
  uint16_t firstExtraSample;  // what it is: 1 for alpha that colours are multiplied by, 2 for alpha that they are not
  uint8_t isTiled;
  uint8_t isPlanar;           // a block has one sample of each pixel
  uint8_t isMissing;          // there is no libtiff on this machine
  // Strips are blocks that are as wide as the picture.
  uint32_t blockWidth;
  uint32_t blockHeight;
  int64_t blockBytes;
  char message[200];
} CTIFFImage;

typedef struct CTIFFFile CTIFFFile;

/// Opens a file in memory, which must stay; NULL with a message where that fails. Nothing is printed.
CTIFFFile *_Nullable ctiff_open(const void *_Nonnull bytes, size_t count, CTIFFImage *_Nonnull image);
/// Red, green and blue of a palette, 1 << bits numbers each; 0, or -1 where there is none. They live as long as the file is open.
int ctiff_palette(CTIFFFile *_Nonnull file, const uint16_t *_Nullable colours[_Nonnull 3]);
/// Reads a block, whose number counts rows of blocks from the top, of planar pictures plane by plane. `size` bytes are written; 0, or -1 with a
/// message: also where the decoder had to make something up.
int ctiff_read(CTIFFFile *_Nonnull file, uint32_t index, void *_Nonnull bytes, int64_t size, CTIFFImage *_Nonnull image);
void ctiff_close(CTIFFFile *_Nonnull file);
