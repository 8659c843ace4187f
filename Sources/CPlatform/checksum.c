#include <string.h>

#include "CPlatform.h"

#define MIX 0x9E3779B97F4A7C15u

static inline uint64_t stirred(uint64_t x) {
  x = (x ^ (x >> 32)) * MIX;
  return x ^ (x >> 29);
}

uint64_t cplatform_checksum(const void *bytes, size_t count) {
  enum { LANES = 8 };
  const unsigned char *at = bytes;
  uint64_t lanes[LANES], words[LANES], left = count;
  for (uint64_t i = 0; i < LANES; i++) lanes[i] = stirred(count + i + 1);
  for (; left > 0; left -= left < sizeof words ? left : sizeof words, at += sizeof words) {
    if (left < sizeof words) {
      memset(words, 0, sizeof words);
      memcpy(words, at, left);
    } else {
      memcpy(words, at, sizeof words);
    }
    for (int i = 0; i < LANES; i++) {
      lanes[i] = (lanes[i] ^ words[i]) * MIX;
      lanes[i] ^= lanes[i] >> 29;
    }
  }
  uint64_t sum = count;
  for (int i = 0; i < LANES; i++) sum = stirred(sum ^ lanes[i]) + (uint64_t)i;
  return sum;
}
