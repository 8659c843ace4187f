#pragma once
// JPEG through libjpeg-turbo. Its longjmp calls do not leave this module.

#include <stddef.h>
#include <stdint.h>

typedef struct {
  int width;
  int height;
  int components;      // 1 for gray
  char message[200];  // the error, if any
} CJPEGImage;

/// Reads the size and the number of components of an image. Returns 0, or -1 with a message.
int cjpeg_read_header(const void *_Nonnull bytes, size_t count, CJPEGImage *_Nonnull image);
/// Decodes to rows of B, G, R, 255. `pixels` holds image->width * image->height * 4 bytes, the size that
/// `cjpeg_read_header` found.
int cjpeg_decode(const void *_Nonnull bytes, size_t count, CJPEGImage *_Nonnull image, uint8_t *_Nonnull pixels);

/// Encodes rows of B, G, R (three bytes per pixel), or of gray if image->components is 1, with quality 1 to 100. The
/// caller frees `*bytes`. Returns 0, or -1 with a message.
int cjpeg_encode(const uint8_t *_Nonnull pixels, CJPEGImage *_Nonnull image, int quality, uint8_t *_Nullable *_Nonnull bytes, size_t *_Nonnull count);
