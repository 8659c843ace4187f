#pragma once
// JPEG through libjpeg-turbo, with its long jumps kept on this side.

#include <stddef.h>
#include <stdint.h>

typedef struct {
  int width;
  int height;
  int components;      // 1 for gray
  char message[200];  // what went wrong, when something did
} CJPEGImage;

/// Reads the size and the components of an image; 0, or -1 with a message.
int cjpeg_read_header(const void *_Nonnull bytes, size_t count, CJPEGImage *_Nonnull image);
/// Decodes to rows of B, G, R, 255. `pixels` holds image->width * image->height * 4 bytes, as `cjpeg_read_header` found them.
int cjpeg_decode(const void *_Nonnull bytes, size_t count, CJPEGImage *_Nonnull image, uint8_t *_Nonnull pixels);

/// Writes rows of B, G, R (three bytes a pixel), or of gray where image->components is 1, at a quality of 1 to 100. `*bytes` is to be freed; 0, or -1 with
/// a message.
int cjpeg_encode(const uint8_t *_Nonnull pixels, CJPEGImage *_Nonnull image, int quality, uint8_t *_Nullable *_Nonnull bytes, size_t *_Nonnull count);
