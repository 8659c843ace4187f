// Conversion of dense uint8 channels to blocks and back, for every instruction set: see ck_quantized.h.
#include <string.h>

#include "table.h"

enum { BYTE_BLOCK = 64 };

void ck_int8_block(const uint8_t *dense, size_t channels, size_t area, uint8_t flip, uint8_t *blocked) {
  ck_transpose(1, dense, (ptrdiff_t)area, blocked, BYTE_BLOCK, channels, area);
  for (size_t i = 0; i < area; i++, blocked += BYTE_BLOCK) {
    for (size_t c = 0; c < channels; c++) blocked[c] ^= flip;
    memset(blocked + channels, 0, BYTE_BLOCK - channels);
  }
}

void ck_int8_unblock(const uint8_t *blocked, size_t channels, size_t area, uint8_t flip, uint8_t *dense) {
  ck_transpose(1, blocked, BYTE_BLOCK, dense, (ptrdiff_t)area, area, channels);
  for (size_t i = 0; i < channels * area; i++) dense[i] ^= flip;
}
