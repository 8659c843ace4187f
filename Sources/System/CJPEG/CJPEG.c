#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

typedef struct {
  struct jpeg_error_mgr manager;
  jmp_buf jump;
  CJPEGImage *image;
} Errors;

static void fail(j_common_ptr info) {
  Errors *errors = (Errors *)info->err;
  char text[JMSG_LENGTH_MAX];
  info->err->format_message(info, text);
  snprintf(errors->image->message, sizeof errors->image->message, "%s", text);
  longjmp(errors->jump, 1);
}

// Warnings about damaged data are errors too: a truncated image must not pass for a complete one.
static void warn(j_common_ptr info, int level) {
  if (level < 0) fail(info);
}

// Progressive images can require thousands of passes over every pixel.
static void limit(j_common_ptr info) {
  if (((j_decompress_ptr)info)->input_scan_number > 200) {
    Errors *errors = (Errors *)info->err;
    snprintf(errors->image->message, sizeof errors->image->message, "more than 200 scans");
    longjmp(errors->jump, 1);
  }
}

static int run(const void *bytes, size_t count, CJPEGImage *image, uint8_t *pixels) {
  struct jpeg_decompress_struct info;
  struct jpeg_progress_mgr progress = {.progress_monitor = limit};
  Errors errors = {.image = image};
  memset(&info, 0, sizeof info);
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = fail;
  errors.manager.emit_message = warn;
  image->message[0] = 0;
  if (setjmp(errors.jump)) {
    jpeg_destroy_decompress(&info);
    return -1;
  }
  jpeg_create_decompress(&info);
  info.progress = &progress;
  jpeg_mem_src(&info, bytes, count);
  jpeg_read_header(&info, TRUE);
  if (pixels == NULL) {
    image->width = (int)info.image_width;
    image->height = (int)info.image_height;
    image->components = info.num_components;
    jpeg_destroy_decompress(&info);
    return 0;
  }
  int is_cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = is_cmyk ? JCS_CMYK : JCS_EXT_BGRA;
  jpeg_start_decompress(&info);
  if ((int)info.output_width != image->width || (int)info.output_height != image->height || info.output_components != 4) {
    snprintf(image->message, sizeof image->message, "the image changed its size");
    longjmp(errors.jump, 1);
  }
  while (info.output_scanline < info.output_height) {
    uint8_t *row = pixels + (size_t)info.output_scanline * (size_t)image->width * 4;
    jpeg_read_scanlines(&info, &row, 1);
    if (!is_cmyk) continue;
    // Adobe files store inverted inks, so 255 is no ink. Each color is then ink times black.
    for (int x = 0; x < image->width; x++, row += 4) {
      unsigned k = info.saw_Adobe_marker ? row[3] : 255u - row[3];
      unsigned c = info.saw_Adobe_marker ? row[0] : 255u - row[0];
      unsigned m = info.saw_Adobe_marker ? row[1] : 255u - row[1];
      unsigned y = info.saw_Adobe_marker ? row[2] : 255u - row[2];
      row[0] = (uint8_t)(y * k / 255);
      row[1] = (uint8_t)(m * k / 255);
      row[2] = (uint8_t)(c * k / 255);
      row[3] = 255;
    }
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return 0;
}

int cjpeg_read_header(const void *bytes, size_t count, CJPEGImage *image) { return run(bytes, count, image, NULL); }

int cjpeg_decode(const void *bytes, size_t count, CJPEGImage *image, uint8_t *pixels) { return run(bytes, count, image, pixels); }

int cjpeg_encode(const uint8_t *pixels, CJPEGImage *image, int quality, uint8_t **bytes, size_t *count) {
  struct jpeg_compress_struct info;
  Errors errors = {.image = image};
  unsigned char *volatile written = NULL;
  unsigned char *memory = NULL;
  unsigned long length = 0;
  memset(&info, 0, sizeof info);
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = fail;
  image->message[0] = 0;
  if (setjmp(errors.jump)) {
    jpeg_destroy_compress(&info);
    free(written);
    return -1;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &memory, &length);
  written = memory;
  info.image_width = (JDIMENSION)image->width;
  info.image_height = (JDIMENSION)image->height;
  info.input_components = image->components;
  info.in_color_space = image->components == 1 ? JCS_GRAYSCALE : JCS_EXT_BGR;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  size_t stride = (size_t)image->width * (size_t)image->components;
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = (JSAMPROW)(uintptr_t)(pixels + (size_t)info.next_scanline * stride);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  *bytes = memory;
  *count = length;
  return 0;
}
