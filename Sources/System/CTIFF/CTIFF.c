#include "CTIFF.h"

#if !__has_include(<tiffio.h>)
#error "libtiff's headers are missing: install libtiff-dev (tools/setup does)"
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

// Requires libtiff 4.5: error handlers per file leave the process's own handlers and its standard error alone.
#define ENTRY_POINTS(ENTRY)                                                                                            \
  ENTRY(TIFFOpenOptionsAlloc)                                                                                          \
  ENTRY(TIFFOpenOptionsFree)                                                                                           \
  ENTRY(TIFFOpenOptionsSetMaxSingleMemAlloc)                                                                           \
  ENTRY(TIFFOpenOptionsSetErrorHandlerExtR)                                                                            \
  ENTRY(TIFFOpenOptionsSetWarningHandlerExtR)                                                                          \
  ENTRY(TIFFClientOpenExt)                                                                                             \
  ENTRY(TIFFGetField)                                                                                                  \
  ENTRY(TIFFGetFieldDefaulted)                                                                                         \
  ENTRY(TIFFSetField)                                                                                                  \
  ENTRY(TIFFIsTiled)                                                                                                   \
  ENTRY(TIFFStripSize64)                                                                                               \
  ENTRY(TIFFTileSize64)                                                                                                \
  ENTRY(TIFFReadEncodedStrip)                                                                                          \
  ENTRY(TIFFReadEncodedTile)                                                                                           \
  ENTRY(TIFFClose)

static struct {
#define DECLARE(name) __typeof__(&name) name;
  ENTRY_POINTS(DECLARE)
#undef DECLARE
  int isThere;
} library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *opened = dlopen("libtiff.so.6", RTLD_NOW | RTLD_LOCAL);
  if (!opened) return;
#define RESOLVE(name)                                                                                                  \
  if (!(*(void **)&library.name = dlsym(opened, #name))) return;
  ENTRY_POINTS(RESOLVE)
#undef RESOLVE
  library.isThere = 1;
}

struct CTIFFFile {
  TIFF *tiff;
  const uint8_t *bytes;
  uint64_t count;
  uint64_t position;
  CTIFFImage *image;
  int isReadingPixels;
  int hasFailed;
};

static int note(CTIFFFile *file, const char *format, va_list arguments) {
  file->hasFailed = 1;
  // The first message is closest to the cause.
  if (file->image && !file->image->message[0]) {
    vsnprintf(file->image->message, sizeof file->image->message, format, arguments);
    for (char *letter = file->image->message; *letter; letter++) {
      if ((unsigned char)*letter < 0x20 || (unsigned char)*letter > 0x7e) *letter = ' ';
    }
  }
  return 1;  // 1: libtiff calls no other handler
}

static int fail(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)module;
  return note(user, format, arguments);
}

// Unknown tags are harmless. While pixels are read, a decoder's warning means damaged data and is an error.
static int warn(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)module;
  return ((CTIFFFile *)user)->isReadingPixels ? note(user, format, arguments) : 1;
}

static tmsize_t read_bytes(thandle_t handle, void *target, tmsize_t size) {
  CTIFFFile *file = handle;
  if (size <= 0 || file->position >= file->count) return 0;
  uint64_t left = file->count - file->position;
  uint64_t length = (uint64_t)size < left ? (uint64_t)size : left;
  memcpy(target, file->bytes + file->position, length);
  file->position += length;
  return (tmsize_t)length;
}

static tmsize_t write_nothing(thandle_t handle, void *bytes, tmsize_t size) {
  (void)handle, (void)bytes, (void)size;
  return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
  CTIFFFile *file = handle;
  switch (whence) {
    case SEEK_SET: file->position = offset; break;
    case SEEK_CUR: file->position += offset; break;
    default: file->position = file->count + offset; break;
  }
  return file->position;
}

static int close_nothing(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t size_of(thandle_t handle) { return ((CTIFFFile *)handle)->count; }

static TIFF *open_with_handlers(CTIFFFile *file) {
  TIFFOpenOptions *options = library.TIFFOpenOptionsAlloc();
  if (!options) return NULL;
  library.TIFFOpenOptionsSetErrorHandlerExtR(options, fail, file);
  library.TIFFOpenOptionsSetWarningHandlerExtR(options, warn, file);
  // The maximum size of a block of the largest image.
  library.TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)1 << 31);
  // m: reads bytes instead of mapping the file.
  TIFF *tiff = library.TIFFClientOpenExt(
    "picture", "rm", file, read_bytes, write_nothing, seek, close_nothing, size_of, NULL, NULL, options);
  library.TIFFOpenOptionsFree(options);
  return tiff;
}

static void describe(TIFF *tiff, CTIFFImage *image) {
  library.TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &image->width);
  library.TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &image->height);
  library.TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &image->bits);
  library.TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &image->samples);
  library.TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &image->sampleFormat);
  library.TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &image->compression);
  library.TIFFGetFieldDefaulted(tiff, TIFFTAG_INKSET, &image->inks);
  library.TIFFGetField(tiff, TIFFTAG_ORIENTATION, &image->orientation);
  if (!library.TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &image->photometric)) image->photometric = UINT16_MAX;
  uint16_t count = 0, planes = PLANARCONFIG_CONTIG, *kinds = NULL;
  if (library.TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) && count > 0 && kinds) {
    image->extraSamples = count;
    image->firstExtraSample = kinds[0];
  }
  library.TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planes);
  image->isPlanar = planes == PLANARCONFIG_SEPARATE && image->samples > 1;
  // The JPEG decoder converts luma and chroma to color.
  if (image->photometric == PHOTOMETRIC_YCBCR && image->compression == COMPRESSION_JPEG && !image->isPlanar) {
    library.TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    image->photometric = PHOTOMETRIC_RGB;
  }
  image->isTiled = library.TIFFIsTiled(tiff) != 0;
  if (image->isTiled) {
    library.TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &image->blockWidth);
    library.TIFFGetField(tiff, TIFFTAG_TILELENGTH, &image->blockHeight);
    image->blockBytes = (int64_t)library.TIFFTileSize64(tiff);
  } else {
    image->blockWidth = image->width;
    library.TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &image->blockHeight);
    if (image->blockHeight > image->height) image->blockHeight = image->height;
    image->blockBytes = (int64_t)library.TIFFStripSize64(tiff);
  }
}

CTIFFFile *ctiff_open(const void *bytes, size_t count, CTIFFImage *image) {
  memset(image, 0, sizeof *image);
  pthread_once(&once, load);
  if (!library.isThere) {
    image->isMissing = 1;
    return NULL;
  }
  CTIFFFile *file = calloc(1, sizeof *file);
  if (!file) return NULL;
  *file = (CTIFFFile){.bytes = bytes, .count = count, .image = image};
  file->tiff = open_with_handlers(file);
  if (!file->tiff) {
    free(file);
    return NULL;
  }
  describe(file->tiff, image);
  // The caller's structure may move between two calls.
  file->image = NULL;
  return file;
}

int ctiff_palette(CTIFFFile *file, const uint16_t *colours[3]) {
  uint16_t *red = NULL, *green = NULL, *blue = NULL;
  if (!library.TIFFGetField(file->tiff, TIFFTAG_COLORMAP, &red, &green, &blue) || !red || !green || !blue) return -1;
  colours[0] = red;
  colours[1] = green;
  colours[2] = blue;
  return 0;
}

int ctiff_read(CTIFFFile *file, uint32_t index, void *bytes, int64_t size, CTIFFImage *image) {
  file->image = image;
  file->isReadingPixels = 1;
  file->hasFailed = 0;
  tmsize_t length = library.TIFFIsTiled(file->tiff) ? library.TIFFReadEncodedTile(file->tiff, index, bytes, size)
                                                    : library.TIFFReadEncodedStrip(file->tiff, index, bytes, size);
  file->image = NULL;
  return length == size && !file->hasFailed ? 0 : -1;
}

void ctiff_close(CTIFFFile *file) {
  library.TIFFClose(file->tiff);
  free(file);
}
