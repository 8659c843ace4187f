#include "CPlatform.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void blocks_portable(uint32_t state[8], const uint8_t *bytes, size_t count) {
  for (; count > 0; count--, bytes += 64) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++)
      w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 | (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
    for (int i = 16; i < 64; i++) {
      uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
      uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
      uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
      uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
      uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
      uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      memmove(v + 1, v, 7 * sizeof v[0]);
      v[4] += t1;
      v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
  }
}

#if defined(__x86_64__)
// The SHA extensions: two rounds per instruction, with the state kept as ABEF and CDGH.
__attribute__((target("sha,sse4.1,ssse3"))) static void blocks_sha(uint32_t state[8], const uint8_t *bytes, size_t count) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i t = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
  __m128i cdgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(t, cdgh, 8);
  cdgh = _mm_blend_epi16(cdgh, t, 0xf0);
  for (; count > 0; count--, bytes += 64) {
    __m128i before_abef = abef, before_cdgh = cdgh, w[4];
    for (int i = 0; i < 4; i++) w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), swap);
    for (int i = 0; i < 16; i++) {
      __m128i words = w[i & 3];
      __m128i sum = _mm_add_epi32(words, _mm_loadu_si128((const __m128i *)(k + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
      // The four words that this slot holds sixteen rounds later.
      __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(words, w[(i + 1) & 3]), _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));
      w[i & 3] = _mm_sha256msg2_epu32(next, w[(i + 3) & 3]);
    }
    abef = _mm_add_epi32(abef, before_abef);
    cdgh = _mm_add_epi32(cdgh, before_cdgh);
  }
  t = _mm_shuffle_epi32(abef, 0x1b);
  cdgh = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(t, cdgh, 0xf0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(cdgh, t, 8));
}

static bool has_sha(void) {
  unsigned a, b, c, d;
  bool sse41 = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) && (c & bit_SSSE3);
  return sse41 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 29));
}
#endif

static void blocks(CPlatformSHA256 *sha, const uint8_t *bytes, size_t count) {
#if defined(__x86_64__)
  if (!sha->portable) {
    blocks_sha(sha->state, bytes, count);
    return;
  }
#endif
  blocks_portable(sha->state, bytes, count);
}

void cplatform_sha256_begin(CPlatformSHA256 *sha) {
  static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(sha->state, initial, sizeof initial);
  sha->count = 0;
#if defined(__x86_64__)
  sha->portable = !has_sha();
#else
  sha->portable = true;
#endif
}

void cplatform_sha256_append(CPlatformSHA256 *sha, const void *bytes, size_t count) {
  if (count == 0) return;
  const uint8_t *next = bytes;
  size_t held = sha->count % 64;
  sha->count += count;
  if (held > 0) {
    size_t taken = count < 64 - held ? count : 64 - held;
    memcpy(sha->pending + held, next, taken);
    next += taken;
    count -= taken;
    if (held + taken < 64) return;
    blocks(sha, sha->pending, 1);
  }
  blocks(sha, next, count / 64);
  memcpy(sha->pending, next + count / 64 * 64, count % 64);
}

void cplatform_sha256_end(CPlatformSHA256 *sha, uint8_t digest[32]) {
  uint64_t bits = sha->count * 8;
  size_t held = sha->count % 64, padding = held < 56 ? 64 - held : 128 - held;
  uint8_t tail[128] = {0x80};
  for (int i = 0; i < 8; i++) tail[padding - 1 - i] = (uint8_t)(bits >> (8 * i));
  cplatform_sha256_append(sha, tail, padding);
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}
