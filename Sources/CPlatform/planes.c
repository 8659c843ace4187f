#include <string.h>

#include "CPlatform.h"

static void split4(const uint8_t *in, uint8_t *out, size_t count, int turn) {
  uint8_t *p0 = out, *p1 = out + count, *p2 = p1 + count, *p3 = p2 + count;
  for (size_t i = 0; i < count; i++) {
    uint32_t value;
    memcpy(&value, in + 4 * i, 4);
    if (turn) value = value << 1 | value >> 31;
    p0[i] = (uint8_t)value;
    p1[i] = (uint8_t)(value >> 8);
    p2[i] = (uint8_t)(value >> 16);
    p3[i] = (uint8_t)(value >> 24);
  }
}

static void join4(const uint8_t *in, uint8_t *out, size_t count, int turn) {
  const uint8_t *p0 = in, *p1 = in + count, *p2 = p1 + count, *p3 = p2 + count;
  for (size_t i = 0; i < count; i++) {
    uint32_t value = p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16 | (uint32_t)p3[i] << 24;
    if (turn) value = value >> 1 | value << 31;
    memcpy(out + 4 * i, &value, 4);
  }
}

static void split2(const uint8_t *in, uint8_t *out, size_t count, int turn) {
  uint8_t *p0 = out, *p1 = out + count;
  for (size_t i = 0; i < count; i++) {
    uint16_t value;
    memcpy(&value, in + 2 * i, 2);
    if (turn) value = (uint16_t)(value << 1 | value >> 15);
    p0[i] = (uint8_t)value;
    p1[i] = (uint8_t)(value >> 8);
  }
}

static void join2(const uint8_t *in, uint8_t *out, size_t count, int turn) {
  const uint8_t *p0 = in, *p1 = in + count;
  for (size_t i = 0; i < count; i++) {
    uint16_t value = (uint16_t)(p0[i] | p1[i] << 8);
    if (turn) value = (uint16_t)(value >> 1 | value << 15);
    memcpy(out + 2 * i, &value, 2);
  }
}

void cplatform_planes_split(const uint8_t *in, uint8_t *out, size_t count, int stride, bool rotate) {
  // One call per variant, so that the compiler generates a branch-free loop for each.
  if (stride == 4) {
    if (rotate) split4(in, out, count, 1); else split4(in, out, count, 0);
  } else {
    if (rotate) split2(in, out, count, 1); else split2(in, out, count, 0);
  }
}

void cplatform_planes_join(const uint8_t *in, uint8_t *out, size_t count, int stride, bool rotate) {
  if (stride == 4) {
    if (rotate) join4(in, out, count, 1); else join4(in, out, count, 0);
  } else {
    if (rotate) join2(in, out, count, 1); else join2(in, out, count, 0);
  }
}

void cplatform_count_bytes(const uint8_t *in, size_t count, uint32_t counts[1024]) {
  for (size_t i = 0; i < count; i++) counts[(i & 3) << 8 | in[i]]++;
}
